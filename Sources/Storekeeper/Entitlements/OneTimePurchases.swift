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
        var previousEnd = Instant.distantPast
        return facts.sorted(by: PurchaseChain.isEarlierPurchase).flatMap { fact in
            let transaction = fact.transaction
            let isExtending = product?.stacking == .extend && isAllowed(transaction)
            let start = isExtending ? max(transaction.purchasedAt, previousEnd) : transaction.purchasedAt
            let count = isExtending ? transaction.purchasedQuantity : 1
            var end = duration.end(from: start, count: count) ?? .distantFuture
            if let revokedAt = transaction.revokedAt { end = max(start, min(end, revokedAt)) }
            if isExtending { previousEnd = end }
            return pieces(of: fact, startsAt: start, accessEndsAt: end, reason: .active)
        }
    }

    /// A purchase whose product type this version does not know gives nothing that we could name.
    func unknownType(_ facts: [TransactionFact]) -> [Piece] {
        facts.map { fact in
            let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: .distantFuture)
            return Piece(
                from: fact.purchasedAt, to: .distantFuture, value: .unknown(.unverified, basis))
        }
    }

    private func pieces(
        of fact: TransactionFact, startsAt start: Instant? = nil, accessEndsAt end: Instant,
        reason: EntitlementAnswer.EntitledReason
    ) -> [Piece] {
        let transaction = fact.transaction
        let basis = EntitlementAnswer.Basis(fact: fact, accessEndsAt: end)
        let granted: EntitlementAnswer =
            isAllowed(transaction) ? .entitled(reason, basis) : .unknown(.unverified, basis)
        let start = start ?? transaction.purchasedAt
        let revokedAt = transaction.revokedAt.map { max($0, transaction.purchasedAt) } ?? .distantFuture
        return [
            Piece(from: start, to: min(end, revokedAt), value: granted),
            Piece(from: max(start, end), to: revokedAt, value: .lapsed(.expired, basis)),
            Piece(from: revokedAt, to: .distantFuture, value: .lapsed(transaction.revocationLapse, basis)),
        ]
    }

    private func isAllowed(_ transaction: Transaction) -> Bool {
        policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }
}
