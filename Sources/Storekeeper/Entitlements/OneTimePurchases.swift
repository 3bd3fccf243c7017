/// Resolves purchases that do not renew: each transaction stands for itself.
struct OneTimePurchases {
    let policy: EntitlementPolicy

    typealias Piece = Overlay.Piece<EntitlementAnswer>

    /// What the purchases of a non-consumable give: the product is the customer's until it is taken back.
    func nonConsumable(_ facts: [TransactionFact]) -> [Piece] {
        facts.flatMap { pieces(of: $0, accessEndsAt: .distantFuture, reason: .owned) }
    }

    /// What the purchases of a non-renewing product give.
    ///
    /// The App Store knows no end of them: the catalog does. Without a duration there the product is owned.
    func nonRenewing(_ facts: [TransactionFact], product: Product?) -> [Piece] {
        guard let duration = product?.accessDuration, duration.isValid else {
            return facts.flatMap { pieces(of: $0, accessEndsAt: .distantFuture, reason: .owned) }
        }
        guard product?.stacking == .extend else {
            return facts.flatMap { fact in
                let end = duration.end(from: fact.purchasedAt) ?? .distantFuture
                return pieces(of: fact, accessEndsAt: end, reason: .active)
            }
        }
        var previousEnd = Instant.distantPast
        return facts.sorted(by: PurchaseChain.isEarlierPurchase).flatMap { fact in
            let transaction = fact.transaction
            let start = max(transaction.purchasedAt, previousEnd)
            var end = duration.end(from: start, count: transaction.purchasedQuantity) ?? .distantFuture
            if let revokedAt = transaction.revokedAt { end = max(start, min(end, revokedAt)) }
            previousEnd = max(previousEnd, end)
            return pieces(of: fact, startsAt: start, accessEndsAt: end, reason: .active)
        }
    }

    /// A purchase whose product type this version does not know gives nothing that we could name.
    func unknownType(_ facts: [TransactionFact]) -> [Piece] {
        facts.map { Piece(from: $0.purchasedAt, to: .distantFuture, value: .unknown(.unverified)) }
    }

    private func pieces(
        of fact: TransactionFact, startsAt start: Instant? = nil, accessEndsAt end: Instant,
        reason: EntitlementAnswer.EntitledReason
    ) -> [Piece] {
        let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: end)
        let isAllowed = policy.entitlingOwnershipTypes.contains(fact.transaction.ownershipType)
        let granted: EntitlementAnswer = isAllowed ? .entitled(reason, basis) : .unknown(.unverified)
        let start = start ?? fact.purchasedAt
        let revokedAt = fact.revokedAt.map { max($0, fact.purchasedAt) } ?? .distantFuture
        return [
            Piece(from: start, to: min(end, revokedAt), value: granted),
            Piece(from: max(start, end), to: revokedAt, value: .lapsed(.expired, basis)),
            Piece(from: revokedAt, to: .distantFuture, value: .lapsed(fact.transaction.revocationLapse, basis)),
        ]
    }
}
