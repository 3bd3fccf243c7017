import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

/// A certificate at one of the three positions of a certificate chain, with the checks that these positions require.
///
/// - SeeAlso: RFC 5280, section 6, "Certification Path Validation".
struct ChainCertificate {
    /// The position of a certificate in its certificate chain.
    enum Place: String {
        case leaf, intermediate, root
    }

    /// The extensions that mark the App Store's signing certificates.
    ///
    /// Apple's root has also issued certificates for other purposes. Without a check of the markers, a certificate for
    /// another purpose could sign purchases.
    enum Marker {
        static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
        static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    }

    private static let understoodExtensions: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, Marker.leaf, Marker.intermediate,
    ]

    /// The position in the certificate chain.
    let place: Place
    /// The parsed certificate.
    let content: Certificate
    private let der: [UInt8]

    /// Reads a certificate.
    ///
    /// - Throws: ``VerificationError`` with `untrustedChain`.
    init(_ der: [UInt8], _ place: Place) throws(VerificationError) {
        // The parser refuses trailing bytes.
        guard let content = try? Certificate(derEncoded: der) else {
            throw VerificationError.untrusted("the \(place) certificate is not DER of an X.509 certificate")
        }
        (self.place, self.content, self.der) = (place, content, der)
    }

    /// The validity period, both ends included; `nil` if the period ends before it begins.
    var validity: ClosedRange<Instant>? {
        let (start, end) = (Instant(content.notValidBefore), Instant(content.notValidAfter))
        return start <= end ? start...end : nil
    }

    /// The public key, if it is on the curve P-256.
    var keyOnP256: P256.Signing.PublicKey? { P256.Signing.PublicKey(content.publicKey) }

    /// Whether the certificate's own key signed it.
    var isSelfSigned: Bool { (try? checkIsIssued(by: content.subject, key: content.publicKey)) != nil }

    /// Checks that the certificate names an issuer, and that the issuer's key signed the certificate.
    func checkIsIssued(by issuer: DistinguishedName, key: Certificate.PublicKey) throws(VerificationError) {
        guard content.issuer == issuer else {
            throw untrusted("names another issuer than the next certificate")
        }
        guard key.isValidSignature(content.signature, for: content) else {
            throw untrusted("was not signed by the next certificate")
        }
    }

    /// Checks the properties in ``CertificateForm``, which the parser does not check.
    func checkForm() throws(VerificationError) {
        guard let form = CertificateForm(der: der), form.namesOneSignatureAlgorithm else {
            throw untrusted("names another signature algorithm inside than outside")
        }
        guard form.signatureIsWholeBytes else { throw untrusted("has a signature that is not whole bytes") }
        guard content.version == .v3 || !form.hasExtensions else {
            throw untrusted("has extensions but is not of version 3")
        }
    }

    /// Checks that the certificate may sign other certificates.
    ///
    /// - Parameter authoritiesBelow: The number of authorities between this certificate and the leaf.
    func checkMaySignCertificates(authoritiesBelow: Int) throws(VerificationError) {
        guard case .isCertificateAuthority(let pathLength)? = try? content.extensions.basicConstraints,
            pathLength.map({ $0 >= authoritiesBelow }) ?? true
        else { throw untrusted("may not sign the one before it (basic constraints)") }
        guard try keyUsage()?.keyCertSign ?? true else {
            throw untrusted("may not sign certificates (key usage)")
        }
    }

    /// Checks that the certificate may sign data and is not a certification authority.
    func checkIsEndEntity() throws(VerificationError) {
        let constraints: BasicConstraints?
        do { constraints = try content.extensions.basicConstraints } catch {
            throw VerificationError.untrusted("the \(place) certificate's basic constraints cannot be read")
        }
        if case .isCertificateAuthority? = constraints { throw untrusted("is a certification authority") }
        guard try keyUsage()?.digitalSignature ?? true else { throw untrusted("may not sign data (key usage)") }
    }

    /// Checks that the verifier understands every critical extension.
    func checkCriticalExtensions() throws(VerificationError) {
        for field in content.extensions where field.critical && !Self.understoodExtensions.contains(field.oid) {
            throw untrusted("has the critical extension \(field.oid)")
        }
    }

    /// Returns whether the certificate has a marker extension of the App Store.
    func isMarked(_ marker: ASN1ObjectIdentifier) -> Bool { content.extensions[oid: marker] != nil }

    private func keyUsage() throws(VerificationError) -> KeyUsage? {
        do { return try content.extensions.keyUsage } catch {
            throw VerificationError.untrusted("the \(place) certificate's key usage cannot be read")
        }
    }

    private func untrusted(_ problem: String) -> VerificationError { .untrusted("the \(place) certificate \(problem)") }
}

extension VerificationError {
    /// Returns the error for certificates that do not lead to a trusted root.
    static func untrusted(_ message: String) -> VerificationError { VerificationError(.untrustedChain, message) }

    /// Returns the error for a certificate that lacks a marker extension of App Store signing certificates.
    static func unmarked(
        _ place: ChainCertificate.Place, _ marker: ASN1ObjectIdentifier
    ) -> VerificationError {
        VerificationError(.missingMarker, "the \(place) certificate lacks the extension \(marker)")
    }
}
