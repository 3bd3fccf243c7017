/// The result of a purchase.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult".
public enum PurchaseResult: Sendable {
    /// The transaction of the purchase.
    ///
    /// A verified transaction is stored, delivered and finished; if the app's handler failed, delivery and finish are
    /// retried. If the customer has an unfinished transaction of the product, or owns the product already, the App
    /// Store returns that earlier transaction instead of a new one. The earlier transaction has a purchase date before
    /// the call, and still counts only once. An unverified transaction, or a transaction without a signature, is
    /// neither stored nor finished, and gives no access.
    case success(VerificationResult<Transaction>)
    /// The purchase waits for approval, and counts as refused from the given instant on, in UTC.
    ///
    /// If it is approved, its transaction arrives later without another call. The instant is ``Instant/distantFuture``
    /// if the purchase may wait forever.
    case pending(EntitlementAnswer.PendingReason, until: Instant)
    /// The customer cancelled the purchase.
    case userCancelled
}
