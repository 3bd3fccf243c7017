/// A purchase that waits for somebody's approval.
///
/// Approval arrives as a transaction; a refusal never arrives, so a purchase that waits for a guardian ends by itself.
/// One that waits for the customer's bank may be resolved at any time.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult.pending".
public struct PendingPurchase: Hashable, Codable, Sendable {
    /// What is to be bought.
    public let productID: Product.ID
    /// What it waits for.
    public let reason: EntitlementAnswer.PendingReason
    /// When the purchase was begun, inclusive, in UTC.
    public let startedAt: Instant
    /// When it counts as refused, exclusive, in UTC; ``Instant/distantFuture``: never.
    public let endsAt: Instant

    /// Makes a pending purchase.
    package init(productID: Product.ID, reason: EntitlementAnswer.PendingReason, startedAt: Instant, endsAt: Instant) {
        self.productID = productID
        self.reason = reason
        self.startedAt = startedAt
        self.endsAt = endsAt
    }
}
