import StorekeeperEngine
import SwiftASN1
import X509

/// Reads receipts of the original StoreKit, and verifies app receipts offline.
///
/// The rules of ``JWSVerifier`` apply to all parts that receipts have in common with JWS evidence. The signer's
/// certificate must lead to a trusted root and, like the intermediate, have the App Store's marker extension. All
/// certificates must be valid at the receipt's creation time. Then the signature (RSA with SHA-1 or SHA-256), the app
/// and the environment are checked, in this order. The root of the App Store's receipts is "Apple Inc. Root
/// Certificate"; JWS evidence has another root. Revocation is not checked.
///
/// - SeeAlso: Apple, "Validating receipts on the device".
public struct ReceiptVerifier: Sendable {
    /// The maximum size of a receipt in bytes; a larger receipt is not read.
    public static let maximumSize = 8 << 20

    /// The roots that this verifier trusts, and the apps and environments that it accepts.
    public let configuration: JWSVerifier.Configuration

    /// Creates a verifier.
    public init(_ configuration: JWSVerifier.Configuration) { self.configuration = configuration }

    /// Reads a receipt and verifies it.
    ///
    /// - Parameters:
    ///   - bytes: The receipt: DER, base64, JSON of a response of `verifyReceipt`, or a transaction receipt.
    ///   - device: The identifier of the device that the receipt must be for: the 16 bytes of a vendor's UUID, or the 6
    ///     bytes of a Mac's network address; `nil` skips the check.
    public func verify(_ bytes: [UInt8], device: [UInt8]? = nil) -> CheckedReceipt {
        guard bytes.count <= Self.maximumSize else {
            return .unreadable("it has more than \(Self.maximumSize >> 20) MiB")
        }
        switch ReceiptText(recognizing: bytes) {
        case .app(let der): return verify(der: der, as: .app, device: device)
        case .answer(let answer):
            var checked = verify(answer, device: device)
            checked.renewals = answer.renewals
            checked.answeredAt = answer.answeredAt
            return checked
        case .transaction(let receipt):
            return CheckedReceipt(
                form: .transaction, receipt: receipt,
                error: VerificationError(
                    .unsupportedAlgorithm, "the signature of a transaction receipt cannot be verified"))
        case .malformed(let problem): return .unreadable(problem)
        }
    }

    private func verify(_ answer: ReceiptAnswer, device: [UInt8]?) -> CheckedReceipt {
        if let der = answer.appReceipt {
            let checked = verify(der: der, as: .answer, device: device)
            guard checked.receipt == nil, !answer.receipt.purchases.isEmpty else { return checked }
            // The app receipt cannot be read, for example because it is cut off, but the response itself names
            // transactions.
            return CheckedReceipt(form: .answer, receipt: answer.receipt, error: checked.error, hasSignature: true)
        }
        guard answer.receipt.purchases.isEmpty, answer.receipt.bundleID == nil else {
            return CheckedReceipt(
                form: .answer, receipt: answer.receipt,
                error: VerificationError(
                    .unsignedEvidence, "a response of verifyReceipt without latest_receipt has no signature"))
        }
        return CheckedReceipt(form: .answer, receipt: nil, error: answer.emptiness)
    }

    /// Returns whether bytes begin like an app receipt, which is PKCS #7 signed data as DER or base64.
    ///
    /// The first byte decides for a signed transaction, which begins with `eyJ`: a file contains millions of them.
    package static func isReceipt(beginning: [UInt8]) -> Bool {
        guard let first = beginning.first, first == 0x30 || first == UInt8(ascii: "M") else { return false }
        let start = Array(beginning.prefix(32))
        let head = first == 0x30 ? start : StandardBase64.decode(start) ?? []
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        return head.first == 0x30 && head.indices.contains { head[$0...].starts(with: signedData) }
    }

    private func verify(der: [UInt8], as form: CheckedReceipt.Form, device: [UInt8]?) -> CheckedReceipt {
        let envelope: ReceiptEnvelope
        let attributes: ReceiptAttributes
        let receipt: AppReceipt
        do throws(VerificationError) {
            envelope = try ReceiptEnvelope(der: der)
            attributes = try ReceiptAttributes(envelope.content)
            receipt = try AppReceipt(attributes)
        } catch {
            return CheckedReceipt(form: form, receipt: nil, error: error, hasSignature: true)
        }
        do throws(VerificationError) {
            try check(envelope, receipt)
            if let device { try check(device, attributes) }
            return CheckedReceipt(form: form, receipt: receipt, error: nil, hasSignature: true)
        } catch {
            return CheckedReceipt(form: form, receipt: receipt, error: error, hasSignature: true)
        }
    }

    /// Throws the first fault of a receipt, in the order in which ``JWSVerifier`` checks evidence.
    private func check(_ envelope: ReceiptEnvelope, _ receipt: AppReceipt) throws(VerificationError) {
        guard let createdAt = receipt.createdAt else {
            throw .malformedReceipt("it does not say when it was made")
        }
        guard let algorithm = envelope.algorithm else {
            throw VerificationError(.unsupportedAlgorithm, "the receipt is not signed with RSA and SHA-1 or SHA-256")
        }
        guard let signer = envelope.signerCertificate else {
            throw .untrusted("the receipt does not contain the certificate of its signer")
        }
        let chain = try ReceiptChain(signer: signer, others: envelope.certificates, configuration)
        guard chain.validity?.contains(createdAt) ?? false else {
            throw VerificationError(
                .certificateNotValidAtSigning, "a certificate was expired or not yet valid when the receipt was made")
        }
        guard envelope.isSigned(by: chain.key, algorithm) else {
            throw VerificationError(.invalidSignature, "the signature does not belong to this receipt")
        }
        if let expected = configuration.bundleID,
            !(receipt.bundleID ?? "").utf8.elementsEqual(expected.utf8)
        {
            throw .bundleMismatch("receipt", found: receipt.bundleID ?? "", expected: expected)
        }
        let accepted =
            chain.isOfXcode ? configuration.environments.intersection([.xcode]) : configuration.environments
        guard let environment = receipt.environment, accepted.contains(environment) else {
            throw VerificationError(
                .environmentRefused, "receipts of the type \(receipt.type ?? "") are not accepted")
        }
    }

    private func check(_ device: [UInt8], _ attributes: ReceiptAttributes) throws(VerificationError) {
        guard let hash = attributes.bytes(.deviceHash), let opaque = attributes.bytes(.opaqueValue),
            let bundle = attributes.bytes(.bundleID),
            DeviceVerification.receiptDigest(device: device, opaque: opaque, bundle: bundle) == Array(hash)
        else { throw VerificationError(.deviceMismatch, "the receipt was made for another device") }
    }
}

extension CheckedReceipt {
    fileprivate static func unreadable(_ problem: String) -> CheckedReceipt {
        CheckedReceipt(form: nil, receipt: nil, error: .malformedReceipt(problem))
    }
}

/// The certificates that lead from the signer of a receipt to a trusted root.
private struct ReceiptChain {
    /// The key of the signer.
    let key: Certificate.PublicKey
    /// The instants at which all certificates are valid; `nil` if the validity periods of the certificates do not
    /// overlap.
    let validity: ClosedRange<Instant>?
    /// Whether the signer's certificate is a certificate of Xcode that is among the verifier's roots.
    let isOfXcode: Bool

    /// Checks the certificates of a receipt.
    ///
    /// - Parameters:
    ///   - signer: The certificate of the signer, as DER.
    ///   - others: The certificates of the receipt, in any order; the receipt need not contain the root.
    /// - Throws: ``VerificationError`` with `untrustedChain`, or `missingMarker` if only a marker is missing.
    init(
        signer: [UInt8], others: [[UInt8]], _ configuration: JWSVerifier.Configuration
    ) throws(VerificationError) {
        let leaf = try ChainCertificate(signer, .leaf)
        key = leaf.content.publicKey
        if configuration.trustsXcodeCertificates, configuration.roots.contains(where: { $0.der == signer }) {
            validity = leaf.validity
            isOfXcode = true
            return
        }
        isOfXcode = false
        let roots = configuration.roots.filter { !$0.isXcodeCertificate }
        var found: TrustedIntermediate?
        for der in others where found == nil && der != signer {
            guard let candidate = try? ChainCertificate(der, .intermediate),
                candidate.content.subject == leaf.content.issuer
            else { continue }
            found = roots.lazy.compactMap { try? TrustedIntermediate(der, issuedBy: $0.der) }.first
        }
        guard let intermediate = found else {
            throw .untrusted("no certificate of the receipt leads from its signer to a trusted root")
        }
        try leaf.checkIsIssued(by: intermediate.subject, key: intermediate.publicKey)
        try leaf.checkForm()
        try leaf.checkIsEndEntity()
        try leaf.checkCriticalExtensions()
        guard leaf.isMarked(ChainCertificate.Marker.leaf) else {
            throw .unmarked(.leaf, ChainCertificate.Marker.leaf)
        }
        guard intermediate.isMarked else {
            throw .unmarked(.intermediate, ChainCertificate.Marker.intermediate)
        }
        validity = leaf.validity?.common(with: intermediate.validity)
    }
}
