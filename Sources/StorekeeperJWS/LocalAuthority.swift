import Crypto
import FoundationEssentials
public import StorekeeperEngine
import SwiftASN1
import X509

/// A certification authority of one's own, shaped like the App Store's.
///
/// It signs for a local App Store and for tests: a root and an intermediate on P-384 and leaves on P-256,
/// with the marks that a verifier asks for, so that nothing in verification needs to be switched off. Its
/// keys exist only in memory. Whoever is to believe it must be given its ``root``.
public struct LocalAuthority: Sendable {
    /// When its certificates are valid unless said otherwise: from 1970-01-02 to the end of 9999, so that
    /// simulated clocks may run wherever they like.
    public static let defaultValidity =
        Instant(clamped: 86_400_000)...Instant(clamped: 253_402_300_799_000)

    /// The root certificate, to be trusted by verifiers.
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

    /// What its certificates look like; everything but the dates is for tests of what a verifier refuses.
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
        /// Where leaf and intermediate say that an OCSP responder is.
        package var responder: String?

        package init() {}
    }

    /// Makes an authority with new keys.
    ///
    /// - Parameters:
    ///   - name: The common name of its root, from which the other names are made. Two authorities of one
    ///     name have nothing else in common.
    ///   - validity: When all its certificates are valid, both ends included, in whole seconds from the year
    ///     1 to 9999.
    ///   - ocspResponder: The address at which somebody answers whether its certificates were revoked, over HTTP; `nil`
    ///     names none. The answers are made by ``answer(ocspRequest:at:usableFor:status:)``.
    /// - Throws: What the cryptographic library throws where it cannot write a certificate, such as for a
    ///   date outside of these years.
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

    /// Makes the intermediate under a root.
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

    /// An authority of keys and certificates that were made before.
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

    /// The same authority after its intermediate was replaced: the root stays, new signers stand under new
    /// certificates, and what was signed before is still good.
    public func rotated() throws -> LocalAuthority { try rotated(shape: shape) }

    package func rotated(shape: Shape) throws -> LocalAuthority {
        try LocalAuthority(name: name, shape: shape, rootKey: rootKey, rootCertificate: rootCertificate, root: root)
    }

    /// The same authority, with leaves of another shape under the same intermediate.
    package func shaped(_ shape: Shape) -> LocalAuthority {
        var authority = self
        authority.shape = shape
        return authority
    }

    /// Makes a signer with a new leaf certificate.
    ///
    /// - Returns: The signer. In the unlikely case that its certificate cannot be made, its
    ///   ``JWSSigner/sign(payload:)`` throws the reason.
    public func makeSigner() -> JWSSigner {
        let certificates = [intermediateDER, root.der]
        do {
            switch shape.leafCurve {
            case .p256:
                let key = P256.Signing.PrivateKey()
                let leaf = try leaf(for: Certificate.PublicKey(key.publicKey))
                return JWSSigner(key: .p256(key), certificates: [leaf] + certificates)
            case .p384:
                let key = P384.Signing.PrivateKey()
                let leaf = try leaf(for: Certificate.PublicKey(key.publicKey))
                return JWSSigner(key: .p384(key), certificates: [leaf] + certificates)
            }
        } catch {
            return JWSSigner(failure: error)
        }
    }

    private func leaf(for key: Certificate.PublicKey) throws -> [UInt8] {
        let certificate = try CertificateTemplate.leaf(
            name: name, key: key, issuerKey: intermediateKey, issuer: intermediateCertificate, shape: shape)
        return try CertificateTemplate.der(certificate)
    }
}
