/// A purchase whose goods the app is to hand out.
///
/// The same one may come again: after a crash, or where handing out failed. ``id`` is then the same, so that the app
/// can tell.
public struct Delivery: Hashable, Sendable, Identifiable {
    /// What tells one purchase from another, in all apps and environments; for the app's own idempotency.
    public var id: TransactionKey { TransactionKey(fact.transaction) }
    /// Whose it is.
    public let customer: CustomerID
    let fact: TransactionFact

    init(_ fact: TransactionFact, for customer: CustomerID) {
        self.fact = fact
        self.customer = customer
    }

    /// The transaction, by its newest copy; a part of it may have been refunded already.
    public var transaction: Transaction { fact.transaction }
}
