import Storekeeper

/// When a purchase of a non-renewing product gives access.
struct ReferenceAccess {
    var transaction: Transaction
    var start: Instant
    /// Exclusive.
    var end: Instant
}

extension ReferenceModel {
    /// What the one-time purchases of a product say at an instant, and those of a type nobody knows.
    func verdictsOfOneTimePurchases(of productID: Product.ID, at instant: Instant) -> [ReferenceVerdict] {
        transactions.filter {
            $0.productID == productID && $0.productType != .autoRenewable && $0.productType != .consumable
                && $0.purchasedAt <= instant
        }
        .map { transaction in
            var verdict = ReferenceVerdict(
                answer: "entitled", reason: "owned", transaction: transaction, state: "subscribed")
            if transaction.productType == .nonRenewable,
                let access = accesses(to: productID).first(where: { $0.transaction.isSame(as: transaction) })
            {
                verdict.end = access.end
                verdict.reason = "active"
                if instant < access.start || instant >= access.end {
                    verdict.answer = "lapsed"
                    verdict.reason = "expired"
                    verdict.state = "expired"
                }
            }
            if let revokedAt = transaction.revokedAt, max(transaction.purchasedAt, revokedAt) <= instant {
                verdict.answer = "lapsed"
                verdict.reason = Self.reasonOfRevocation(transaction)
                verdict.state = "revoked"
            }
            let isKnownType = [.nonConsumable, .nonRenewable].contains(transaction.productType)
            if !isKnownType || !policy.ownerships.contains(transaction.ownershipType) {
                verdict.answer = "unknown"
                verdict.reason = "unverified"
            }
            return verdict
        }
    }

    /// When each purchase of a non-renewing product gives access; empty where the catalog gives no duration.
    func accesses(to productID: Product.ID) -> [ReferenceAccess] {
        guard let product = catalog.product(productID), let duration = product.accessDuration, duration.isValid
        else { return [] }
        let purchases =
            transactions
            .filter { $0.productID == productID && $0.productType == .nonRenewable }
            .filter { policy.ownerships.contains($0.ownershipType) }
            .sorted {
                $0.purchasedAt != $1.purchasedAt
                    ? $0.purchasedAt < $1.purchasedAt : Self.isGreater($1.id, $0.id)
            }
        var accesses: [ReferenceAccess] = []
        var previousEnd: Instant?
        for purchase in purchases {
            let isExtending = product.stacking == .extend
            let start = isExtending ? max(purchase.purchasedAt, previousEnd ?? .distantPast) : purchase.purchasedAt
            let count = isExtending ? purchase.purchasedQuantity : 1
            var end = duration.end(from: start, count: count) ?? start
            if let revokedAt = purchase.revokedAt {
                if revokedAt < start {
                    // Nothing is left of it, and those behind it do not wait for it.
                    accesses.append(ReferenceAccess(transaction: purchase, start: start, end: start))
                    continue
                }
                end = max(start, min(end, revokedAt))
            }
            accesses.append(ReferenceAccess(transaction: purchase, start: start, end: end))
            previousEnd = end
        }
        return accesses
    }
}

extension Transaction {
    /// Whether two copies are of one transaction.
    fileprivate func isSame(as other: Transaction) -> Bool {
        appBundleID == other.appBundleID && environment == other.environment && id == other.id
    }
}
