/// A purchase that waits for somebody's approval.
///
/// The App Store signs nothing about it: whoever started the purchase knows of it. It gives no access, and says
/// nothing where the customer has access anyway.
public struct PendingPurchase: Hashable, Sendable {
    /// The product.
    public let productID: Product.ID
    /// What it waits for.
    public let reason: EntitlementAnswer.PendingReason
    /// From when on it waits, inclusive.
    public let startedAt: Instant
    /// Until when it waits at the longest, exclusive; ``Instant/distantFuture`` where nobody knows an end.
    public let endsAt: Instant

    /// Makes a pending purchase.
    ///
    /// - Parameters:
    ///   - productID: The product. A purchase of a consumable shows in no answer.
    ///   - reason: What it waits for.
    ///   - startedAt: From when on it waits, inclusive.
    ///   - endsAt: Until when, exclusive; one that ends no later than it starts shows in no answer.
    public init(
        productID: Product.ID, reason: EntitlementAnswer.PendingReason, startedAt: Instant, endsAt: Instant
    ) {
        self.productID = productID
        self.reason = reason
        self.startedAt = startedAt
        self.endsAt = endsAt
    }
}
