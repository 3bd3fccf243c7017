/// How complete and how recent the evidence about a customer is.
///
/// A failing backend never removes an entitlement. It only turns answers that depend on missing evidence, or on trust
/// that has expired, into ``EntitlementAnswer/unknown(_:_:)``.
public struct Freshness: Hashable, Sendable {
    /// When the App Store's whole history of the customer was last read, in UTC; `nil` if never.
    public var syncedAt: Instant?
    /// When the backend began to fail, in UTC; `nil` while it works.
    public var failingSince: Instant?
    /// How long access is trusted after the backend has begun to fail; `nil` means forever.
    package var maximumStaleness: Duration?

    /// Creates a state of freshness.
    package init(syncedAt: Instant? = nil, failingSince: Instant? = nil, maximumStaleness: Duration? = nil) {
        self.syncedAt = syncedAt
        self.failingSince = failingSince
        self.maximumStaleness = maximumStaleness
    }

    /// The instant from which missing evidence no longer proves a missing purchase, inclusive: the backend's first
    /// failure, or a later complete read.
    ///
    /// `nil` while the backend works.
    package var doubtedFrom: Instant? { failingSince.map { max($0, syncedAt ?? $0) } }

    /// The instant from which answers that give access are not trusted, inclusive; `nil` if they always are.
    package var trustEndsAt: Instant? {
        guard let doubtedFrom, let maximumStaleness else { return nil }
        return doubtedFrom.advanced(by: max(maximumStaleness, .zero))
    }

    /// Returns whether answers that give access are trusted at an instant.
    func isTrusting(at instant: Instant) -> Bool { trustEndsAt.map { instant < $0 } ?? true }

    /// Returns whether all answers follow from the evidence alone at an instant.
    func isComplete(at instant: Instant) -> Bool {
        syncedAt != nil && (doubtedFrom.map { instant < $0 } ?? true)
    }

    /// Returns an answer adjusted to the freshness of the evidence.
    ///
    /// Only two answers change: `never` if the evidence is incomplete, and `entitled` if it is not trusted any more.
    package func adjusted(_ answer: EntitlementAnswer, at instant: Instant) -> EntitlementAnswer {
        switch answer {
        case .never:
            if syncedAt == nil { return .unknown(.neverSynced) }
            return isComplete(at: instant) ? .never : .unknown(.backendFailed)
        case .entitled(_, let basis):
            return isTrusting(at: instant) ? answer : .unknown(.backendFailed, basis)
        // A grant is the vault's own record.
        case .granted, .pending, .lapsed, .unknown:
            return answer
        }
    }

    /// Why a product without evidence may have been bought, at an instant; `nil` if it was not.
    package func doubt(at instant: Instant) -> EntitlementAnswer.UnknownReason? {
        if case .unknown(let reason, _) = adjusted(.never, at: instant) { reason } else { nil }
    }

    /// Returns the first instant after `instant` at which the freshness changes.
    package func nextChange(after instant: Instant) -> Instant? {
        [doubtedFrom, trustEndsAt].compactMap { $0 }.filter { $0 > instant && $0 < .distantFuture }.min()
    }
}
