import Storekeeper

extension GeneratedEvidence {
    /// Returns the evidence with app transactions, free trials, and conditions of the catalog's features.
    ///
    /// All copies of one transaction have the same offer.
    ///
    /// - Parameter random: The generator.
    public func withPaidApp(_ random: inout SplitMix64) -> GeneratedEvidence {
        var copy = self
        copy.catalog = Catalog(
            products: catalog.products, groups: catalog.groups,
            features: catalog.features.map { feature in
                var feature = feature
                feature.paidPeriods = random.chance(50)
                if random.chance(50) {
                    feature.originalVersionBefore = random.pick("2.0", "2", "1.10", "1.9.1", "0", "two")
                }
                if random.chance(40) { feature.originalPurchaseBefore = .month(random.number(in: 0...3)) }
                return feature
            })
        var trials: [Transaction.ID: Bool] = [:]
        for index in copy.transactions.indices where copy.transactions[index].type == .autoRenewable {
            let id = copy.transactions[index].id
            let isTrial = trials[id] ?? random.chance(35)
            trials[id] = isTrial
            guard isTrial else { continue }
            copy.transactions[index].offerType = .introductory
            copy.transactions[index].offerPaymentMode = .freeTrial
        }
        for _ in 0..<random.number(in: 0...3) {
            var draft = AppTransactionDraft(signedAt: .month(random.number(in: 0...4)))
            draft.environment = random.chance(80) ? .production : random.pick(.sandbox, .xcode, nil)
            draft.originalAppVersion = random.pick("1.0", "1.9", "1.10", "2.0.0", "2.0.1", "3", "beta", "1..2", nil)
            draft.originallyPurchasedAt = random.pick(nil, .month(0), .month(0), .month(1), .month(2), .month(3))
            if random.chance(25) { draft.revokedAt = .month(random.number(in: 0...5)) }
            draft.appTransactionID = random.pick("700", "700", "701", nil)
            copy.appTransactions.append(draft)
        }
        return copy
    }
}
