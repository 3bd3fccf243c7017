import Crypto
import FoundationEssentials
import StorekeeperEngine
import SwiftASN1
import X509

/// The PKCS #7 container of an app receipt, read but not yet verified.
///
/// The App Store writes DER. Xcode writes BER, with indefinite lengths and the content in parts. The parser limits the
/// depth of nested values in both forms.
///
/// - SeeAlso: RFC 5652, "Cryptographic Message Syntax (CMS)", section 5, "Signed-data Content Type".
struct ReceiptEnvelope {
    /// The maximum number of certificates in a receipt; a receipt of the App Store has three.
    static let maximumCertificates = 8

    enum Identifier {
        static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]
        static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
        static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 3]
        static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 4]
        static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
        static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
        static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
        static let rsaWithSHA1: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 5]
        static let rsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 11]
    }

    /// The signed content.
    let content: ArraySlice<UInt8>
    /// The certificates as DER, not yet parsed.
    let certificates: [[UInt8]]
    /// The issuer and the serial number of the signer's certificate, each as DER.
    private let signerName: (issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>)
    private let digestAlgorithm: ASN1ObjectIdentifier
    private let signatureAlgorithm: ASN1ObjectIdentifier
    /// The attributes that are signed instead of the content; `nil` if the content itself is signed.
    private let signedAttributes: ASN1Node?
    private let signature: ArraySlice<UInt8>

    /// Reads a container.
    ///
    /// - Throws: ``VerificationError`` with `malformed`.
    init(der: [UInt8]) throws(VerificationError) {
        guard let root = try? BER.parse(der) else { throw .malformedReceipt("it is neither DER nor BER") }
        guard let outer = root.parts(.sequence), outer.count == 2,
            outer[0].objectIdentifier == Identifier.signedData,
            let wrapped = outer[1].parts(.numbered(0)), wrapped.count == 1,
            let parts = wrapped[0].parts(.sequence), parts.count >= 4, parts[0].integer != nil,
            parts[1].identifier == .set
        else { throw .malformedReceipt("it is not signed data (PKCS #7)") }
        guard let encapsulated = parts[2].parts(.sequence), encapsulated.count == 2,
            encapsulated[0].objectIdentifier == Identifier.data,
            let explicit = encapsulated[1].parts(.numbered(0)), explicit.count == 1,
            let content = explicit[0].octets
        else { throw .malformedReceipt("it contains no content") }
        self.content = content
        var certificates: [[UInt8]] = []
        for part in parts.dropFirst(3).dropLast() {
            guard let list = part.parts(.numbered(0)) else { continue }
            certificates += list.map { Array($0.encodedBytes) }
        }
        guard certificates.count <= Self.maximumCertificates else {
            throw .malformedReceipt("it contains more than \(Self.maximumCertificates) certificates")
        }
        self.certificates = certificates
        guard let signers = parts.last?.parts(.set), signers.count == 1, let signer = signers[0].parts(.sequence) else {
            throw .malformedReceipt("it does not have exactly one signer")
        }
        var rest = signer[...]
        guard rest.popFirst()?.integer == 1, let name = rest.popFirst()?.parts(.sequence), name.count == 2,
            let digestAlgorithm = rest.popFirst()?.parts(.sequence)?.first?.objectIdentifier
        else { throw .malformedReceipt("its signer is not named by issuer and serial number") }
        signerName = (name[0].encodedBytes, name[1].encodedBytes)
        self.digestAlgorithm = digestAlgorithm
        if rest.first?.identifier == .numbered(0) {
            signedAttributes = rest.popFirst()
        } else {
            signedAttributes = nil
        }
        guard let signatureAlgorithm = rest.popFirst()?.parts(.sequence)?.first?.objectIdentifier,
            let signature = rest.popFirst()?.bytes(.octetString)
        else { throw .malformedReceipt("it has no signature") }
        self.signatureAlgorithm = signatureAlgorithm
        self.signature = signature
    }

    /// The algorithm of the signature: RSA with SHA-1 or SHA-256; `nil` for any other algorithm.
    var algorithm: Certificate.SignatureAlgorithm? {
        switch (digestAlgorithm, signatureAlgorithm) {
        case (Identifier.sha1, Identifier.rsa), (Identifier.sha1, Identifier.rsaWithSHA1): .sha1WithRSAEncryption
        case (Identifier.sha256, Identifier.rsa), (Identifier.sha256, Identifier.rsaWithSHA256):
            .sha256WithRSAEncryption
        default: nil
        }
    }

    /// The certificate that the signer's name identifies, if the receipt contains it.
    var signerCertificate: [UInt8]? {
        certificates.first { der in
            guard let name = CertificateForm(der: der) else { return false }
            return name.issuer == signerName.issuer && name.serialNumber == signerName.serialNumber
        }
    }

    /// Returns whether a key signed the content.
    func isSigned(by key: Certificate.PublicKey, _ algorithm: Certificate.SignatureAlgorithm) -> Bool {
        guard let attributes = signedAttributes else {
            return key.isValidSignature(signature, for: content, signatureAlgorithm: algorithm)
        }
        let digest: [UInt8] =
            algorithm == .sha256WithRSAEncryption
            ? Array(SHA256.hash(data: content)) : Array(Insecure.SHA1.hash(data: content))
        guard value(of: Identifier.messageDigest, in: attributes)?.bytes(.octetString).map({ Array($0) }) == digest,
            value(of: Identifier.contentType, in: attributes)?.objectIdentifier == Identifier.data
        else { return false }
        // The attributes are signed with the tag of a set, although they have another tag in the container.
        let signed: [UInt8] = [0x31] + attributes.encodedBytes.dropFirst()
        return key.isValidSignature(signature, for: signed, signatureAlgorithm: algorithm)
    }

    /// Returns the value of a signed attribute; `nil` unless the attribute occurs once and has one value.
    private func value(of identifier: ASN1ObjectIdentifier, in attributes: ASN1Node) -> ASN1Node? {
        let found = (attributes.parts(.numbered(0)) ?? []).compactMap { $0.parts(.sequence) }
            .filter { $0.first?.objectIdentifier == identifier }
        guard found.count == 1, found[0].count == 2, let values = found[0][1].parts(.set), values.count == 1 else {
            return nil
        }
        return values[0]
    }
}
