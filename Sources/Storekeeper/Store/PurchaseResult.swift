/// The result of a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult".
public enum PurchaseResult: Sendable {
    /// The transaction of the purchase.
    ///
    /// A verified transaction is stored, delivered unless the app's handler failed, and finished. If the customer had
    /// an unfinished transaction, or owns the product already, the App Store returns that transaction, whose purchase
    /// date is before the call; it counts once. An unverified transaction, or one without a signature, is neither
    /// stored nor finished, and entitles to nothing.
    case success(VerificationResult<Transaction>)
    /// The purchase waits for approval; the transaction arrives by itself, or never, until the instant, in UTC;
    /// ``Instant/distantFuture`` if there is no time limit.
    case pending(EntitlementAnswer.PendingReason, until: Instant)
    /// The customer cancelled the purchase.
    case userCancelled
}
