extension StoreSnapshot {
    /// Returns all answers about the customer at an instant, to be encoded as the JSON of `storekeeper entitlements`.
    ///
    /// The answers are adjusted to the freshness of the evidence. The result has no balances if the instant is more than
    /// 60 seconds before the snapshot was made, because a snapshot contains only the balances of that time. The result
    /// has no diagnostics, because a snapshot contains no evidence.
    public func answers(at instant: Instant) -> CustomerAnswers {
        let isPast = instant < takenAt.adding(milliseconds: -PresentInstant.allowedSkew)
        return answers(at: instant, balances: isPast ? nil : balances, nextChange: nextChange(after: instant))
    }

    /// Returns all answers about the customer at an instant, with the balances of that instant.
    ///
    /// - Parameter account: The customer's account.
    /// - Throws: ``VaultError`` if a sum of the account exceeds 64 bits.
    package func answers(at instant: Instant, account: DatedAccount) throws(VaultError) -> CustomerAnswers {
        let changes = [nextChange(after: instant), account.nextChange(after: instant)].compactMap(\.self)
        return answers(
            at: instant, balances: Array(try account.balances(at: instant).values), nextChange: changes.min())
    }

    private func answers(at instant: Instant, balances: [Balance]?, nextChange: Instant?) -> CustomerAnswers {
        let rows = balances.map { balances -> [BalanceTotals] in
            let named = Set(balances.map(\.id))
            let unused = resolution.balances.map(\.id).filter { !named.contains($0) }.map { Balance(id: $0) }
            return (balances + unused).sorted { $0.id < $1.id }.map(\.totals)
        }
        let cautious = resolution(asCompleteAt: instant)
        return CustomerAnswers(
            resolution, at: instant, isVerified: resolution.isVerified, nextChange: nextChange,
            balances: rows,
            product: { product in
                let answer = entitlement(for: product.id, at: instant)
                let run = run(at: instant, product.timeline) { entitlement(for: product.id, at: $0) }
                return CustomerAnswers.Answer(answer, by: product.id, since: run.from, until: run.to)
            },
            feature: { timeline in
                let answer = feature(timeline.id, at: instant)
                let run = run(at: instant, timeline.timeline) { feature(timeline.id, at: $0) }
                let evidence = timeline.timeline.value(at: instant)
                let isAsEvidenceSays = evidence.answer.isEquivalent(to: answer)
                let by =
                    isAsEvidenceSays
                    ? evidence.productID
                    : answer.basis?.transaction.productID
                        ?? cautious.feature(timeline.id)?.timeline.value(at: instant).productID
                return CustomerAnswers.Answer(answer, by: by, since: run.from, until: run.to)
            },
            status: { freshness.isTrusting(at: instant) ? $0 : $0.withoutAccess })
    }

    /// Returns the bounds of the time around an instant during which an answer and its reason stay the same.
    private func run<Value>(
        at instant: Instant, _ timeline: Timeline<Value>, _ answer: (Instant) -> EntitlementAnswer
    ) -> (from: Instant?, to: Instant?) {
        let worth = [freshness.doubtedFrom, freshness.trustEndsAt].compactMap { $0 }
        let changes = (timeline.runs.compactMap(\.from) + worth).sorted()
        let now = answer(instant)
        return (
            changes.last { $0 <= instant && !answer($0.adding(milliseconds: -1)).isEquivalent(to: now) },
            changes.first { $0 > instant && !answer($0).isEquivalent(to: now) }
        )
    }
}

extension StoreSnapshot {
    /// Returns the transactions that entitle the customer at an instant, by StoreKit 2's definition.
    ///
    /// The result contains the transaction of each owned non-consumable, and the current transaction of each
    /// subscription that gives access, purchased or family-shared. It also contains the latest transaction of each
    /// non-renewing product, even after the end of its access, because StoreKit does not know this end. Consumables and
    /// revoked or upgraded transactions are excluded. Unlike this method, ``isEntitled(_:at:)`` respects the end of a
    /// non-renewing product.
    ///
    /// - Returns: The transactions, sorted by product and then by id; empty if access is not trusted any more.
    /// - SeeAlso: Apple, "StoreKit: Transaction.currentEntitlements".
    public func currentEntitlements(at instant: Instant) -> [Transaction] {
        guard freshness.isTrusting(at: instant) else { return [] }
        return resolution.currentEntitlements(at: instant)
    }
}

/// A question with the same name and meaning as in the Swift package StoreHelper.
extension StoreSnapshot {
    /// Returns whether the customer has a product of any type at an instant.
    ///
    /// A customer has a consumable if a balance to which it adds units is above zero now. A customer has a product of
    /// any other type if the product gives access.
    public func isPurchased(_ id: Product.ID, at instant: Instant) -> Bool {
        guard resolution.isConsumable(id), resolution.product(id) == nil else { return isEntitled(id, at: instant) }
        let grants = resolution.catalog.product(id)?.grants ?? [:]
        let names = grants.isEmpty ? [Balance.ID(id.rawValue)] : Array(grants.keys)
        return names.contains { balance(of: $0).amount > 0 }
    }
}
