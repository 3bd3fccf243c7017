/// A purchase that waits for approval.
///
/// Approval arrives as a transaction; a refusal never arrives, so a purchase that waits for a guardian ends by itself.
/// One that waits for the customer's bank may be resolved at any time.
///
/// - SeeAlso: Apple, "StoreKit: Product.PurchaseResult.pending".
public struct PendingPurchase: Hashable, Codable, Sendable {
    /// The product to be bought.
    public let productID: Product.ID
    /// The approval it waits for.
    public let reason: EntitlementAnswer.PendingReason
    /// The start of the purchase, inclusive, in UTC.
    public let startedAt: Instant
    /// The end of the waiting, exclusive, in UTC, when the purchase counts as refused; ``Instant/distantFuture``:
    /// never.
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
    /// Returns the list after some purchases have begun to wait and those of other products have stopped waiting: the
    /// one rule for memory and vaults, so that the two never differ.
    ///
    /// A purchase whose waiting has ended is removed by the next change; until then it stays as one that has waited.
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
