/// A purchase that the app must deliver.
///
/// A delivery may be repeated after a crash or a failed delivery. The repeated delivery has the same ``id``, so that
/// the app can recognize it.
public struct Delivery: Hashable, Sendable, Identifiable {
    /// The identity of the purchase, unique among all apps and environments; use it as an idempotency key.
    public var id: TransactionKey { TransactionKey(fact.transaction) }
    /// The customer who owns the purchase.
    public let customer: CustomerID
    let fact: TransactionFact

    init(_ fact: TransactionFact, for customer: CustomerID) {
        self.fact = fact
        self.customer = customer
    }

    /// The newest copy of the transaction; a part of the purchase may have been refunded already.
    public var transaction: Transaction { fact.transaction }
}
