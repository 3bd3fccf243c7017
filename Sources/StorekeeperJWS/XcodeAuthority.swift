import Crypto
import FoundationEssentials
package import StorekeeperEngine
import SwiftASN1
import X509

/// Signs as StoreKit Testing in Xcode does: with the key of a self-signed certificate, which is the only certificate in
/// `x5c`.
///
/// Tests use this authority to check how a verifier handles evidence of Xcode. Its key exists only in memory.
package struct XcodeAuthority: Sendable {
    /// The certificate, for verifiers to trust.
    package let certificate: TrustedRoot
    private let signer: JWSSigner

    /// Creates an authority with a new key.
    ///
    /// - Parameters:
    ///   - validity: The period in which the certificate is valid, both ends included.
    ///   - mayIssueCertificates: Whether the certificate may issue certificates; Xcode's real certificate may not.
    package init(
        validity: ClosedRange<Instant> = LocalAuthority.defaultValidity, mayIssueCertificates: Bool = false
    ) throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            CommonName(Self.name)
            OrganizationName(Self.name)
        }
        // Xcode's certificate claims to be an authority, but lacks the key usage that an authority needs.
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            SubjectAlternativeNames([.rfc822Name(Self.name)])
            Critical(mayIssueCertificates ? KeyUsage(keyCertSign: true) : KeyUsage(digitalSignature: true))
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: validity.lowerBound.date, notValidAfter: validity.upperBound.date, issuer: name,
            subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(key))
        self.certificate = try TrustedRoot(der: CertificateTemplate.der(certificate))
        signer = JWSSigner(key: .p256(key), certificates: [self.certificate.der])
    }

    /// Signs a payload.
    ///
    /// - Parameter escapesSlashes: Whether the header's JSON has escaped slashes, as some writers of JSON do.
    package func sign(payload: [UInt8], escapesSlashes: Bool = false) throws -> String {
        let header = Self.header(certificates: [certificate.der])
        return try signer.sign(
            header: escapesSlashes ? header.replacing("/", with: #"\/"#) : header, payload: payload)
    }

    /// Signs a payload with a header that contains other certificates.
    package func sign(payload: [UInt8], certificates: [[UInt8]]) throws -> String {
        try signer.sign(header: Self.header(certificates: certificates), payload: payload)
    }

    private static func header(certificates: [[UInt8]]) -> String {
        let x5c = certificates.map { "\"\(StandardBase64.encode($0))\"" }.joined(separator: ",")
        return #"{"alg":"ES256","kid":"Apple_Xcode_Key","typ":"JWT","x5c":[\#(x5c)]}"#
    }

    private static let name = "StoreKit Testing in Xcode"
}
