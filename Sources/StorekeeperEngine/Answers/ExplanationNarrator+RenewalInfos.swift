extension ExplanationNarrator {
    /// Returns the steps about the renewal infos of a line of service, with the effect of each info on its transaction.
    func renewalInfos(in account: GroupChainAccount) -> [RankedStep] {
        let id = account.line.id
        var told: [RankedStep] = []
        var spoken: Set<RenewalInfoFact> = []
        for place in account.part.places {
            let infos = account.part.pairing.infos(at: place)
            spoken.formUnion(infos)
            guard place.period.productID == productID || place.period.purchasedAt <= asked else { continue }
            let course = account.part.pairing.course(at: place)
            for info in infos { told.append(step(of: info, at: place, course, of: id)) }
            told += statuses(at: place, course, in: account)
        }
        for fact in history.renewalInfos[RenewalInfoKey(id)]?.all ?? [] where !spoken.contains(fact) {
            told.append(unspoken(fact, in: account))
        }
        return told
    }

    /// Returns the steps about the App Store's own statuses that begin or end a grace period.
    private func statuses(
        at place: RenewalPairing.Place, _ course: RenewalCourse?, in account: GroupChainAccount
    ) -> [RankedStep] {
        let statuses = account.part.pairing.statuses(at: place)
        guard place.period.productID == productID, statuses.contains(where: \.isInGracePeriod) else { return [] }
        return statuses.map { status in
            let word = RenewalState.allCases.first { Int64($0.number) == status.number }?.rawValue ?? "\(status.number)"
            let from = max(status.signedAt, place.period.end)
            let step = course?.steps.last { $0.from <= from }
            let isDeciding = step.map { $0.graceEnd != nil && $0.failure?.renewalInfo.gracePeriodEnd == nil } ?? false
            return RankedStep(
                .predicted, at: status.signedAt,
                "the App Store's own status of original transaction \(account.line.id.originalID): \(word)",
                effect: isDeciding
                    ? "determines what follows the period that ends at \(place.period.end): a grace period"
                    : "none: it says nothing of a grace period, or a renewal info names the end of one",
                rule:
                    "The App Store's own status counts only if it says that a grace period is running and no renewal info "
                    + "names its end.")
        }
    }

    /// Returns the step about an info that applies to a transaction.
    private func step(
        of infoFact: RenewalInfoFact, at place: RenewalPairing.Place, _ course: RenewalCourse?, of id: PurchaseChain.ID
    ) -> RankedStep {
        let (fact, info) = (place.period.last, infoFact.renewalInfo)
        let rule =
            if speaksOfRenewalBefore(info, fact) {
                "Its statements about a failed renewal count only if it was signed in the last 24 hours of the period, "
                    + "or later: an earlier one is about the previous renewal."
            } else if info.signedAt < place.period.purchasedAt {
                "A renewal info whose renewal date is the end of the next period was signed after an early charge, and "
                    + "is about the next period."
            } else {
                "A renewal info is about the transaction that was current when it was signed, and holds until the next "
                    + "one is signed."
            }
        return RankedStep(
            info.signedAt >= fact.periodEnd ? .predicted : .outlook, at: info.signedAt,
            "renewal info\(lines.count > 1 ? " of original transaction \(id.originalID)" : ""): "
                + words(of: info, beside: fact),
            effect: effect(of: infoFact, at: place, course), rule: rule)
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
                + words(of: info, beside: account.part.facts.last),
            effect: isOfLine
                ? "none: it was signed before the first known period began, or another one at the same instant counts"
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
        if let reason = info.expirationReason { parts.append("expiration reason: \(reason.words)") }
        switch info.priceIncreaseStatus {
        case .pending?: parts.append("consent to a higher price is pending")
        case .agreed?: parts.append("a higher price is agreed")
        default: break
        }
        return parts.isEmpty ? "no relevant values" : parts.joined(separator: ", ")
    }

    /// Returns, in words, the effect of a renewal info on the time after the transaction's period.
    private func effect(
        of infoFact: RenewalInfoFact, at place: RenewalPairing.Place, _ course: RenewalCourse?
    ) -> String {
        let (fact, info) = (place.period.decider(at: .distantFuture), infoFact.renewalInfo)
        let id = fact.transaction.id
        if fact.productID != productID { return "none: it is about transaction \(id) of \(fact.productID)" }
        guard let course else { return "none: the period of transaction \(id) has no known end" }
        if fact.isUpgraded { return "none: transaction \(id) was upgraded" }
        if let revokedAt = fact.revokedAt, revokedAt <= fact.periodEnd {
            return "none: transaction \(id) was revoked"
        }
        if let next = place.next, next.purchasedAt <= fact.periodEnd {
            return "none: transaction \(next.first.transaction.id) follows the period of transaction \(id) at once"
        }
        let steps = course.steps.filter { $0.from >= fact.periodEnd && ($0.info == infoFact || $0.failure == infoFact) }
        guard let first = steps.first else { return "none: a newer one was signed by the end of the period" }
        let what =
            (first.from == fact.periodEnd
                ? "determines what follows the period that ends at \(fact.periodEnd): " : "determines what follows: ")
            + outlook(first, after: fact)
        return speaksOfRenewalBefore(info, fact)
            ? what + "; its statements about a failed renewal concern the previous renewal" : what
    }

    /// Returns, in words, the event that follows a period according to the renewal infos that hold.
    private func outlook(_ step: RenewalCourse.Step, after fact: TransactionFact) -> String {
        if let end = step.graceEnd, end > step.from { return "a grace period" }
        if step.failure?.renewalInfo.isInBillingRetry == true { return "billing is retried" }
        guard let info = step.info?.renewalInfo, info.willAutoRenew == true else { return "no renewal" }
        return info.isConsentDue(at: fact.periodEnd)
            ? "a renewal if the customer agrees to the higher price, and otherwise the end"
            : "a renewal, once it arrives"
    }
}
