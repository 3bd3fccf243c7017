public import FoundationEssentials

/// What a customer can own in a vault, and what two of them can quarrel about.
public enum BindingSubject: Hashable, Sendable {
    /// A chain of purchases.
    case chain(ChainID)
    /// The app's own name for a customer, as purchases carry it.
    case token(UUID)
}

/// Evidence presented for one customer that belongs to another.
///
/// Nothing is ever moved from one customer to another; it is for the app to settle.
public struct BindingConflict: Hashable, Sendable {
    /// The chain of the evidence.
    public let originalTransactionID: Transaction.ID
    /// What belongs to another: the chain, or the token that it carries.
    package let subject: BindingSubject
    /// Whose it is.
    public let holder: CustomerID
    /// For whom it was presented.
    public let claimant: CustomerID
    /// How often anybody but the holder has presented it, this time included.
    ///
    /// A number that grows is a subscription that wanders between customers.
    public let attempts: Int

    /// Makes a conflict.
    package init(
        originalTransactionID: Transaction.ID, subject: BindingSubject, holder: CustomerID, claimant: CustomerID,
        attempts: Int
    ) {
        self.originalTransactionID = originalTransactionID
        self.subject = subject
        self.holder = holder
        self.claimant = claimant
        self.attempts = attempts
    }
}

/// A chain or token and the customer it belongs to.
public struct Binding: Hashable, Sendable {
    /// Where it stands in the vault's feed.
    package let place: FeedPlace
    /// What is owned.
    public let subject: BindingSubject
    /// Whose it is.
    public let customer: CustomerID
    /// Since when, in UTC.
    public let at: Instant

    /// Makes a binding.
    package init(place: FeedPlace, subject: BindingSubject, customer: CustomerID, at: Instant) {
        self.place = place
        self.subject = subject
        self.customer = customer
        self.at = at
    }
}
