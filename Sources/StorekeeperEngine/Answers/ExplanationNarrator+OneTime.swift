extension ExplanationNarrator {
    /// What is told of purchases that do not renew.
    var oneTimePurchases: [Told] {
        guard let evidence = state.evidence[productID] else { return [] }
        var told: [Told] = []
        for fact in evidence.nonConsumables.sorted(by: PurchaseChain.isEarlierPurchase) {
            told.append(
                purchase(
                    of: fact, rule: isEntitling(fact) ? "A non-consumable is owned until it is taken back." : nil))
            told += revocation(of: fact)
        }
        told += nonRenewing(evidence.nonRenewing.elements)
        for fact in evidence.unknownTypes.sorted(by: PurchaseChain.isEarlierPurchase) {
            told.append(
                purchase(
                    of: fact,
                    rule: "Of the type of product \"\(fact.transaction.productType.rawValue)\" nothing can be said."))
        }
        for fact in evidence.consumables.sorted(by: PurchaseChain.isEarlierPurchase) {
            told.append(
                purchase(of: fact, rule: "A consumable is counted and not owned: it adds to a balance, see there."))
            told += revocation(of: fact)
        }
        return told
    }

    private func purchase(of fact: TransactionFact, rule: String?) -> Told {
        Told(
            .purchase, at: fact.purchasedAt, name(fact),
            effect: fact.purchasedAt > asked ? effectOfFuture() : effect(at: fact.purchasedAt, of: fact),
            rule: rule ?? ownershipRule(fact))
    }

    // MARK: Passes

    private func nonRenewing(_ facts: [TransactionFact]) -> [Told] {
        let product = state.resolver.catalog.product(productID)
        guard let duration = product?.accessDuration, duration.isValid else {
            return facts.sorted(by: PurchaseChain.isEarlierPurchase).flatMap { fact in
                let rule =
                    "The App Store knows no end of a non-renewing purchase, and the catalog gives no accessDuration: "
                    + "it is owned."
                return [purchase(of: fact, rule: isEntitling(fact) ? rule : nil)] + revocation(of: fact)
            }
        }
        let isExtending = product?.stacking == .extend
        return OneTimePurchases(policy: state.resolver.policy).nonRenewing(facts, product: product).flatMap { answers in
            // Whatever becomes of a pass, the last that is said of it names it.
            guard let fact = answers.last.value.basis?.fact else { return [Told]() }
            return [passPurchase(of: fact, answers, duration, isExtending)] + revocation(of: fact)
                + passChanges(of: fact, answers, duration, isExtending)
        }
    }

    private func passPurchase(
        of fact: TransactionFact, _ answers: Timeline<EntitlementAnswer>, _ duration: SubscriptionPeriod,
        _ isExtending: Bool
    ) -> Told {
        guard isEntitling(fact) else { return purchase(of: fact, rule: nil) }
        if let start = answers.nextChange(after: .distantPast), start > fact.purchasedAt,
            answers.value(at: start).isEntitled
        {
            return purchase(
                of: fact,
                rule: "Passes of this product follow one another: this one begins at \(start), when the access "
                    + "bought before it ends.")
        }
        return purchase(of: fact, rule: passRule(fact, duration, isExtending))
    }

    private func passRule(_ fact: TransactionFact, _ duration: SubscriptionPeriod, _ isExtending: Bool) -> String {
        let count = fact.transaction.purchasedQuantity
        return "The App Store knows no end of a non-renewing purchase: the catalog gives it "
            + (isExtending && count > 1 ? "\(count) times " : "") + "\(duration.words)."
    }

    /// Where a pass begins after its purchase, and where it ends.
    private func passChanges(
        of fact: TransactionFact, _ answers: Timeline<EntitlementAnswer>, _ duration: SubscriptionPeriod,
        _ isExtending: Bool
    ) -> [Told] {
        (1..<max(answers.entries.count, 1)).compactMap { index in
            let entry = answers.entries[index]
            guard entry.from > fact.purchasedAt, entry.from <= asked else { return nil }
            let id = fact.transaction.id
            switch entry.value {
            case .lapsed(.expired, _):
                return Told(
                    .end, at: entry.from, "the access of transaction \(id) ends",
                    effect: effect(at: entry.from, of: fact),
                    rule: isEntitling(fact) ? passRule(fact, duration, isExtending) : ownershipRule(fact))
            case .entitled, .unknown:
                return Told(
                    .purchase, at: entry.from, "the access of transaction \(id) begins",
                    effect: effect(at: entry.from, of: fact),
                    rule:
                        "Passes of this product follow one another: each begins when the access bought before it ends.")
            case .lapsed, .pending, .never: return nil
            }
        }
    }
}

extension SubscriptionPeriod {
    /// The length as people say it, such as `90 days`.
    fileprivate var words: String {
        guard let unit, let value else { return text }
        let name =
            switch unit {
            case .day: "day"
            case .week: "week"
            case .month: "month"
            case .year: "year"
            }
        return "\(value) \(name)\(value == 1 ? "" : "s")"
    }
}
