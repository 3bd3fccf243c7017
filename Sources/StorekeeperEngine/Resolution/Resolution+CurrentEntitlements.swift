extension Resolution {
    /// Returns the transactions that entitle at an instant, in the sense of StoreKit 2, by product, then id.
    ///
    /// The transaction of each non-consumable that is owned; the current one of each subscription that gives access;
    /// the latest of each non-renewing product ever bought, whether or not its time is over.
    package func currentEntitlements(at instant: Instant) -> [Transaction] {
        var found: [TransactionKey: Transaction] = [:]
        for group in groups {
            for status in group.statuses(at: instant) where status.isEntitled {
                found[status.fact.key] = status.transaction
            }
        }
        for product in products {
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
    /// Returns the latest deciding purchase, as known at an instant and not revoked by then.
    fileprivate func latestPurchase(at instant: Instant) -> TransactionFact? {
        var latest: TransactionFact?
        for index in 0..<entries.count {
            let fact: TransactionFact
            switch entries[index].value {
            case .entitled(_, let basis), .lapsed(_, let basis): fact = basis.fact
            case .granted, .pending, .never, .unknown: continue
            }
            guard fact.purchasedAt <= instant, fact.revokedAt.map({ instant < $0 }) ?? true else { continue }
            if let known = latest, !PurchaseChain.isEarlierPurchase(known, fact) { continue }
            latest = fact
        }
        return latest
    }
}
