/// A purchase that waits for approval.
///
/// After an approval, a transaction arrives, but a refusal is not reported. Therefore the time for which a purchase
/// waits for a guardian is limited. A purchase that waits for the customer's bank has no such limit by default, because
/// the bank may decide at any time.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult.pending".
public struct PendingPurchase: Hashable, Codable, Sendable {
    /// The product that the customer wants to buy.
    public let productID: Product.ID
    /// The approval that the purchase waits for.
    public let reason: EntitlementAnswer.PendingReason
    /// The start of the purchase, inclusive, in UTC.
    public let startedAt: Instant
    /// The instant, in UTC, from which the purchase counts as refused; ``Instant/distantFuture`` if the purchase can
    /// wait without limit.
    public let endsAt: Instant

    /// Creates a pending purchase.
    package init(productID: Product.ID, reason: EntitlementAnswer.PendingReason, startedAt: Instant, endsAt: Instant) {
        self.productID = productID
        self.reason = reason
        self.startedAt = startedAt
        self.endsAt = endsAt
    }
}

extension [PendingPurchase] {
    /// Returns the list with additional purchases that begin to wait, and without the purchases of products that no
    /// longer wait.
    ///
    /// A customer's state in memory and the vault both use this function, so that their two lists never differ.
    ///
    /// A purchase whose waiting has ended stays in the list until the next change removes it.
    ///
    /// - Parameters:
    ///   - started: The purchases that begin to wait.
    ///   - settled: The products whose purchases no longer wait.
    ///   - instant: The instant of this change, in UTC.
    package func adding(
        _ started: [PendingPurchase], settling settled: Set<Product.ID>, at instant: Instant
    ) -> [PendingPurchase] {
        let replaced = settled.union(started.map(\.productID))
        guard !replaced.isEmpty else { return self }
        return filter { !replaced.contains($0.productID) && $0.endsAt > instant } + started
    }
}
