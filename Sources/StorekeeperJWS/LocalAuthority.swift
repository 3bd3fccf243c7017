import Crypto
import FoundationEssentials
public import StorekeeperEngine
import SwiftASN1
import X509

/// A local certification authority, with certificates of the same form as the App Store's.
///
/// It signs for a local App Store and for tests. Its root and intermediate have keys on P-384, and its leaves have keys
/// on P-256. The certificates have the marker extensions that a verifier requires, so that no check needs to be
/// disabled. The keys are in memory only; an authority does not write its keys to a file. A verifier trusts the
/// authority only if the authority's ``root`` is among the verifier's roots.
public struct LocalAuthority: Sendable {
    /// The default validity of the certificates: from 1970-01-02 to the end of 9999, so that simulated clocks may be
    /// set to almost any date.
    public static let defaultValidity =
        Instant(clamped: 86_400_000)...Instant(clamped: 253_402_300_799_000)

    /// The root certificate, for verifiers to trust.
    public let root: TrustedRoot
    /// The root certificate as PEM text.
    public var rootPEM: String { root.pem }

    private let name: String
    private var shape: Shape
    let rootKey: P384.Signing.PrivateKey
    let rootCertificate: Certificate
    let intermediateKey: P384.Signing.PrivateKey
    let intermediateCertificate: Certificate
    private let intermediateDER: [UInt8]

    /// The form of an authority's certificates.
    ///
    /// Most properties exist so that tests can create certificates that a verifier must refuse.
    package struct Shape: Sendable {
        package enum Curve: Sendable { case p256, p384 }

        package var rootValidity = LocalAuthority.defaultValidity
        package var intermediateValidity = LocalAuthority.defaultValidity
        package var leafValidity = LocalAuthority.defaultValidity
        package var intermediateIsAuthority = true
        package var intermediateMaySignCertificates = true
        package var intermediateIsMarked = true
        package var rootPathLength: Int?
        package var leafIsMarked = true
        package var leafIsAuthority = false
        package var leafMaySign = true
        package var leafCurve = Curve.p256
        package var leafHasUnknownCriticalExtension = false
        /// The issuer's name in the leaf; `nil` means the name of the intermediate.
        package var leafIssuerName: String?
        /// The URL of the OCSP responder in leaf and intermediate.
        package var responder: String?

        package init() {}
    }

    /// Creates an authority with new keys.
    ///
    /// - Parameters:
    ///   - name: The common name of the root, from which the other names are formed. Two authorities with the same name
    ///     still have different keys.
    ///   - validity: The period in which all certificates are valid, both ends included, in whole seconds within the
    ///     years 1 to 9999.
    ///   - ocspResponder: The HTTP URL of the OCSP responder for the certificates; `nil` for certificates without a
    ///     responder. ``answer(ocspRequest:at:usableFor:status:)`` creates the responses.
    /// - Throws: Errors of the cryptographic library if it cannot write a certificate, for example because a date is
    ///   outside of the years 1 to 9999.
    public init(
        name: String = "Storekeeper Local Root", validity: ClosedRange<Instant> = Self.defaultValidity,
        ocspResponder: String? = nil
    ) throws {
        var shape = Shape()
        shape.rootValidity = validity
        shape.intermediateValidity = validity
        shape.leafValidity = validity
        shape.responder = ocspResponder
        try self.init(name: name, shape: shape)
    }

    package init(name: String = "Storekeeper Local Root", shape: Shape) throws {
        let key = P384.Signing.PrivateKey()
        let certificate = try CertificateTemplate.root(name: name, key: key, shape: shape)
        try self.init(
            name: name, shape: shape, rootKey: key, rootCertificate: certificate,
            root: TrustedRoot(der: CertificateTemplate.der(certificate)))
    }

    /// Creates an authority with a new intermediate under an existing root.
    private init(
        name: String, shape: Shape, rootKey: P384.Signing.PrivateKey, rootCertificate: Certificate, root: TrustedRoot
    ) throws {
        let key = P384.Signing.PrivateKey()
        let certificate = try CertificateTemplate.intermediate(
            name: name, key: key, rootKey: rootKey, root: rootCertificate, shape: shape)
        self.name = name
        self.shape = shape
        self.rootKey = rootKey
        self.rootCertificate = rootCertificate
        self.root = root
        intermediateKey = key
        intermediateCertificate = certificate
        intermediateDER = try CertificateTemplate.der(certificate)
    }

    /// Creates an authority from existing keys and certificates.
    init(
        name: String, shape: Shape, rootKey: P384.Signing.PrivateKey, rootCertificate: Certificate,
        intermediateKey: P384.Signing.PrivateKey, intermediateCertificate: Certificate
    ) throws {
        self.name = name
        self.shape = shape
        self.rootKey = rootKey
        self.rootCertificate = rootCertificate
        root = try TrustedRoot(der: CertificateTemplate.der(rootCertificate))
        self.intermediateKey = intermediateKey
        self.intermediateCertificate = intermediateCertificate
        intermediateDER = try CertificateTemplate.der(intermediateCertificate)
    }

    /// Returns an authority with the same root and a new intermediate.
    ///
    /// Signers of the returned authority use the new intermediate. Items that were signed before remain valid.
    public func rotated() throws -> LocalAuthority { try rotated(shape: shape) }

    package func rotated(shape: Shape) throws -> LocalAuthority {
        try LocalAuthority(name: name, shape: shape, rootKey: rootKey, rootCertificate: rootCertificate, root: root)
    }

    /// Returns a copy of the authority that creates new leaf certificates in another form.
    package func shaped(_ shape: Shape) -> LocalAuthority {
        var authority = self
        authority.shape = shape
        return authority
    }

    /// Creates a signer with a new leaf certificate.
    ///
    /// - Returns: The signer. In the unlikely case that the certificate cannot be created, ``JWSSigner/sign(payload:)``
    ///   throws the reason.
    public func makeSigner() -> JWSSigner {
        do {
            switch shape.leafCurve {
            case .p256:
                let key = P256.Signing.PrivateKey()
                return JWSSigner(
                    key: .p256(key), certificates: try certificates(for: Certificate.PublicKey(key.publicKey)))
            case .p384:
                let key = P384.Signing.PrivateKey()
                return JWSSigner(
                    key: .p384(key), certificates: try certificates(for: Certificate.PublicKey(key.publicKey)))
            }
        } catch {
            return JWSSigner(failure: error)
        }
    }

    /// Returns a new leaf certificate, the intermediate and the root, as DER.
    func certificates(for key: Certificate.PublicKey) throws -> [[UInt8]] {
        let leaf = try CertificateTemplate.leaf(
            name: name, key: key, issuerKey: intermediateKey, issuer: intermediateCertificate, shape: shape)
        return [try CertificateTemplate.der(leaf), intermediateDER, root.der]
    }
}

extension LocalAuthority {
    /// The keys and certificates of the root and the intermediate, as PEM.
    ///
    /// ``init(keyed:name:ocspResponder:)`` recreates the authority from this text. Keep the text secret.
    package var keyedPEM: String {
        get throws {
            [
                rootKey.pemRepresentation, try rootCertificate.serializeAsPEM().pemString,
                intermediateKey.pemRepresentation, try intermediateCertificate.serializeAsPEM().pemString,
            ].joined(separator: "\n") + "\n"
        }
    }

    /// Recreates an authority from its exported keys and certificates; new leaf certificates have the default shape.
    ///
    /// - Parameters:
    ///   - pem: The value of ``keyedPEM``.
    ///   - name: The common name from which the names of new leaves are formed.
    ///   - ocspResponder: The URL of the OCSP responder in new leaves.
    /// - Throws: ``StoredAuthorityError`` if the text does not contain the keys and certificates of one authority.
    package init(keyed pem: String, name: String, ocspResponder: String? = nil) throws {
        let parts = pem.split(separator: "-----BEGIN ").map { "-----BEGIN \($0)" }
        guard parts.count == 4, let rootKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[0]),
            let root = try? Certificate(pemEncoded: parts[1]),
            let intermediateKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[2]),
            let intermediate = try? Certificate(pemEncoded: parts[3]),
            Certificate.PublicKey(rootKey.publicKey) == root.publicKey,
            Certificate.PublicKey(intermediateKey.publicKey) == intermediate.publicKey,
            root.publicKey.isValidSignature(intermediate.signature, for: intermediate)
        else { throw StoredAuthorityError() }
        var shape = Shape()
        shape.responder = ocspResponder
        try self.init(
            name: name, shape: shape, rootKey: rootKey, rootCertificate: root, intermediateKey: intermediateKey,
            intermediateCertificate: intermediate)
    }

    /// The error thrown if a text does not contain the keys and certificates of one authority.
    package struct StoredAuthorityError: Error, Sendable {}
}
