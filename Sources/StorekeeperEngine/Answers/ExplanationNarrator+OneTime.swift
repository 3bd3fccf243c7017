extension ExplanationNarrator {
    /// The steps about purchases that do not renew.
    var oneTimePurchases: [RankedStep] {
        guard let evidence = state.evidence[productID] else { return [] }
        var told: [RankedStep] = []
        let purchases = NonConsumablePurchase.purchases(evidence.nonConsumables)
        for purchase in purchases.sorted(by: { PurchaseChain.isEarlierPurchase($0.decider, $1.decider) }) {
            told += nonConsumable(purchase)
        }
        told += nonRenewing(evidence.nonRenewing)
        for fact in evidence.unknownTypes.sorted(by: PurchaseChain.isEarlierPurchase) {
            told.append(
                purchase(
                    of: fact,
                    rule: fact.transaction.productType == .unstated
                        ? "The receipt does not say which type the product has: a catalog must."
                        : "The product type \"\(fact.transaction.productType.rawValue)\" is not known."))
        }
        for fact in evidence.consumables.sorted(by: PurchaseChain.isEarlierPurchase) {
            told.append(
                purchase(of: fact, rule: "A consumable is not owned: it adds to a balance."))
            told += revocation(of: fact)
        }
        return told
    }

    /// Returns the step about a purchase.
    ///
    /// - Parameter boughtAt: When the purchase was made; `nil` means the purchase date of the transaction.
    private func purchase(of fact: TransactionFact, at boughtAt: Instant? = nil, rule: String?) -> RankedStep {
        let at = boughtAt ?? fact.purchasedAt
        return RankedStep(
            .purchase, at: at, name(fact) + (at == fact.purchasedAt ? "" : ", restored at \(fact.purchasedAt)"),
            effect: at > asked ? effectOfFuture() : effect(at: at, of: fact), rule: rule ?? ownershipRule(fact))
    }

    private func nonConsumable(_ bought: NonConsumablePurchase) -> [RankedStep] {
        let decider = bought.decider
        let rule = isEntitling(decider) ? "A non-consumable is owned until it is revoked." : nil
        let others = bought.records.filter { $0.key != decider.key }.sorted(by: PurchaseChain.isEarlierPurchase)
        return [purchase(of: decider, at: bought.boughtAt, rule: rule)]
            + revocation(of: decider, boughtAt: bought.boughtAt)
            + others.map { record in
                RankedStep(
                    .copy, at: record.purchasedAt,
                    name(record) + (record.revokedAt.map { ", revoked at \($0)" } ?? ""),
                    effect: "none: it is a record of the same purchase as transaction \(decider.transaction.id)",
                    rule: "Records with one original transaction are one purchase: "
                        + (NonConsumablePurchase.isOriginal(decider)
                            ? "the original one decides." : "without the original one, the one signed last decides."))
            }
    }

    /// The steps about a product that has different types in the evidence and in the catalog.
    var conflictingTypes: [RankedStep] {
        let type = state.resolver.catalog.type(of: productID)?.word ?? "unknown"
        let chains = Set(lines.map(\.id))
        let facts = history.facts.filter { fact in
            state.resolver.policy.rule(for: fact.transaction.environment) == state.rule
                && (fact.productID == productID
                    || fact.transaction.productType == .autoRenewable && chains.contains(ChainID(fact.transaction)))
        }
        return facts.sorted(by: PurchaseChain.isEarlierPurchase).map { fact in
            let isContradiction =
                fact.productID == productID
                && state.resolver.catalog.contradicts(fact.transaction.productType, of: productID)
            return RankedStep(
                .purchase, at: fact.purchasedAt, "\(name(fact)), as \(fact.transaction.productType.word)",
                effect: isContradiction ? "the answer is unknown" : "ignored",
                rule:
                    "The catalog says that \(productID) is \(type). If the evidence says another type, neither is "
                    + "reliable.")
        }
    }

    // MARK: Passes

    private func nonRenewing(_ facts: [TransactionFact]) -> [RankedStep] {
        let product = state.resolver.catalog.product(productID)
        guard let duration = product?.accessDuration, duration.isAccessDuration else {
            return facts.sorted(by: PurchaseChain.isEarlierPurchase).flatMap { fact in
                let rule =
                    "A non-renewing purchase has no expiry in the App Store, and the catalog has no accessDuration: "
                    + "it is owned."
                return [purchase(of: fact, rule: isEntitling(fact) ? rule : nil)] + revocation(of: fact)
            }
        }
        return OneTimePurchases(policy: state.resolver.policy).nonRenewing(facts, product: product).flatMap { answers in
            // The last answer is based on the transaction of the pass, even after an expiry or a revocation.
            guard let fact = answers.last.value.basis?.fact else { return [RankedStep]() }
            return [passPurchase(of: fact, answers, duration)] + revocation(of: fact)
                + passChanges(of: fact, answers, duration)
        }
    }

    private func passPurchase(
        of fact: TransactionFact, _ answers: Timeline<EntitlementAnswer>, _ duration: SubscriptionPeriod
    ) -> RankedStep {
        guard isEntitling(fact) else { return purchase(of: fact, rule: nil) }
        if let start = answers.nextChange(after: .distantPast), start > fact.purchasedAt,
            answers.value(at: start).isEntitled
        {
            return purchase(
                of: fact,
                rule: "Purchases of this product extend each other: this one begins at \(start), when the previous "
                    + "access ends.")
        }
        return purchase(of: fact, rule: passRule(fact, duration))
    }

    private func passRule(_ fact: TransactionFact, _ duration: SubscriptionPeriod) -> String {
        let count = fact.transaction.purchasedQuantity
        return "A non-renewing purchase has no expiry in the App Store: the catalog gives it "
            + (count > 1 ? "\(count) times " : "") + "\(duration.words)."
    }

    /// Returns the steps about the end of a pass, and about its beginning if the pass begins later than its purchase.
    ///
    /// A pass is a purchase of a non-renewing product with an access duration.
    private func passChanges(
        of fact: TransactionFact, _ answers: Timeline<EntitlementAnswer>, _ duration: SubscriptionPeriod
    ) -> [RankedStep] {
        (1..<max(answers.entries.count, 1)).compactMap { index in
            let entry = answers.entries[index]
            guard entry.from > fact.purchasedAt, entry.from <= asked else { return nil }
            let id = fact.transaction.id
            switch entry.value {
            case .lapsed(.expired, _):
                return RankedStep(
                    .end, at: entry.from, "the access of transaction \(id) ends",
                    effect: effect(at: entry.from, of: fact),
                    rule: isEntitling(fact) ? passRule(fact, duration) : ownershipRule(fact))
            case .entitled, .unknown:
                return RankedStep(
                    .purchase, at: entry.from, "the access of transaction \(id) begins",
                    effect: effect(at: entry.from, of: fact),
                    rule:
                        "Purchases of this product extend each other: each begins when the previous access ends.")
            case .granted, .paidApp, .lapsed, .pending, .never: return nil
            }
        }
    }
}

extension SubscriptionPeriod {
    /// The duration in words, such as `90 days` or `1 year and 2 months`.
    fileprivate var words: String {
        let words = accessParts.map { (part: Part) -> String in
            let name =
                switch part.unit {
                case .day: "day"
                case .week: "week"
                case .month: "month"
                case .year: "year"
                }
            return "\(part.value) \(name)\(part.value == 1 ? "" : "s")"
        }
        guard let last = words.last else { return text }
        return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " and " + last
    }
}
