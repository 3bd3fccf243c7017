/// Tells the facts behind an answer in order.
struct ExplanationNarrator {
    let resolver: EntitlementResolver
    let history: PurchaseHistory
    let productID: Product.ID
    let timeline: Timeline<EntitlementAnswer>
    /// The instant asked about; what takes effect later is not told.
    let asked: Instant
    /// The purchases of the product that were waiting for approval by then.
    let pending: [PendingPurchase]
    /// Whether silence means that nothing was bought.
    let isComplete: Bool

    private typealias Step = Explanation.Step

    /// The steps, in order of time.
    var steps: [Explanation.Step] {
        var steps: [Step] = []
        for (id, chain) in history.chains
        where chain.facts.contains(where: { $0.transaction.productID == productID }) {
            guard resolver.policy.rule(for: id.environment) == .grant else {
                steps += chain.facts.filter { $0.transaction.productID == productID }.map(ignored)
                continue
            }
            steps += told(chain.facts, renewalInfo: history.renewalInfo(of: id))
        }
        if history.refusedProductIDs.contains(productID) {
            steps.append(
                Step(
                    at: asked, fact: "evidence of an environment that is not accepted", effect: "ignored",
                    rule: "Only evidence of accepted environments counts."))
        }
        if history.doubtfulProductIDs.contains(productID) {
            steps.append(
                Step(
                    at: asked, fact: "evidence that names \(productID) and failed verification", effect: doubtEffect,
                    rule: "What cannot be verified proves nothing, neither a purchase nor its absence."))
        }
        for purchase in pending {
            steps.append(
                Step(
                    at: purchase.startedAt, fact: "a purchase that waits for approval until \(purchase.endsAt)",
                    effect: "pending (\(purchase.reason.rawValue))",
                    rule: "Approval arrives as a transaction; a refusal never arrives, so waiting has an end."))
        }
        if steps.isEmpty, isComplete {
            steps.append(
                Step(
                    at: asked, fact: "no transaction of \(productID)", effect: "never bought",
                    rule: "What no evidence shows was not bought."))
        } else if steps.isEmpty {
            steps.append(
                Step(
                    at: asked, fact: "no transaction of \(productID), and no whole history was read",
                    effect: "it cannot be told", rule: "Until a whole history was read, silence proves nothing."))
        }
        return steps.sorted { ($0.at, $0.fact, $0.effect) < ($1.at, $1.fact, $1.effect) }
    }

    private var doubtEffect: String {
        if case .unknown = timeline.value(at: asked) { "it cannot be told" } else { "ignored" }
    }

    private func ignored(_ fact: TransactionFact) -> Step {
        Step(
            at: fact.transaction.purchasedAt, fact: name(fact.transaction), effect: "ignored",
            rule: "Transactions of \(fact.transaction.environment.rawValue) do not count by the policy.")
    }

    /// The steps of one chain up to the instant asked about.
    private func told(_ facts: [TransactionFact], renewalInfo: RenewalInfoFact?) -> [Step] {
        var steps: [Step] = []
        for (index, fact) in facts.enumerated() {
            let transaction = fact.transaction
            guard transaction.purchasedAt <= asked || transaction.productID == productID else { continue }
            steps.append(purchase(transaction, previous: index > 0 ? facts[index - 1].transaction : nil))
            guard transaction.productID == productID else { continue }
            let isLast = index == facts.count - 1
            if transaction.productType == .autoRenewable, transaction.subscriptionPeriodEnd <= asked,
                isLast || facts[index + 1].transaction.purchasedAt > transaction.subscriptionPeriodEnd
            {
                steps.append(periodEnd(transaction))
            }
            if let revokedAt = transaction.revokedAt, revokedAt <= asked {
                steps.append(revocation(transaction, revokedAt))
            }
        }
        if let info = renewalInfo?.renewalInfo, let last = facts.last {
            steps.append(told(info, last.transaction))
            if last.productID == productID { steps += afterPeriod(of: last, info) }
        }
        return steps
    }

    private func purchase(_ transaction: Transaction, previous: Transaction?) -> Step {
        let rule: String
        switch transaction.productType {
        case .autoRenewable where previous != nil && previous?.productID != transaction.productID:
            rule =
                "The newest transaction of a chain decides: from its purchase on the one before it no longer gives access."
        case .autoRenewable:
            rule = "A period gives access from its purchase to its expiry, the expiry itself excluded."
        case .nonConsumable: rule = "A non-consumable is owned until it is taken back."
        case .nonRenewable:
            rule = "The App Store knows no end of a non-renewing purchase: the catalog's accessDuration gives it."
        default: rule = "Of an unknown type of product nothing can be said."
        }
        return Step(
            at: transaction.purchasedAt, fact: name(transaction),
            effect: transaction.purchasedAt > asked
                ? "none yet: it begins later" : effect(at: transaction.purchasedAt), rule: rule)
    }

    private func periodEnd(_ transaction: Transaction) -> Step {
        let expiry = transaction.subscriptionPeriodEnd
        return Step(
            at: expiry, fact: "the period of transaction \(transaction.id) ends", effect: effect(at: expiry),
            rule: "Access ends with the period, unless a grace period follows.")
    }

    /// The ends of grace and billing retry that lie before the instant asked about.
    private func afterPeriod(of last: TransactionFact, _ info: RenewalInfo) -> [Step] {
        guard info.signedAt >= last.purchasedAt, !last.isUpgraded else { return [] }
        let graceEnd = SubscriptionPhases(policy: resolver.policy).graceEnd(of: last, info: info)
        let retryEnd = info.isInBillingRetry ? last.transaction.billingRetryEnd : nil
        let ends: [(at: Instant?, fact: String, rule: String)] = [
            (
                graceEnd, "the grace period ends",
                "Service goes on to the end of the grace period, or until it is known that the customer gave up."
            ),
            (
                retryEnd, "billing is no longer retried",
                "The App Store gives up billing 60 days after a period, 90 in a commitment."
            ),
        ]
        return ends.compactMap { end in
            guard let at = end.at, at <= asked, last.revokedAt.map({ at < $0 }) ?? true else { return nil }
            return Step(at: at, fact: end.fact, effect: effect(at: at), rule: end.rule)
        }
    }

    private func revocation(_ transaction: Transaction, _ revokedAt: Instant) -> Step {
        let share = transaction.revocationPercentage.map { ", \(Percentage.text($0)) of the price" } ?? ""
        return Step(
            at: max(revokedAt, transaction.purchasedAt), fact: "transaction \(transaction.id) is revoked\(share)",
            effect: effect(at: max(revokedAt, transaction.purchasedAt)),
            rule: "A revoked transaction gives no access from its revocation date on; other purchases stay.")
    }

    private func told(_ info: RenewalInfo, _ last: Transaction) -> Step {
        var parts: [String] = []
        if let status = info.autoRenewStatus { parts.append("auto-renewal \(status == .on ? "on" : "off")") }
        if let next = info.autoRenewProductID, next != last.productID { parts.append("next \(next)") }
        if let isRetrying = info.billingRetryFlag {
            parts.append(isRetrying ? "billing is retried" : "billing is not retried")
        }
        if let grace = info.gracePeriodExpiresAt { parts.append("grace period until \(grace)") }
        let speaks = info.signedAt >= last.purchasedAt
        return Step(
            at: info.signedAt,
            fact: "renewal info: \(parts.isEmpty ? "nothing of note" : parts.joined(separator: ", "))",
            effect: speaks
                ? "tells what follows the period that ends at \(last.subscriptionPeriodEnd)"
                : "none: it was signed before the last period began",
            rule: "The newest renewal info speaks of the last transaction of its chain.")
    }

    private func effect(at instant: Instant) -> String {
        let run = timeline.run(at: instant)
        let answer = timeline.value(at: instant)
        let end = run.to.map { " until \($0)" } ?? ""
        let isNew = run.from == instant
        return "\(isNew ? "" : "still ")\(answer.word) (\(answer.reasonWord))\(end)"
    }

    private func name(_ transaction: Transaction) -> String {
        var parts = [transaction.reason == .renewal ? "renewal" : "purchase"]
        if transaction.ownershipType == .familyShared { parts = ["family-shared copy"] }
        if transaction.ownershipType == .assigned { parts = ["assigned copy"] }
        parts.append("of \(transaction.productID)")
        if transaction.isUpgraded { parts.append("(upgraded since)") }
        return "transaction \(transaction.id): \(parts.joined(separator: " "))"
    }
}

/// Shares as people read them.
enum Percentage {
    /// Milliunits of a percent as text: 67932 is `67.932 %`.
    static func text(_ milliunits: Int64) -> String {
        let fraction = milliunits % 1000
        guard fraction != 0 else { return "\(milliunits / 1000) %" }
        var digits = String(fraction + 1000).dropFirst()
        while digits.last == "0" { digits = digits.dropLast() }
        return "\(milliunits / 1000).\(digits) %"
    }
}
