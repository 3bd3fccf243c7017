import Crypto
import FoundationEssentials
public import StorekeeperEngine
import SwiftASN1
import X509

/// A local certification authority, shaped like the App Store's.
///
/// It signs for a local App Store and for tests: a root and an intermediate on P-384 and leaves on P-256, with the
/// markers that a verifier requires, so that no check needs to be disabled. Its keys exist only in memory. Verifiers
/// must be given its ``root`` to trust it.
public struct LocalAuthority: Sendable {
    /// The default validity of its certificates: from 1970-01-02 to the end of 9999, so that simulated clocks may be
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

    /// The shape of its certificates; everything but the dates exists to test what a verifier refuses.
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
        /// The issuer that the leaf names, if not the intermediate.
        package var leafIssuerName: String?
        /// The OCSP responder address in leaf and intermediate.
        package var responder: String?

        package init() {}
    }

    /// Creates an authority with new keys.
    ///
    /// - Parameters:
    ///   - name: The common name of its root, from which the other names are made. Two authorities with one name share
    ///     nothing else.
    ///   - validity: When all its certificates are valid, both ends included, in whole seconds from the year 1 to 9999.
    ///   - ocspResponder: The HTTP address of the OCSP responder for its certificates; `nil` names none. The responses
    ///     are made by ``answer(ocspRequest:at:usableFor:status:)``.
    /// - Throws: Errors of the cryptographic library if it cannot write a certificate, such as for a date outside of
    ///   these years.
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

    /// Creates the intermediate under a root.
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

    /// Returns the authority with a new intermediate: the root stays, new signers use the new certificates, and items
    /// signed before remain valid.
    public func rotated() throws -> LocalAuthority { try rotated(shape: shape) }

    package func rotated(shape: Shape) throws -> LocalAuthority {
        try LocalAuthority(name: name, shape: shape, rootKey: rootKey, rootCertificate: rootCertificate, root: root)
    }

    /// Returns the authority with leaves of another shape under the same intermediate.
    package func shaped(_ shape: Shape) -> LocalAuthority {
        var authority = self
        authority.shape = shape
        return authority
    }

    /// Creates a signer with a new leaf certificate.
    ///
    /// - Returns: The signer. In the unlikely case that its certificate cannot be made, its
    ///   ``JWSSigner/sign(payload:)`` throws the reason.
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
