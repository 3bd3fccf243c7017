public import Storekeeper

extension ReferenceModel {
    /// Returns the answer about a product at an instant.
    ///
    /// The answer about a consumable is always `never`.
    public func answer(product productID: Product.ID, at instant: Instant) -> ReferenceAnswer {
        if isConflicting(productID) { return ReferenceAnswer(answer: "unknown", reason: "conflictingType") }
        let verdict = verdict(on: productID, at: instant)
        if let verdict, verdict.answer == "entitled" { return verdict.reference }
        if isGranted(productID, at: instant) { return ReferenceAnswer(answer: "entitled", reason: "granted") }
        if isUnverified(productID) { return ReferenceAnswer(answer: "unknown", reason: "unverified") }
        return verdict?.reference ?? .never
    }

    /// Returns whether a transaction contradicts the catalog's type of a product.
    func isConflicting(_ productID: Product.ID) -> Bool {
        guard let type = catalog.product(productID)?.type else { return false }
        // A transaction of a bundle or suite is that of an auto-renewable subscription.
        let isContainer = ["subscriptionBundle", "subscriptionSuite"].contains(type.word)
        return transactions.contains {
            $0.productID == productID && $0.productType != type
                && !(isContainer && $0.productType == .autoRenewable)
        }
    }

    private func isUnverified(_ productID: Product.ID) -> Bool {
        unverifiedProductIDs.contains(productID) && !transactions.contains { $0.productID == productID }
    }

    /// Returns the verdict that decides the answer about a product; `nil` if the product was never purchased.
    ///
    /// - Parameter paidPeriods: Whether periods with a free trial do not count.
    private func verdict(
        on productID: Product.ID, at instant: Instant, paidPeriods: Bool = false
    ) -> ReferenceVerdict? {
        let oneTime = verdictsOfOneTimePurchases(of: productID, at: instant)
        let verdicts =
            chains.compactMap {
                paidPeriods
                    ? paidVerdict(of: $0, on: productID, at: instant) : verdict(of: $0, on: productID, at: instant)
            } + oneTime
        if let best = ReferenceVerdict.best(verdicts.filter { $0.answer == "entitled" }) { return best }
        return latestUnknown(verdicts) ?? latest(verdicts.filter { $0.answer == "lapsed" })
    }

    /// Returns the verdict of the latest purchase among the verdicts with the answer `unknown`.
    ///
    /// The rules are the same as for `lapsed` verdicts, except that the states of chains are ignored, because it is
    /// unknown whether these chains give access.
    private func latestUnknown(_ verdicts: [ReferenceVerdict]) -> ReferenceVerdict? {
        latest(
            verdicts.filter { $0.answer == "unknown" }.map { verdict in
                var verdict = verdict
                verdict.state = ReferenceVerdict.states[0]
                return verdict
            })
    }

    /// Returns the verdict of the latest purchase.
    ///
    /// For a non-consumable that was revoked after the purchase, the date of the revocation is compared instead of the
    /// date of the purchase.
    private func latest(_ verdicts: [ReferenceVerdict]) -> ReferenceVerdict? {
        func date(_ verdict: ReferenceVerdict) -> Instant {
            let transaction = verdict.transaction
            return transaction.productType == .nonConsumable
                ? max(transaction.purchasedAt, transaction.revokedAt ?? .distantPast) : transaction.purchasedAt
        }
        let latest = verdicts.map(date).max()
        return ReferenceVerdict.best(verdicts.filter { date($0) == latest })
    }

    /// Returns the answer about a feature at an instant, which is the best answer of its products.
    ///
    /// If several products are entitled, unknown or lapsed, the same rules apply as for several purchases of one
    /// product. If these rules find no difference, the first product in the catalog decides.
    ///
    /// - Returns: `never` if the catalog does not contain the feature.
    public func feature(_ featureID: Feature.ID, at instant: Instant) -> ReferenceFeatureAnswer {
        guard let feature = catalog.feature(featureID) else {
            return ReferenceFeatureAnswer(answer: "never", reason: "noPurchase")
        }
        let products = feature.productIDs
        let verdicts = products.compactMap { id in
            isUnverified(id) || isConflicting(id)
                ? nil : verdict(on: id, at: instant, paidPeriods: feature.paidPeriods)
        }
        func answer(_ verdict: ReferenceVerdict) -> ReferenceFeatureAnswer {
            ReferenceFeatureAnswer(
                answer: verdict.answer, reason: verdict.reason, by: verdict.transaction.productID)
        }
        let best = ReferenceVerdict.best(verdicts.filter { $0.answer == "entitled" })
        if let paid = paidApp(feature, at: instant, besides: best) { return paid }
        if let best { return answer(best) }
        if let granted = grantedFeature(featureID, at: instant) { return granted }
        if let unknown = latestUnknown(verdicts) { return answer(unknown) }
        // Products without a deciding transaction are considered only after unknown products with a deciding
        // transaction.
        if let unknown = products.first(where: { isUnverified($0) || isConflicting($0) }) {
            return ReferenceFeatureAnswer(
                answer: "unknown", reason: isConflicting(unknown) ? "conflictingType" : "unverified", by: unknown)
        }
        if let lapsed = latest(verdicts.filter { $0.answer == "lapsed" }) { return answer(lapsed) }
        return ReferenceFeatureAnswer(answer: "never", reason: "noPurchase")
    }
}
