/// The state of a product's purchase.
public enum PurchaseState: Sendable {
    /// The App Store or the customer has not decided yet.
    case inProgress
    /// The product was bought: the transaction is verified, stored, delivered unless the app's handler failed, and
    /// finished.
    case purchased(Transaction)
    /// Nothing new was bought: the App Store returned an earlier transaction.
    ///
    /// It was waiting to be finished, or the customer owns it already. It counts like any other evidence.
    case earlier(Transaction)
    /// The purchase waits for approval; the result arrives by itself, or never, until the instant, in UTC;
    /// ``Instant/distantFuture`` if there is no time limit.
    case pending(EntitlementAnswer.PendingReason, until: Instant)
    /// The customer cancelled the purchase.
    case cancelled
    /// The customer is not allowed to buy.
    case notAllowed(PurchaseError)
    /// The App Store refused, or could not be reached.
    case failed(PurchaseError)
    /// The returned transaction could not be verified, or differs from the order; nothing was finished.
    case failedVerification(PurchaseError)

    /// The transaction of a new purchase; `nil` in all other states.
    public var transaction: Transaction? {
        if case .purchased(let transaction) = self { transaction } else { nil }
    }
}
