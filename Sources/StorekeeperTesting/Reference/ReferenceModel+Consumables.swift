public import Storekeeper

extension ReferenceModel {
    /// Returns every balance of the catalog and the evidence, sorted by id, with the purchases and refunds up to an
    /// instant.
    public func consumables(at instant: Instant) -> [ReferenceBalance] {
        var credited: [Balance.ID: Int128] = [:]
        var clawedBack: [Balance.ID: Int128] = [:]
        for product in catalog.products where product.type == .consumable || !product.grants.isEmpty {
            for id in grants(of: product.id).keys { credited[id] = 0 }
        }
        for transaction in transactions
        where transaction.productType == .consumable && !isConflicting(transaction.productID) {
            for (id, grant) in grants(of: transaction.productID) {
                credited[id, default: 0] += 0
                guard policy.ownerships.contains(transaction.ownershipType), transaction.purchasedAt <= instant
                else { continue }
                let amount = Int128(transaction.purchasedQuantity) * Int128(grant)
                credited[id, default: 0] += amount
                // The revocation reason 2, a move to a bundle, is not a refund.
                guard transaction.revocationReason != 2, let revokedAt = transaction.revokedAt,
                    max(revokedAt, transaction.purchasedAt) <= instant
                else { continue }
                clawedBack[id, default: 0] += Self.takenBack(by: transaction, grant: Int128(grant))
            }
        }
        return credited.keys.sorted().map { id in
            let (plus, minus) = (credited[id] ?? 0, clawedBack[id] ?? 0)
            return ReferenceBalance(
                id: id, credited: Int64(clamping: plus), clawedBack: Int64(clamping: minus),
                balance: Int64(clamping: plus - minus))
        }
    }

    /// Returns the number of units that a refund claws back.
    ///
    /// If the percentage is a rounded fraction of the purchased quantity, the refund is for a whole number of items.
    private static func takenBack(by transaction: ReferenceFact, grant: Int128) -> Int128 {
        let (share, quantity) = (
            Int128(transaction.revocationPercentage ?? 100_000), Int128(transaction.purchasedQuantity)
        )
        // For quantities of many thousands, two whole numbers may match the percentage. The nearer number is used, or
        // the smaller number if the numbers are equally near.
        let fitting = [share * quantity / 100_000, share * quantity / 100_000 + 1]
            .map { units in (units: units, distance: (share * quantity - 100_000 * units).magnitude) }
            .filter { $0.units <= quantity && 2 * $0.distance <= quantity.magnitude }
            .min { ($0.distance, $0.units) < ($1.distance, $1.units) }
        return fitting.map { $0.units * grant } ?? quantity * grant * share / 100_000
    }

    /// Returns the units that one unit of a product adds to each balance.
    private func grants(of productID: Product.ID) -> [Balance.ID: Int64] {
        guard let grants = catalog.product(productID)?.grants, !grants.isEmpty else {
            return [Balance.ID(productID.rawValue): 1]
        }
        return grants
    }
}
