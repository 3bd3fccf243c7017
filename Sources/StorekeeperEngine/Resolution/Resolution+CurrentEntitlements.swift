extension Resolution {
    /// Returns the current entitlements at an instant, as StoreKit 2 defines them, sorted by product and then by id.
    ///
    /// The result contains the transaction of each owned non-consumable and the current transaction of each
    /// subscription that gives access. It also contains the latest unrevoked transaction of each non-renewing product,
    /// even if its access has ended.
    package func currentEntitlements(at instant: Instant) -> [Transaction] {
        var found: [TransactionKey: Transaction] = [:]
        for group in groups {
            for status in group.statuses(at: instant) where status.isEntitled {
                found[status.fact.key] = status.transaction
            }
        }
        for product in products {
            if product.type == .nonRenewable {
                let latest = product.nonRenewing.last { fact in
                    fact.purchasedAt <= instant && fact.revokedAt.map { instant < $0 } ?? true
                }
                if let latest { found[latest.key] = latest.transaction }
            } else if case .entitled(_, let basis) = product.timeline.value(at: instant) {
                found[basis.fact.key] = basis.transaction
            }
        }
        return found.values.sorted { left, right in
            if left.productID != right.productID { return left.productID < right.productID }
            if left.id != right.id { return left.id.precedesAsNumber(right.id) }
            return left.environment.rawValue < right.environment.rawValue
        }
    }
}
