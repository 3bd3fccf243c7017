import Storekeeper
import StorekeeperJWS

/// What verification says of one item.
struct CheckedItem: Sendable {
    enum Content: Sendable {
        /// A compact JWS; of a notification that was believed, what it holds, a transaction first.
        case signed(CheckedEvidence, parts: [CheckedEvidence])
        /// A decoded payload that nobody signed.
        case unsigned(JSONValue, EvidenceKind?)
        /// Nothing that could be verified.
        case malformed(String)
    }

    let content: Content
    let file: String
    let line: Int
}

/// Verifies batches of items; several cores may do so at once.
struct EvidenceChecker: Sendable {
    private let verifier: JWSVerifier

    init(_ configuration: JWSVerifier.Configuration) { verifier = JWSVerifier(configuration) }

    /// What verification says of the signed parts inside a notification, a transaction first.
    func parts(of notification: ServerNotification) -> [CheckedEvidence] { verifier.contents(of: notification) }

    /// What verification says of each item, in the order given.
    func check(_ batch: EvidenceBatch) -> [CheckedItem] {
        // Thousands of items share one header of four kilobytes; kept once, it costs its memory once.
        var header: CompactJWS.HeaderSegment?
        return batch.items.map { sourced in
            CheckedItem(content: check(sourced.item, &header), file: sourced.file, line: sourced.item.line)
        }
    }

    private func check(_ item: EvidenceItem, _ header: inout CompactJWS.HeaderSegment?) -> CheckedItem.Content {
        switch item {
        case .jws(let text, _):
            // What cannot be split the verifier has the words for.
            let evidence = CompactJWS(text, after: &header).map(verifier.verify) ?? verifier.verify(bytes: text)
            guard case .notification(.verified(let notification)) = evidence else {
                return .signed(evidence, parts: [])
            }
            return .signed(evidence, parts: parts(of: notification))
        case .unsigned(let payload, _): return .unsigned(payload, EvidenceKind(payload: payload))
        case .malformed(let message, _): return .malformed(message)
        }
    }
}

extension CheckedEvidence {
    /// Which kind it is, where that is known; also of what was not believed.
    var kind: EvidenceKind? {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .unreadable: unreadableDocument.flatMap { EvidenceKind(payload: $0.root) }
        }
    }

    /// The bytes of the payload of what was believed.
    var believedPayload: [UInt8]? {
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
