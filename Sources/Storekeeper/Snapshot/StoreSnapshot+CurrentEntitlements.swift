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
        guard knowledge.isTrusting(at: instant) else { return [] }
        var found: [TransactionKey: Transaction] = [:]
        for group in resolution.groups {
            for status in group.statuses(at: instant) where status.isEntitled {
                found[status.fact.key] = status.transaction
            }
        }
        for product in resolution.products {
            if product.type == .nonRenewable {
                guard let latest = product.timeline.latestPurchase(at: instant) else { continue }
                found[latest.key] = latest.transaction
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

extension Timeline<EntitlementAnswer> {
    /// The latest purchase among those that ever decide, as known at an instant and not revoked by then.
    fileprivate func latestPurchase(at instant: Instant) -> TransactionFact? {
        var latest: TransactionFact?
        for index in 0..<entries.count {
            let fact: TransactionFact
            switch entries[index].value {
            case .entitled(_, let basis), .lapsed(_, let basis): fact = basis.fact
            case .pending, .never, .unknown: continue
            }
            guard fact.purchasedAt <= instant, fact.revokedAt.map({ instant < $0 }) ?? true else { continue }
            if let known = latest, !PurchaseChain.isEarlierPurchase(known, fact) { continue }
            latest = fact
        }
        return latest
    }
}
