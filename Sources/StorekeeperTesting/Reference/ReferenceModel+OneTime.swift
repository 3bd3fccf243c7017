import Storekeeper

/// The span of time in which a non-renewing purchase gives access.
struct ReferenceAccess {
    var transaction: ReferenceFact
    var start: Instant
    /// The first instant after the access.
    var end: Instant
}

extension ReferenceModel {
    /// Returns the verdicts about a product's one-time purchases at an instant.
    ///
    /// One-time purchases are neither auto-renewable nor consumable.
    func verdictsOfOneTimePurchases(of productID: Product.ID, at instant: Instant) -> [ReferenceVerdict] {
        let purchases = transactions.filter {
            $0.productID == productID && $0.productType != .autoRenewable && $0.productType != .consumable
                && beginning(of: $0).map { $0 <= instant } ?? false
        }
        let accesses = purchases.isEmpty ? [] : accesses(to: productID)
        return purchases.map { transaction in
            let boughtAt = beginning(of: transaction) ?? transaction.purchasedAt
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
            if let revokedAt = transaction.revokedAt, max(boughtAt, revokedAt) <= instant {
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

    /// Returns the instant of the purchase that a transaction represents.
    ///
    /// All transactions of a non-consumable with the same original transaction are one purchase, which was made at the
    /// earliest purchase date of these transactions. One of the transactions represents the purchase.
    ///
    /// - Returns: The instant; `nil` if another transaction represents the purchase.
    private func beginning(of record: ReferenceFact) -> Instant? {
        guard record.productType == .nonConsumable else { return record.purchasedAt }
        let records = transactions.filter {
            $0.productType == .nonConsumable && $0.productID == record.productID
                && $0.originalID == record.originalID && $0.environment == record.environment
                && $0.appBundleID == record.appBundleID
        }
        // The original transaction represents the purchase. If the original transaction is missing, the newest-signed
        // transaction represents the purchase. If several transactions have this signing date, the revoked transaction
        // represents the purchase.
        let speaks: Bool
        if records.contains(where: { $0.id == $0.originalID }) {
            speaks = record.id == record.originalID
        } else {
            speaks = !records.contains { Self.prevails($0.transaction, over: record.transaction) }
        }
        return speaks ? records.map(\.purchasedAt).min() : nil
    }

    /// Returns the access of each purchase of a non-renewing product; empty if the catalog has no duration.
    func accesses(to productID: Product.ID) -> [ReferenceAccess] {
        guard let product = catalog.product(productID), let duration = product.accessDuration,
            duration.isAccessDuration
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
            // A purchase that gives no access does not delay the start of other purchases.
            let isExtending = product.stacking == .extend && policy.ownerships.contains(purchase.ownershipType)
            let start = isExtending ? max(purchase.purchasedAt, previousEnd ?? .distantPast) : purchase.purchasedAt
            var end = duration.accessEnd(from: start, count: purchase.purchasedQuantity) ?? start
            if let revokedAt = purchase.revokedAt {
                if revokedAt < start {
                    // A purchase that was revoked before its access starts does not delay the start of later purchases.
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
