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

extension [PendingPurchase] {
    /// The same once some purchases have begun to wait and those of other products wait no longer: the one rule for what
    /// is known in memory and for what a vault keeps, so that the two never differ.
    ///
    /// A purchase whose time is over goes with the next change; until then it stays, as something that has waited.
    ///
    /// - Parameters:
    ///   - started: Purchases that begin to wait.
    ///   - settled: Products of which nothing waits any more.
    ///   - instant: When that was learned, in UTC.
    package func adding(
        _ started: [PendingPurchase], settling settled: Set<Product.ID>, at instant: Instant
    ) -> [PendingPurchase] {
        let replaced = settled.union(started.map(\.productID))
        guard !replaced.isEmpty else { return self }
        return filter { !replaced.contains($0.productID) && $0.endsAt > instant } + started
    }
}
