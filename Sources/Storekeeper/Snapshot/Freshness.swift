/// The completeness and the age of the evidence about a customer.
///
/// A failing backend never removes an entitlement. It only turns answers that depend on missing evidence, or on trust
/// that has expired, into ``EntitlementAnswer/unknown(_:_:)``.
public struct Freshness: Hashable, Sendable {
    /// The instant at which the customer's whole history was last read from the App Store, in UTC; `nil` if it was
    /// never read.
    public var syncedAt: Instant?
    /// The instant at which the backend began to fail, in UTC; `nil` while it works.
    public var failingSince: Instant?
    /// The time for which access is trusted after the backend has begun to fail; `nil` means forever.
    package var maximumStaleness: Duration?

    /// Creates a state of freshness.
    package init(syncedAt: Instant? = nil, failingSince: Instant? = nil, maximumStaleness: Duration? = nil) {
        self.syncedAt = syncedAt
        self.failingSince = failingSince
        self.maximumStaleness = maximumStaleness
    }

    /// The instant from which a product may have been bought although the store has no evidence of it.
    ///
    /// It is the instant of the backend's first failure, or of a later reading of the whole history; `nil` while the
    /// backend works.
    package var doubtedFrom: Instant? { failingSince.map { max($0, syncedAt ?? $0) } }

    /// The first instant at which answers that give access are not trusted; `nil` if they are always trusted.
    package var trustEndsAt: Instant? {
        guard let doubtedFrom, let maximumStaleness else { return nil }
        return doubtedFrom.advanced(by: max(maximumStaleness, .zero))
    }

    /// Returns whether answers that give access are trusted at an instant.
    func isTrusting(at instant: Instant) -> Bool { trustEndsAt.map { instant < $0 } ?? true }

    /// Returns whether the evidence is complete at an instant, so that a missing transaction means that nothing was
    /// bought.
    func isComplete(at instant: Instant) -> Bool {
        syncedAt != nil && (doubtedFrom.map { instant < $0 } ?? true)
    }

    /// Returns an answer adjusted to the freshness of the evidence.
    ///
    /// Only two kinds of answers become `unknown`: `never` if the evidence is incomplete, and `entitled` if access is
    /// not trusted any more.
    package func adjusted(_ answer: EntitlementAnswer, at instant: Instant) -> EntitlementAnswer {
        switch answer {
        case .never:
            if syncedAt == nil { return .unknown(.neverSynced) }
            return isComplete(at: instant) ? .never : .unknown(.backendFailed)
        case .entitled(_, let basis):
            return isTrusting(at: instant) ? answer : .unknown(.backendFailed, basis)
        case .paidApp:
            return isTrusting(at: instant) ? answer : .unknown(.backendFailed)
        // A grant is recorded by the vault itself, and does not depend on evidence of the App Store.
        case .granted, .pending, .lapsed, .unknown:
            return answer
        }
    }

    /// Returns the reason why a product without evidence may have been bought, at an instant; `nil` if the evidence
    /// proves that it was not bought.
    package func doubt(at instant: Instant) -> EntitlementAnswer.UnknownReason? {
        if case .unknown(let reason, _) = adjusted(.never, at: instant) { reason } else { nil }
    }

    /// Returns the first instant after `instant` at which the freshness changes.
    package func nextChange(after instant: Instant) -> Instant? {
        func later(_ change: Instant?) -> Instant? {
            change.flatMap { $0 > instant && $0 < .distantFuture ? $0 : nil }
        }
        var earliest = later(doubtedFrom)
        earliest.lower(to: later(trustEndsAt))
        return earliest
    }
}
