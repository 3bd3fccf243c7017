/// A fact in a vault.
public struct StoredFact: Sendable {
    /// The position of the fact in the vault's feed.
    public let place: FeedPlace
    /// The owner of its chain; `nil` while the chain has none.
    ///
    /// A renewal info belongs to the owners of all chains with its environment and original transaction.
    public let customer: CustomerID?
    /// When the vault learned it, in UTC.
    public let learnedAt: Instant
    /// The fact.
    public let fact: VerifiedFact

    /// Creates a stored fact.
    package init(place: FeedPlace, customer: CustomerID?, learnedAt: Instant, fact: VerifiedFact) {
        self.place = place
        self.customer = customer
        self.learnedAt = learnedAt
        self.fact = fact
    }
}

/// Evidence without an owner, or with a disputed one.
public struct ParkedFact: Sendable {
    /// Why the evidence is parked.
    public enum Reason: String, Hashable, Sendable {
        /// It names no customer, and its chain is unclaimed.
        case unclaimed
        /// It was presented for one customer and belongs to another.
        case conflict
    }

    /// When it was parked, in UTC.
    public let since: Instant
    /// Why it is parked.
    public let reason: Reason
    /// The evidence.
    public let fact: VerifiedFact

    /// Creates a parked fact.
    package init(since: Instant, reason: Reason, fact: VerifiedFact) {
        self.since = since
        self.reason = reason
        self.fact = fact
    }
}
