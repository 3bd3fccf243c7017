/// A fact in a vault.
package struct StoredFact: Sendable {
    /// The position of the fact in the vault's feed.
    package let place: FeedPlace
    /// The owner of the fact's chain; `nil` while the chain has no owner.
    ///
    /// A renewal info, and the App Store's state of a subscription, belong to the owner of each chain with the same
    /// environment and original transaction.
    package let customer: CustomerID?
    /// When the vault learned the fact, in UTC.
    package let learnedAt: Instant
    /// The fact.
    package let fact: VerifiedFact

    /// Creates a stored fact.
    package init(place: FeedPlace, customer: CustomerID?, learnedAt: Instant, fact: VerifiedFact) {
        self.place = place
        self.customer = customer
        self.learnedAt = learnedAt
        self.fact = fact
    }
}

/// Evidence that is stored but does not count yet, because it has no owner, belongs to a customer for whom it was not
/// presented, or waits for its owner's next commit.
public struct ParkedFact: Sendable {
    /// Why the evidence is parked.
    public enum Reason: String, Hashable, Sendable {
        /// The evidence has no owner, or waits for its owner's next commit.
        case unclaimed
        /// The evidence was presented for one customer and belongs to another.
        case conflict
    }

    /// When the evidence was parked, in UTC.
    public let since: Instant
    /// The reason why the evidence is parked.
    public let reason: Reason
    /// The evidence.
    public let fact: VerifiedFact
    /// The customer for whom the evidence was presented first, although it belongs to another customer; `nil` if it was
    /// presented for nobody, or if this customer was erased.
    public let claimant: CustomerID?

    /// Creates a parked fact.
    package init(since: Instant, reason: Reason, fact: VerifiedFact, claimant: CustomerID? = nil) {
        self.since = since
        self.reason = reason
        self.fact = fact
        self.claimant = claimant
    }
}
