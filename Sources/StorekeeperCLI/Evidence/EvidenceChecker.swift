import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// What verification says of one item.
struct CheckedItem: Sendable {
    enum Content: Sendable {
        /// A compact JWS; of a notification that was believed, what it holds, a transaction first.
        case signed(VerifiedEvidence, parts: [VerifiedEvidence])
        /// A decoded payload that nobody signed.
        case unsigned(JSONValue, EvidenceKind?)
        /// Nothing that could be verified.
        case malformed(String)
    }

    let content: Content
    let file: String
    let line: Int
}

/// Verifies batches of items on all cores.
struct EvidenceChecker: Sendable {
    private let verifier: JWSVerifier

    init(_ configuration: JWSVerifier.Configuration) { verifier = JWSVerifier(configuration) }

    /// What verification says of the signed parts inside a notification, a transaction first.
    func parts(of notification: ServerNotification) -> [VerifiedEvidence] { verifier.contents(of: notification) }

    /// What verification says of each item, in the order given.
    func check(_ batch: [EvidenceItem], of files: [String]) async -> [CheckedItem] {
        let signed = await verify(batch)
        let parts = await verifyParts(of: signed.map { $0.flatMap(Self.believedNotification) })
        return batch.indices.map { position in
            let content: CheckedItem.Content
            switch batch[position] {
            case .jws(let text, _):
                // What could not be split; the verifier has the words for it.
                let evidence = signed[position] ?? verifier.verify(bytes: text)
                content = .signed(evidence, parts: parts[position])
            case .unsigned(let payload, _): content = .unsigned(payload, EvidenceKind(payload: payload))
            case .malformed(let message, _): content = .malformed(message)
            }
            return CheckedItem(content: content, file: files[position], line: batch[position].line)
        }
    }

    /// Verifies those items that are compact JWS.
    private func verify(_ batch: [EvidenceItem]) async -> [VerifiedEvidence?] {
        let items = batch.map { item -> CompactJWS? in
            if case .jws(let text, _) = item { CompactJWS(text) } else { nil }
        }
        var present: [CompactJWS] = []
        present.reserveCapacity(items.count)
        for case var jws? in items {
            // Thousands of items share one header of four kilobytes; kept once, it costs its memory once.
            if let last = present.last, last.header == jws.header { jws.header = last.header }
            present.append(jws)
        }
        var results = await verifier.verifyBatch(present)[...]
        return items.map { item -> VerifiedEvidence? in item == nil ? nil : results.popFirst() }
    }

    /// Verifies what notifications hold, on all cores.
    private func verifyParts(of notifications: [ServerNotification?]) async -> [[VerifiedEvidence]] {
        var parts = [[VerifiedEvidence]](repeating: [], count: notifications.count)
        let positions = notifications.indices.filter { notifications[$0] != nil }
        let share = (positions.count + Self.workers - 1) / Self.workers
        await withTaskGroup(of: [(Int, [VerifiedEvidence])].self) { group in
            for start in stride(from: 0, to: positions.count, by: max(1, share)) {
                let own = positions[start..<min(start + share, positions.count)]
                group.addTask { own.map { ($0, notifications[$0].map(verifier.contents(of:)) ?? []) } }
            }
            for await verified in group {
                for (position, contents) in verified { parts[position] = contents }
            }
        }
        return parts
    }

    private static let workers = max(1, ProcessInfo.processInfo.activeProcessorCount)

    private static func believedNotification(_ evidence: VerifiedEvidence) -> ServerNotification? {
        if case .notification(.verified(let notification)) = evidence { notification } else { nil }
    }
}

extension VerifiedEvidence {
    /// Which kind it is, where that is known; also of what was not believed.
    var kind: EvidenceKind? {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .unreadable(_, let payload): payload.flatMap { EvidenceKind(payload: $0.root) }
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
