extension StoreSnapshot {
    /// Returns the transactions that entitle the customer at an instant, as StoreKit 2 defines it.
    ///
    /// They are: the transaction of each owned non-consumable; the current transaction of each subscription that gives
    /// access, purchased or family-shared; and the latest transaction of each non-renewing product, even if its access
    /// has ended, because StoreKit does not know when it ends. Consumables and revoked or upgraded transactions are
    /// excluded. ``isEntitled(_:at:)`` does respect the end of a non-renewing product.
    ///
    /// - Returns: The transactions by product, then id. Empty if the evidence is not trusted any more.
    /// - SeeAlso: Apple, "StoreKit: Transaction.currentEntitlements".
    public func currentEntitlements(at instant: Instant) -> [Transaction] {
        guard freshness.isTrusting(at: instant) else { return [] }
        return resolution.currentEntitlements(at: instant)
    }
}
