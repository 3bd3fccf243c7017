/// How complete and how fresh the evidence about a customer is.
///
/// What a backend failed to say takes nothing away: it only makes what rests on silence, or on trust that has run
/// out, ``EntitlementAnswer/unknown(_:_:)``.
public struct Freshness: Hashable, Sendable {
    /// When the App Store's whole history of the customer was last read, in UTC; `nil`: never.
    public var syncedAt: Instant?
    /// Since when the backend has failed, in UTC; `nil` while it answers.
    public var failingSince: Instant?
    /// For how long access is trusted after the App Store has stopped answering; `nil`: for ever.
    package var maximumStaleness: Duration?

    /// Makes a state of freshness.
    package init(syncedAt: Instant? = nil, failingSince: Instant? = nil, maximumStaleness: Duration? = nil) {
        self.syncedAt = syncedAt
        self.failingSince = failingSince
        self.maximumStaleness = maximumStaleness
    }

    /// From when on silence says nothing any more, inclusive: the backend's first failure, or a later success.
    ///
    /// `nil` while it answers.
    package var doubtedFrom: Instant? { failingSince.map { max($0, syncedAt ?? $0) } }

    /// From when on answers that give access are no longer trusted, inclusive; `nil` where they are for ever.
    package var trustEndsAt: Instant? {
        guard let doubtedFrom, let maximumStaleness else { return nil }
        return doubtedFrom.advanced(by: max(maximumStaleness, .zero))
    }

    /// Whether answers that give access are trusted at an instant.
    func isTrusting(at instant: Instant) -> Bool { trustEndsAt.map { instant < $0 } ?? true }

    /// Whether every answer stays as the evidence gives it at an instant.
    func isComplete(at instant: Instant) -> Bool {
        syncedAt != nil && (doubtedFrom.map { instant < $0 } ?? true)
    }

    /// What an answer that follows from the evidence is worth.
    ///
    /// Only two answers change: `never` where the evidence is not complete, and `entitled` where it is no longer
    /// trusted.
    package func judged(_ answer: EntitlementAnswer, at instant: Instant) -> EntitlementAnswer {
        switch answer {
        case .never:
            if syncedAt == nil { return .unknown(.neverSynced) }
            return isComplete(at: instant) ? .never : .unknown(.backendFailed)
        case .entitled(_, let basis):
            return isTrusting(at: instant) ? answer : .unknown(.backendFailed, basis)
        case .pending, .lapsed, .unknown:
            return answer
        }
    }

    /// The first instant after another at which the worth of answers changes.
    package func nextChange(after instant: Instant) -> Instant? {
        [doubtedFrom, trustEndsAt].compactMap { $0 }.filter { $0 > instant && $0 < .distantFuture }.min()
    }
}
