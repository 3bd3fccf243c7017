import Crypto
public import StorekeeperEngine
import SwiftASN1
import X509

/// A root certificate that the owner of a verifier trusts.
///
/// For the App Store, the root is Apple's public "Apple Root CA - G3"; for a local App Store, it is the root of a
/// ``LocalAuthority``. The package has no built-in roots; the creator of a verifier chooses the roots that the verifier
/// trusts.
///
/// For StoreKit Testing in Xcode, the root is the certificate with which Xcode signs; see ``isXcodeCertificate``.
///
/// - SeeAlso: Apple, "Apple PKI".
public struct TrustedRoot: Sendable, Hashable {
    /// The certificate, as DER.
    public let der: [UInt8]
    /// Whether the certificate signs evidence itself and does not issue certificates, like the certificate of StoreKit
    /// Testing in Xcode.
    ///
    /// Such a certificate is self-signed, has a key on P-256, and may not issue certificates. A ``JWSVerifier`` trusts
    /// it only for evidence of the environment Xcode, and only if the verifier does not accept production.
    public let isXcodeCertificate: Bool

    /// Creates a root from DER.
    ///
    /// - Throws: ``TrustedRootError`` with `notACertificate` if the bytes are not exactly one X.509 certificate.
    public init(der: [UInt8]) throws(TrustedRootError) {
        guard let certificate = try? ChainCertificate(der, .root) else {
            throw TrustedRootError(
                .notACertificate, "the bytes are not one X.509 certificate: give the root as DER or PEM")
        }
        self.der = der
        isXcodeCertificate =
            certificate.keyOnP256 != nil && certificate.isSelfSigned
            && (try? certificate.checkMaySignCertificates(authoritiesBelow: 0)) == nil
    }

    /// Creates a root from PEM text with one certificate; text around the block is ignored.
    ///
    /// - Throws: ``TrustedRootError`` with `noCertificateBlock`, `severalCertificates`, `badBase64` or
    ///   `notACertificate`.
    public init(pem: String) throws(TrustedRootError) {
        let blocks = pem.split(separator: "-----BEGIN CERTIFICATE-----", omittingEmptySubsequences: false).dropFirst()
        guard let block = blocks.first else {
            throw TrustedRootError(
                .noCertificateBlock, "the text has no line BEGIN CERTIFICATE: give a certificate, not a key or request")
        }
        guard blocks.count == 1 else {
            throw TrustedRootError(
                .severalCertificates, "the text has \(blocks.count) certificates: give the root alone, one to a file")
        }
        let parts = block.split(separator: "-----END CERTIFICATE-----", omittingEmptySubsequences: false)
        guard parts.count == 2, let body = parts.first else {
            throw TrustedRootError(.noCertificateBlock, "the text has no line END CERTIFICATE: the file is cut short")
        }
        guard let der = StandardBase64.decode(body.utf8.filter { !$0.isBlank }) else {
            throw TrustedRootError(.badBase64, "the certificate block is not base64: the file is damaged")
        }
        try self.init(der: der)
    }

    /// Creates a root from a file's bytes, which are DER or PEM.
    ///
    /// - Throws: ``TrustedRootError``.
    public init(derOrPEM bytes: [UInt8]) throws(TrustedRootError) {
        let pasted = PastedContent(bytes)
        let bytes = pasted.kind == .certificate && pasted.items == 1 ? pasted.content : bytes
        // DER begins with 0x30, the tag of a sequence. PEM text does not normally begin with 0x30, the digit 0.
        if bytes.first == 0x30 {
            try self.init(der: bytes)
        } else if let text = String(validating: bytes, as: UTF8.self), text.contains("-----BEGIN ") {
            try self.init(pem: text)
        } else {
            try self.init(der: bytes)
        }
    }

    /// The SHA-256 digest of ``der``: upper-case hexadecimal pairs joined by colons, as other tools print it.
    public var sha256Fingerprint: String {
        let digits = Array("0123456789ABCDEF")
        return SHA256.hash(data: der)
            .map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }
            .joined(separator: ":")
    }

    /// The certificate as PEM text with lines of 64 characters, ending with a line break.
    public var pem: String { String(decoding: PEMText.text("CERTIFICATE", der), as: UTF8.self) }
}

/// The reason why a file cannot be a trusted root.
public struct TrustedRootError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not one X.509 certificate as DER.
        ///
        /// Remedy: Give an X.509 certificate in DER or PEM, such as Apple Root CA - G3.
        public static let notACertificate = Code(rawValue: "notACertificate")
        /// The PEM text has no complete certificate block.
        ///
        /// Remedy: Give the whole PEM file, from BEGIN CERTIFICATE to END CERTIFICATE.
        public static let noCertificateBlock = Code(rawValue: "noCertificateBlock")
        /// The PEM text has more than one certificate.
        ///
        /// Remedy: Give one certificate per file, and repeat `--root`.
        public static let severalCertificates = Code(rawValue: "severalCertificates")
        /// The certificate block of the PEM text is not base64.
        ///
        /// Remedy: Download the file again; it is damaged.
        public static let badBase64 = Code(rawValue: "badBase64")
    }

    /// The code of the error.
    public let code: Code
    /// A description of the error, with a remedy.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
