/// Resolves purchases that do not renew: each transaction stands for itself.
struct OneTimePurchases {
    let policy: EntitlementPolicy

    /// What one purchase gives over time.
    typealias Answers = Timeline<EntitlementAnswer>

    /// What the purchases of a non-consumable give: the product is the customer's until it is taken back.
    func nonConsumable(_ facts: some Sequence<TransactionFact>) -> [Answers] {
        NonConsumablePurchase.purchases(facts).map { purchase in
            answers(
                of: purchase.decider, boughtAt: purchase.boughtAt, accessEndsAt: .distantFuture, reason: .owned)
        }
    }

    /// What the purchases of a non-renewing product give.
    ///
    /// The App Store knows no end of them: the catalog does. Without a duration there the product is owned.
    func nonRenewing(_ facts: some Sequence<TransactionFact>, product: Product?) -> [Answers] {
        guard let duration = product?.accessDuration, duration.isValid else {
            return facts.map { answers(of: $0, accessEndsAt: .distantFuture, reason: .owned) }
        }
        var previousEnd = Instant.distantPast
        return facts.sorted(by: PurchaseChain.isEarlierPurchase).map { fact in
            let transaction = fact.transaction
            let isExtending = product?.stacking == .extend && isAllowed(transaction)
            let start = isExtending ? max(transaction.purchasedAt, previousEnd) : transaction.purchasedAt
            var end = duration.end(from: start, count: transaction.purchasedQuantity) ?? .distantFuture
            if let revokedAt = transaction.revokedAt { end = max(start, min(end, revokedAt)) }
            if isExtending { previousEnd = end }
            return answers(of: fact, startsAt: start, accessEndsAt: end, reason: .active)
        }
    }

    /// A purchase whose product type this version does not know gives nothing that we could name.
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
            answers.append(.lapsed(transaction.revocationLapse, basis.standing(.revoked)), from: revokedAt)
        }
        return answers
    }

    private func isAllowed(_ transaction: Transaction) -> Bool {
        policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }
}
