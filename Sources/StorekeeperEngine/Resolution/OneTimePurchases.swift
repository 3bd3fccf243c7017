/// Computes the answers for purchases that do not renew: purchases of non-consumables, non-renewing products and
/// unknown types.
struct OneTimePurchases {
    let policy: EntitlementPolicy

    /// The answers of one purchase over time.
    typealias Answers = Timeline<EntitlementAnswer>

    /// Returns the answers of a non-consumable's purchases: the product is owned until the purchase is revoked.
    func nonConsumable(_ facts: some Sequence<TransactionFact>) -> [Answers] {
        NonConsumablePurchase.purchases(facts).map { purchase in
            answers(
                of: purchase.decider, boughtAt: purchase.boughtAt, accessEndsAt: .distantFuture, reason: .owned)
        }
    }

    /// Returns the answers of a non-renewing product's purchases.
    ///
    /// The App Store defines no end for these purchases, so their duration is taken from the catalog. If the catalog
    /// has no duration, the product is owned permanently.
    func nonRenewing(_ facts: some Sequence<TransactionFact>, product: Product?) -> [Answers] {
        guard let duration = product?.accessDuration, duration.isAccessDuration else {
            return facts.map { answers(of: $0, accessEndsAt: .distantFuture, reason: .owned) }
        }
        var previousEnd = Instant.distantPast
        return facts.sorted(by: PurchaseChain.isEarlierPurchase).map { fact in
            let transaction = fact.transaction
            let isExtending = product?.stacking == .extend && isAllowed(transaction)
            let start = isExtending ? max(transaction.purchasedAt, previousEnd) : transaction.purchasedAt
            var end = duration.accessEnd(from: start, count: transaction.purchasedQuantity) ?? .distantFuture
            if let revokedAt = transaction.revokedAt { end = max(start, min(end, revokedAt)) }
            if isExtending { previousEnd = end }
            return answers(of: fact, startsAt: start, accessEndsAt: end, reason: .active)
        }
    }

    /// Returns the purchases that can give access, the earliest first.
    func allowed(_ facts: some Sequence<TransactionFact>) -> [TransactionFact] {
        facts.filter { isAllowed($0.transaction) }.sorted(by: PurchaseChain.isEarlierPurchase)
    }

    /// Returns the answers of purchases whose product type is unknown to this version.
    func unknownType(_ facts: some Sequence<TransactionFact>) -> [Answers] {
        facts.map { fact in
            let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: .distantFuture, state: .subscribed)
            var answers = Answers(.never)
            answers.append(.unknown(.unverified, basis), from: fact.purchasedAt)
            return answers
        }
    }

    private func answers(
        of fact: TransactionFact, boughtAt: Instant? = nil, startsAt start: Instant? = nil, accessEndsAt end: Instant,
        reason: EntitlementAnswer.EntitledReason
    ) -> Answers {
        let transaction = fact.transaction
        let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: end, state: .subscribed)
        let boughtAt = boughtAt ?? transaction.purchasedAt
        let start = start ?? boughtAt
        let revokedAt = transaction.revokedAt.map { max($0, boughtAt) } ?? .distantFuture
        var answers = Answers(.never)
        if start < min(end, revokedAt) {
            answers.append(
                isAllowed(transaction) ? .entitled(reason, basis) : .unknown(.unverified, basis), from: start)
        }
        if max(start, end) < revokedAt {
            answers.append(.lapsed(.expired, basis.standing(.expired)), from: max(start, end))
        }
        if revokedAt < .distantFuture {
            answers.append(.lapsed(transaction.revocationLapse(), basis.standing(.revoked)), from: revokedAt)
        }
        return answers
    }

    private func isAllowed(_ transaction: Transaction) -> Bool {
        policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }
}
