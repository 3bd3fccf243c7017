extension ExplanationNarrator {
    /// Returns the steps about the renewal infos of a line of service, with the effect of each info on its transaction.
    func renewalInfos(in account: GroupChainAccount) -> [RankedStep] {
        let id = account.line.id
        var told: [RankedStep] = []
        var spoken: Set<RenewalInfoFact> = []
        for (index, fact) in account.part.facts.enumerated() {
            let place = account.part.place(at: index)
            let infos = account.part.pairing.infosNewestFirst(at: place)
            spoken.formUnion(infos)
            guard fact.productID == productID || fact.purchasedAt <= asked else { continue }
            let outlook = account.part.pairing.outlook(at: place)
            for (age, info) in infos.map(\.renewalInfo).enumerated() {
                told.append(
                    age == 0
                        ? applicableInfoStep(info, at: place, outlook, of: id)
                        : superseded(info, at: place, outlook, of: id))
            }
        }
        for fact in history.renewalInfos[RenewalInfoKey(id)]?.all ?? LeafArray() where !spoken.contains(fact) {
            told.append(unspoken(fact, in: account))
        }
        return told
    }

    /// Returns the step about the info that applies to a transaction.
    private func applicableInfoStep(
        _ info: RenewalInfo, at place: RenewalPairing.Place, _ outlook: RenewalOutlook?, of id: PurchaseChain.ID
    ) -> RankedStep {
        let fact = place.fact
        let rule =
            if speaksOfRenewalBefore(info, fact) {
                "Its statements about a failed renewal count only if it was signed in the last 24 hours of the period, "
                    + "or later: an earlier one is about the previous renewal."
            } else if info.signedAt < fact.purchasedAt {
                "A renewal info whose renewal date is the end of the next period was signed after an early charge, and "
                    + "is about the next period."
            } else {
                "A renewal info is about the transaction that was current when it was signed; of several, the "
                    + "newest-signed counts."
            }
        return RankedStep(
            info.signedAt >= fact.periodEnd ? .predicted : .outlook, at: info.signedAt,
            "renewal info\(lines.count > 1 ? " of original transaction \(id.originalID)" : ""): "
                + words(of: info, beside: fact),
            effect: effect(of: info, at: place, outlook), rule: rule)
    }

    /// Returns the step about a renewal info that a newer info about the same transaction supersedes.
    private func superseded(
        _ info: RenewalInfo, at place: RenewalPairing.Place, _ outlook: RenewalOutlook?, of id: PurchaseChain.ID
    ) -> RankedStep {
        let endsGrace =
            outlook?.graceEnd == info.signedAt && (info.indicatesGivenUp || info.gracePeriodExpiresAt == nil)
        return RankedStep(
            endsGrace ? .predicted : .outlook, at: info.signedAt,
            "another renewal info of the original transaction \(id.originalID)",
            effect: endsGrace && place.fact.productID == productID
                ? "ends the grace period of transaction \(place.fact.transaction.id), as newer ones confirm"
                : "none: a newer one is known",
            rule: "Of several renewal infos about one transaction the newest-signed counts.")
    }

    /// Returns the step about a renewal info that applies to none of the line's transactions.
    private func unspoken(_ fact: RenewalInfoFact, in account: GroupChainAccount) -> RankedStep {
        let id = account.line.id
        let info = fact.renewalInfo
        guard history.chains[id]?.mayOwn(info) ?? false else {
            return RankedStep(
                .outlook, at: info.signedAt, "another renewal info of the original transaction \(id.originalID)",
                effect: "none: its app transaction id is different",
                rule: "A renewal info counts only with transactions of the same app transaction id.")
        }
        let isOfLine = account.part.pairing.infos.contains(fact)
        return RankedStep(
            .outlook, at: info.signedAt,
            "renewal info\(lines.count > 1 ? " of original transaction \(id.originalID)" : ""): "
                + words(of: info, beside: account.line.chain.lastFact),
            effect: isOfLine
                ? "none: it was signed before the first known period began"
                : "none: it is about another subscription group",
            rule: "A renewal info is about the transaction that was current when it was signed.")
    }

    /// Returns whether an info reports a failed renewal, but not the renewal that follows a transaction, because it was
    /// signed too early.
    private func speaksOfRenewalBefore(_ info: RenewalInfo, _ fact: TransactionFact) -> Bool {
        fact.productID == productID && info.ofFailedRenewal(after: fact.transaction) == nil
            && (info.isInBillingRetry || info.gracePeriodExpiresAt != nil || info.expirationReason != nil)
    }

    private func words(of info: RenewalInfo, beside fact: TransactionFact?) -> String {
        var parts: [String] = []
        if let isOn = info.autoRenewStatus?.isOn { parts.append("auto-renewal \(isOn ? "on" : "off")") }
        if let next = info.autoRenewProductID, next != fact?.productID { parts.append("next \(next)") }
        if let isRetrying = info.billingRetryFlag {
            parts.append(isRetrying ? "billing is retried" : "billing is not retried")
        }
        if let grace = info.gracePeriodExpiresAt { parts.append("grace period until \(grace)") }
        if let reason = info.expirationReason { parts.append("expiration reason \(reason.word)") }
        return parts.isEmpty ? "no relevant values" : parts.joined(separator: ", ")
    }

    /// Returns, in words, the effect of the applicable renewal info on the time after the transaction's period.
    private func effect(
        of info: RenewalInfo, at place: RenewalPairing.Place, _ outlook: RenewalOutlook?
    ) -> String {
        let fact = place.fact
        let id = fact.transaction.id
        if fact.productID != productID { return "none: it is about transaction \(id) of \(fact.productID)" }
        guard let outlook else { return "none: the period of transaction \(id) has no known end" }
        if fact.isUpgraded { return "none: transaction \(id) was upgraded" }
        if let revokedAt = fact.revokedAt, revokedAt <= fact.periodEnd {
            return "none: transaction \(id) was revoked"
        }
        if let next = place.next, next.purchasedAt <= fact.periodEnd {
            return "none: transaction \(next.transaction.id) follows the period of transaction \(id) at once"
        }
        let what =
            "determines what follows the period that ends at \(fact.periodEnd): " + self.outlook(outlook, of: fact)
        return speaksOfRenewalBefore(info, fact)
            ? what + "; its statements about a failed renewal concern the previous renewal" : what
    }

    /// Returns, in words, the event that follows a period according to the applicable renewal info.
    private func outlook(_ outlook: RenewalOutlook, of fact: TransactionFact) -> String {
        let info = outlook.info.renewalInfo
        if outlook.graceEnd != nil { return "a grace period" }
        if info.ofFailedRenewal(after: fact.transaction)?.isInBillingRetry == true { return "billing is retried" }
        return info.willAutoRenew ? "a renewal, once it arrives" : "no renewal"
    }
}
