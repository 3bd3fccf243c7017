/// A fact as a vault holds it.
public struct StoredFact: Sendable {
    /// Where it stands in the vault's feed.
    public let place: FeedPlace
    /// The customer whose chain it belongs to; `nil` while its chain is nobody's.
    ///
    /// A renewal info belongs to whoever has a chain of its environment and original transaction.
    public let customer: CustomerID?
    /// When the vault learned it, in UTC.
    public let learnedAt: Instant
    /// The fact.
    public let fact: VerifiedFact

    /// Makes a stored fact.
    package init(place: FeedPlace, customer: CustomerID?, learnedAt: Instant, fact: VerifiedFact) {
        self.place = place
        self.customer = customer
        self.learnedAt = learnedAt
        self.fact = fact
    }
}

/// Evidence that belongs to nobody yet, or whose customer is disputed.
public struct ParkedFact: Sendable {
    /// Why it waits.
    public enum Reason: String, Hashable, Sendable {
        /// It names no customer, and nobody has claimed its chain.
        case unclaimed
        /// It was presented for one customer and belongs to another.
        case conflict
    }

    /// Since when it waits, in UTC.
    public let since: Instant
    /// Why.
    public let reason: Reason
    /// What waits.
    public let fact: VerifiedFact

    /// Makes a parked fact.
    package init(since: Instant, reason: Reason, fact: VerifiedFact) {
        self.since = since
        self.reason = reason
        self.fact = fact
    }
}
