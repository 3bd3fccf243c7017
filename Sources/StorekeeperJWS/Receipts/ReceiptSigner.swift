import Crypto
import CryptoExtras
import FoundationEssentials
import StorekeeperEngine
import SwiftASN1
import X509

/// Signs app receipts as the App Store does: PKCS #7 with RSA and three certificates.
///
/// ``LocalAuthority/makeReceiptSigner()`` creates a signer. The signer's key is never exported.
public struct ReceiptSigner: Sendable {
    /// The form of a signed receipt, which tests change to check how a verifier handles other forms.
    package struct Form: Sendable {
        package enum Digest: Sendable { case sha1, sha256 }

        package var digest = Digest.sha256
        /// Whether attributes with the content's digest are signed instead of the content.
        package var hasSignedAttributes = false
        /// The digest in the signed attributes; `nil` means the digest of the content.
        package var messageDigest: [UInt8]?
        /// The number of times that the signed attributes contain the digest.
        package var digestCount = 1
        /// Whether the content is wrapped in a second octet string, as in receipts of Xcode.
        package var isNested = false
        /// The certificates in the receipt; `nil` means the signer's certificates.
        package var certificates: [[UInt8]]?
        /// The certificate from which the receipt copies the signer's name; `nil` means the signer's own certificate.
        package var signerName: [UInt8]?
        /// The number of signers.
        package var signers = 1

        package init() {}
    }

    private let key: _RSA.Signing.PrivateKey
    /// The certificates as DER: leaf, intermediate, root.
    package let certificates: [[UInt8]]

    init(key: _RSA.Signing.PrivateKey, certificates: [[UInt8]]) {
        self.key = key
        self.certificates = certificates
    }

    /// Signs the content of a receipt.
    ///
    /// - Parameter receipt: The content. It should have a type, a bundle id and a creation time, because verifiers
    ///   require these three values.
    /// - Returns: The receipt, as DER.
    /// - Throws: Errors of the cryptographic library, which do not occur in practice.
    public func sign(_ receipt: AppReceipt) throws -> [UInt8] {
        try sign(content: ReceiptEncoder.content(of: receipt))
    }

    /// Signs any bytes as the content of a receipt.
    package func sign(content: [UInt8], form: Form = Form()) throws -> [UInt8] {
        var content = content
        if form.isNested {
            let inner = content
            content = try ReceiptEncoder.der { $0.octets(inner) }
        }
        let algorithm: Certificate.SignatureAlgorithm =
            form.digest == .sha256 ? .sha256WithRSAEncryption : .sha1WithRSAEncryption
        let digest: [UInt8] =
            form.digest == .sha256
            ? Array(SHA256.hash(data: content)) : Array(Insecure.SHA1.hash(data: content))
        let attributes =
            form.hasSignedAttributes
            ? try ReceiptEncoder.signedAttributes(
                digests: Array(repeating: form.messageDigest ?? digest, count: form.digestCount)) : nil
        let signature = try Certificate.PrivateKey(key).sign(
            bytes: attributes ?? content, signatureAlgorithm: algorithm)
        return try ReceiptEncoder.envelope(
            content: content, certificates: form.certificates ?? certificates,
            signerName: form.signerName ?? certificates.first ?? [], usesSHA256: form.digest == .sha256,
            signedAttributes: attributes, signature: Array(signature.rawRepresentation), signers: form.signers)
    }
}

extension ReceiptSigner {
    /// Returns a signer with the same key and a certificate of another authority.
    package func certified(by authority: LocalAuthority) throws -> ReceiptSigner {
        try ReceiptSigner(key: key, authority)
    }

    fileprivate init(key: _RSA.Signing.PrivateKey, _ authority: LocalAuthority) throws {
        self.init(key: key, certificates: try authority.certificates(for: Certificate.PublicKey(key.publicKey)))
    }
}

extension LocalAuthority {
    /// Creates a signer of receipts with a new RSA key and certificate.
    ///
    /// - Throws: Errors of the cryptographic library if it cannot write the certificate.
    public func makeReceiptSigner() throws -> ReceiptSigner {
        try ReceiptSigner(key: _RSA.Signing.PrivateKey(keySize: .bits2048), self)
    }
}
