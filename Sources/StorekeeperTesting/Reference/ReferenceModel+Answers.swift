public import Storekeeper

extension ReferenceModel {
    /// What a product is at an instant.
    ///
    /// Consumables are never entitled: `never`.
    public func answer(product productID: Product.ID, at instant: Instant) -> ReferenceAnswer {
        if unverifiedProductIDs.contains(productID), !transactions.contains(where: { $0.productID == productID }) {
            return ReferenceAnswer(answer: "unknown", reason: "unverified")
        }
        let oneTime = verdictsOfOneTimePurchases(of: productID, at: instant)
        let verdicts = chains.compactMap { verdict(of: $0, on: productID, at: instant) } + oneTime
        if let best = ReferenceVerdict.best(verdicts.filter { $0.answer == "entitled" }) { return best.reference }
        if let lapsed = latest(verdicts.filter { $0.answer == "lapsed" }) { return lapsed.reference }
        if let unknown = latest(verdicts.filter { $0.answer == "unknown" }) { return unknown.reference }
        return .never
    }

    /// Of several ways to have lapsed, that of the latest purchase; of non-consumables, of the latest revocation.
    private func latest(_ verdicts: [ReferenceVerdict]) -> ReferenceVerdict? {
        func date(_ verdict: ReferenceVerdict) -> Instant {
            let transaction = verdict.transaction
            return transaction.productType == .nonConsumable
                ? max(transaction.purchasedAt, transaction.revokedAt ?? .distantPast) : transaction.purchasedAt
        }
        let latest = verdicts.map(date).max()
        return ReferenceVerdict.best(verdicts.filter { date($0) == latest })
    }

    /// What a feature is at an instant: the best of its products; of equals, the first in the catalog's order.
    ///
    /// - Returns: `never` where the catalog has no such feature.
    public func feature(_ featureID: Feature.ID, at instant: Instant) -> ReferenceFeatureAnswer {
        let answers = (catalog.feature(featureID)?.productIDs ?? []).map { ($0, answer(product: $0, at: instant)) }
        for word in ["entitled", "pending", "unknown", "lapsed"] {
            if let (productID, answer) = answers.first(where: { $0.1.answer == word }) {
                return ReferenceFeatureAnswer(answer: answer.answer, reason: answer.reason, by: productID)
            }
        }
        return ReferenceFeatureAnswer(answer: "never", reason: "noPurchase")
    }
}
