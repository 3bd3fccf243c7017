import Storekeeper

/// When a purchase of a non-renewing product gives access.
struct ReferenceAccess {
    var transaction: ReferenceFact
    var start: Instant
    /// Exclusive.
    var end: Instant
}

extension ReferenceModel {
    /// What the one-time purchases of a product say at an instant, and those of a type nobody knows.
    func verdictsOfOneTimePurchases(of productID: Product.ID, at instant: Instant) -> [ReferenceVerdict] {
        let purchases = transactions.filter {
            $0.productID == productID && $0.productType != .autoRenewable && $0.productType != .consumable
                && $0.purchasedAt <= instant
        }
        let accesses = purchases.isEmpty ? [] : accesses(to: productID)
        return purchases.map { transaction in
            var verdict = ReferenceVerdict(
                answer: "entitled", reason: "owned", transaction: transaction, state: "subscribed")
            if transaction.productType == .nonRenewable,
                let access = accesses.first(where: { $0.transaction === transaction })
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
            let isAllowed = policy.ownerships.contains(transaction.ownershipType)
            if !isKnownType || (verdict.answer == "entitled" && !isAllowed) {
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
            .sorted {
                $0.purchasedAt != $1.purchasedAt
                    ? $0.purchasedAt < $1.purchasedAt : Self.isGreater($1.id, $0.id)
            }
        var accesses: [ReferenceAccess] = []
        var previousEnd: Instant?
        for purchase in purchases {
            // What gives no access lets nobody wait.
            let isExtending = product.stacking == .extend && policy.ownerships.contains(purchase.ownershipType)
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
            if isExtending { previousEnd = end }
        }
        return accesses
    }
}
