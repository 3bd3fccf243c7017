extension StoreSnapshot {
    /// The transactions that entitle the customer at an instant, in the sense of StoreKit 2.
    ///
    /// The transaction of each non-consumable that is owned; the current one of each subscription that gives access,
    /// own or shared by the family; the latest of each non-renewing product ever bought, whether or not its time is
    /// over, because StoreKit knows no end of it. Never consumables, and nothing that was revoked or upgraded.
    /// ``isEntitled(_:at:)`` knows the end of a non-renewing product.
    ///
    /// - Returns: The transactions by product, then id. None where the evidence is no longer trusted.
    /// - SeeAlso: Apple, "StoreKit: Transaction.currentEntitlements".
    public func currentEntitlements(at instant: Instant) -> [Transaction] {
        guard freshness.isTrusting(at: instant) else { return [] }
        return resolution.currentEntitlements(at: instant)
    }
}
