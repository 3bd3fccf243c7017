import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

/// The rules by which three certificates lead from an item to a trusted root.
///
/// Written out for this one shape of chain: no path is searched, nothing is fetched, and no part of the
/// answer depends on the time of day.
///
/// - SeeAlso: RFC 5280, section 6, "Certification Path Validation".
struct CertificateChain {
    /// What the App Store puts into the certificates that sign its data.
    ///
    /// Other certificates lead to the same root; without these marks any of them could sign purchases.
    enum Marker {
        static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
        static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    }

    private static let understoodExtensions: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, Marker.leaf, Marker.intermediate,
    ]

    /// The key that must have signed the item.
    let leafKey: P256.Signing.PublicKey
    /// When all three certificates are valid, both ends included; `nil` where they never are at once.
    let validity: ClosedRange<Instant>?

    /// Checks a chain.
    ///
    /// - Parameters:
    ///   - certificates: Leaf, intermediate and root, as DER.
    ///   - roots: The trusted roots; the last certificate must be one of them, byte for byte.
    /// - Throws: ``VerificationError`` with `untrustedChain`, or `missingMarker` where only that is wrong.
    init(_ certificates: [[UInt8]], roots: Set<TrustedRoot>) throws(VerificationError) {
        guard certificates.count == 3 else { throw Self.untrusted("there are not three certificates") }
        guard roots.contains(where: { $0.der == certificates[2] }) else {
            throw Self.untrusted("the third certificate is not a trusted root")
        }
        let leaf = try Self.certificate(certificates[0], "leaf")
        let intermediate = try Self.certificate(certificates[1], "intermediate")
        let root = try Self.certificate(certificates[2], "root")

        // The trusted key first: no work for a key that anybody may have put there.
        try Self.check(intermediate, "intermediate", isIssuedBy: root)
        try Self.check(leaf, "leaf", isIssuedBy: intermediate)
        for (certificate, name, der) in [
            (leaf, "leaf", certificates[0]), (intermediate, "intermediate", certificates[1]),
            (root, "root", certificates[2]),
        ] {
            try Self.checkForm(of: certificate, name, der: der)
        }
        try Self.checkMaySign(intermediate, "intermediate", authoritiesBelow: 0)
        try Self.checkMaySign(root, "root", authoritiesBelow: 1)
        try Self.checkIsEndEntity(leaf)
        for (certificate, name) in [(leaf, "leaf"), (intermediate, "intermediate"), (root, "root")] {
            for unknown in certificate.extensions where unknown.critical {
                guard Self.understoodExtensions.contains(unknown.oid) else {
                    throw Self.untrusted("the \(name) certificate has the critical extension \(unknown.oid)")
                }
            }
        }
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw Self.untrusted("the leaf certificate's key is not on the curve P-256")
        }
        leafKey = key

        guard leaf.extensions[oid: Marker.leaf] != nil else {
            throw VerificationError(.missingMarker, "the leaf certificate lacks the extension \(Marker.leaf)")
        }
        guard intermediate.extensions[oid: Marker.intermediate] != nil else {
            throw VerificationError(
                .missingMarker, "the intermediate certificate lacks the extension \(Marker.intermediate)")
        }
        validity = Self.commonValidity([leaf, intermediate, root])
    }

    private static func certificate(_ der: [UInt8], _ name: String) throws(VerificationError) -> Certificate {
        // The parser refuses bytes behind the certificate.
        guard let certificate = try? Certificate(derEncoded: der) else {
            throw untrusted("the \(name) certificate is not DER of an X.509 certificate")
        }
        return certificate
    }

    private static func check(
        _ certificate: Certificate, _ name: String, isIssuedBy issuer: Certificate
    ) throws(VerificationError) {
        guard certificate.issuer == issuer.subject else {
            throw untrusted("the \(name) certificate names another issuer than the next certificate")
        }
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            throw untrusted("the \(name) certificate was not signed by the next certificate")
        }
    }

    /// Checks what the parser lets pass although no certificate may be so.
    private static func checkForm(of certificate: Certificate, _ name: String, der: [UInt8]) throws(VerificationError) {
        guard let form = CertificateForm(der: der), form.namesOneSignatureAlgorithm else {
            throw untrusted("the \(name) certificate names another signature algorithm inside than outside")
        }
        guard certificate.version == .v3 || !form.hasExtensions else {
            throw untrusted("the \(name) certificate has extensions but is not of version 3")
        }
    }

    private static func checkMaySign(
        _ certificate: Certificate, _ name: String, authoritiesBelow: Int
    ) throws(VerificationError) {
        guard case .isCertificateAuthority(let pathLength)? = try? certificate.extensions.basicConstraints,
            pathLength.map({ $0 >= authoritiesBelow }) ?? true
        else { throw untrusted("the \(name) certificate may not sign the one before it (basic constraints)") }
        guard try keyUsage(of: certificate, name)?.keyCertSign ?? true else {
            throw untrusted("the \(name) certificate may not sign certificates (key usage)")
        }
    }

    private static func checkIsEndEntity(_ leaf: Certificate) throws(VerificationError) {
        let constraints: BasicConstraints?
        do { constraints = try leaf.extensions.basicConstraints } catch {
            throw untrusted("the leaf certificate's basic constraints cannot be read")
        }
        if case .isCertificateAuthority? = constraints {
            throw untrusted("the leaf certificate is a certification authority")
        }
        guard try keyUsage(of: leaf, "leaf")?.digitalSignature ?? true else {
            throw untrusted("the leaf certificate may not sign data (key usage)")
        }
    }

    private static func keyUsage(of certificate: Certificate, _ name: String) throws(VerificationError) -> KeyUsage? {
        do { return try certificate.extensions.keyUsage } catch {
            throw untrusted("the \(name) certificate's key usage cannot be read")
        }
    }

    private static func commonValidity(_ certificates: [Certificate]) -> ClosedRange<Instant>? {
        var (start, end) = (Instant.distantPast, Instant.distantFuture)
        for certificate in certificates {
            start = max(start, Instant(certificate.notValidBefore))
            end = min(end, Instant(certificate.notValidAfter))
        }
        return start <= end ? start...end : nil
    }

    private static func untrusted(_ message: String) -> VerificationError {
        VerificationError(.untrustedChain, message)
    }
}
