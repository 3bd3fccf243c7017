import Storekeeper
import StorekeeperJWS

/// The result of verifying one item.
struct CheckedItem: Sendable {
    enum Content: Sendable {
        /// A compact JWS.
        ///
        /// For a verified notification, `parts` contains the signed parts inside it, beginning with the transaction.
        case signed(CheckedEvidence, parts: [CheckedEvidence])
        /// A decoded payload without a signature.
        case unsigned(JSONValue, EvidenceKind?)
        /// A receipt of the original StoreKit.
        case receipt(CheckedReceipt)
        /// A malformed item, with a message that tells what is wrong.
        case malformed(String)
    }

    let content: Content
    let file: String
    let line: Int
}

/// Verifies batches of items.
///
/// Several tasks may use a checker at the same time.
struct EvidenceChecker: Sendable {
    private let verifier: JWSVerifier
    private let receipts: ReceiptVerifier

    init(_ configuration: JWSVerifier.Configuration) {
        verifier = JWSVerifier(configuration)
        receipts = ReceiptVerifier(configuration)
    }

    /// Verifies the signed parts inside a notification, beginning with the transaction.
    func parts(of notification: ServerNotification) -> [CheckedEvidence] { verifier.contents(of: notification) }

    /// Verifies each item, and returns the results in the given order.
    func check(_ batch: EvidenceBatch) -> [CheckedItem] {
        // Thousands of items may share one JWS header of four kilobytes, which is then stored only once.
        var header: CompactJWS.HeaderSegment?
        return batch.items.map { sourced in
            CheckedItem(content: check(sourced.item, &header), file: sourced.file, line: sourced.item.line)
        }
    }

    private func check(_ item: EvidenceItem, _ header: inout CompactJWS.HeaderSegment?) -> CheckedItem.Content {
        switch item {
        case .jws(let text, _) where ReceiptVerifier.isReceipt(beginning: text): return .receipt(receipts.verify(text))
        case .jws(let text, _):
            // For a text that cannot be split, the verifier returns an error with the reason.
            let evidence = CompactJWS(text, after: &header).map(verifier.verify) ?? verifier.verify(bytes: text)
            guard case .notification(.verified(let notification)) = evidence else {
                return .signed(evidence, parts: [])
            }
            return .signed(evidence, parts: parts(of: notification))
        case .unsigned(let payload, _): return .unsigned(payload, EvidenceKind(payload: payload))
        case .receipt(let bytes, _): return .receipt(receipts.verify(bytes))
        case .malformed(let message, _): return .malformed(message)
        }
    }
}

extension CheckedEvidence {
    /// The kind of the evidence, if it is known.
    ///
    /// Evidence that failed verification also has a kind.
    var kind: EvidenceKind? {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .unreadable: unreadableDocument.flatMap { EvidenceKind(payload: $0.root) }
        }
    }

    /// The payload of verified evidence; `nil` if verification failed.
    var checkedPayload: [UInt8]? {
        guard error == nil else { return nil }
        return switch self {
        case .transaction(let result): result.unsafePayloadValue.source.payload
        case .renewalInfo(let result): result.unsafePayloadValue.source.payload
        case .appTransaction(let result): result.unsafePayloadValue.source.payload
        case .notification(let result): result.unsafePayloadValue.source.payload
        case .unreadable: nil
        }
    }
}
