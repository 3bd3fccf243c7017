extension ExplanationNarrator {
    /// Returns the steps about one line of service: the service that one chain gives in the product's subscription
    /// group.
    func steps(ofLine line: GroupChain) -> [RankedStep] {
        guard let track = line.chain.tracks.first(where: { $0.productID == productID }),
            let chain = history.chains[line.id]
        else { return [] }
        let parts = state.groups.lines(of: chain, pairing: history.pairing(of: line.id))
        guard let part = parts.first(where: { $0.facts.contains { $0.productID == productID } }) else { return [] }
        let account = GroupChainAccount(line: line, part: part, answers: track.answers)
        var steps: [RankedStep] = []
        for (index, fact) in part.facts.enumerated() {
            let isOwn = fact.productID == productID
            guard isOwn || fact.purchasedAt <= asked else { continue }
            steps.append(purchase(of: fact, at: index, in: account))
            guard isOwn else { continue }
            let successor = index + 1 < part.facts.count ? part.facts[index + 1] : nil
            let isCurrent = successor.map { fact.revokedAt ?? .distantPast < $0.purchasedAt } ?? true
            steps += revocation(of: fact, isCurrent: isCurrent, isReplaced: line.chain.isReplaced)
        }
        return steps + endings(in: account) + renewalInfos(in: account)
    }

    /// A line of service, with the values that are needed to describe it in steps.
    struct GroupChainAccount {
        let line: GroupChain
        /// The transactions of the line, the newest last, and the renewal infos that apply to them.
        let part: GroupDirectory.Line
        /// The answers that this line alone gives about the product.
        let answers: Timeline<EntitlementAnswer>
        /// For each transaction, the instant from which it decides the line's answer.
        let beginnings: [TransactionKey: Instant]
        /// The periods of ``part``, each with the periods before and after it.
        let places: [RenewalPairing.Place]

        init(line: GroupChain, part: GroupDirectory.Line, answers: Timeline<EntitlementAnswer>) {
            self.line = line
            self.part = part
            self.answers = answers
            places = part.places
            var beginnings: [TransactionKey: Instant] = [:]
            for index in 0..<answers.entries.count {
                let entry = answers.entries[index]
                if let key = entry.value.basis?.fact.key, beginnings[key] == nil { beginnings[key] = entry.from }
            }
            self.beginnings = beginnings
        }

        /// Returns whether a transaction added seats to a period that an earlier transaction had begun.
        func isSeatAddition(_ fact: TransactionFact) -> Bool {
            fact.transaction.additionalTransactionReason == .seatAddition
                && places.contains { $0.period.additions.contains { $0.key == fact.key } }
        }

        /// Returns the renewal infos that apply to a transaction, in order of signing.
        func infos(of fact: TransactionFact) -> [RenewalInfo] {
            let place = places.last { place in place.period.facts.contains { $0.key == fact.key } }
            return place.map { part.pairing.infos(at: $0).map(\.renewalInfo) } ?? []
        }
    }

    // MARK: Purchases

    private func purchase(of fact: TransactionFact, at index: Int, in account: GroupChainAccount) -> RankedStep {
        let beginning = min(account.beginnings[fact.key] ?? fact.purchasedAt, fact.purchasedAt)
        var text = name(fact, isSeatAddition: account.isSeatAddition(fact))
        if beginning < fact.purchasedAt { text += ", whose period begins at \(fact.purchasedAt)" }
        // The effect already names the end of access, so the text names the end of the period only if it may be
        // different.
        let isWhole = decides(fact, from: beginning, until: fact.transaction.expiresAt)
        if let expiry = fact.transaction.expiresAt, fact.productID == productID, !isWhole {
            text += ", period to \(expiry)"
        }
        let effect = beginning > asked ? effectOfFuture() : effect(at: beginning, of: fact)
        return RankedStep(.purchase, at: beginning, text, effect: effect, rule: rule(of: fact, at: index, in: account))
    }

    /// Returns whether a transaction gives access and decides the answer during exactly the time between two instants.
    private func decides(_ fact: TransactionFact, from beginning: Instant, until end: Instant?) -> Bool {
        guard let end, case .entitled(_, let basis) = timeline.value(at: beginning), basis.fact.key == fact.key
        else { return false }
        return endOfDecision(at: beginning) == end
    }

    private func rule(of fact: TransactionFact, at index: Int, in account: GroupChainAccount) -> String {
        let transaction = fact.transaction
        let facts = account.part.facts
        let previous = index > 0 ? facts[index - 1] : nil
        guard fact.productID == productID else {
            return previous?.productID == productID
                ? "The newest transaction of a chain decides: once it is purchased, the previous one gives no access."
                : "The newest transaction of a chain decides; this one is of another product."
        }
        if let beginning = account.beginnings[fact.key], beginning < fact.purchasedAt {
            return
                "Only a renewal is known, and it was signed before its period begins: a renewal follows a period with "
                + "access, so it counts from its signing date."
        }
        if index + 1 < facts.count, facts[index + 1].purchasedAt == fact.purchasedAt {
            let what = fact.isUpgraded ? "It was upgraded since, and another" : "Another"
            return
                "\(what) purchase of the chain began at the same instant: the one counts that was not upgraded, then not "
                + "revoked, then with the later end, signing date or id."
        }
        if !isEntitling(fact) { return ownershipRule(fact) }
        if account.isSeatAddition(fact) {
            return "Added seats belong to the running period, which is revoked only when all of its transactions are."
        }
        if transaction.expiresAt == nil {
            return "A subscription record without an expiry never gives access."
        }
        if fact.isUpgraded, index == facts.count - 1 {
            return
                "It was upgraded, but its successor is not known: access continues to the end of the period, because "
                + "the record may be late."
        }
        if let previous, previous.productID != productID {
            return
                "The newest transaction of a chain decides: once it is purchased, the previous one gives no access."
        }
        return "A period gives access from its purchase to its expiry, the expiry itself excluded."
    }

    // MARK: Ends

    /// Returns the steps about changes that no new transaction causes: the ends of periods, of grace periods, of
    /// billing retry and of the renewal leeway.
    private func endings(in account: GroupChainAccount) -> [RankedStep] {
        let purchases = Set(account.part.facts.map(\.purchasedAt))
        var steps: [RankedStep] = []
        for index in 1..<max(account.answers.entries.count, 1) {
            let entry = account.answers.entries[index]
            guard entry.from <= asked, let fact = entry.value.basis?.fact,
                let beginning = account.beginnings[fact.key], entry.from > beginning,
                // The replacement and the revocation of a transaction are described in separate steps.
                !purchases.contains(entry.from),
                !(fact.revokedAt.map { max($0, beginning) } == entry.from && entry.value.isRevocation)
            else { continue }
            let former = account.answers.entries[index - 1].value.basis
            let (text, rule) = ending(
                of: fact, as: entry.value, at: entry.from, after: former?.fact.key == fact.key ? former?.state : nil,
                in: account)
            steps.append(RankedStep(.end, at: entry.from, text, effect: effect(at: entry.from, of: fact), rule: rule))
        }
        return steps
    }

    private func ending(
        of fact: TransactionFact, as answer: EntitlementAnswer, at instant: Instant, after former: RenewalState?,
        in account: GroupChainAccount
    ) -> (fact: String, rule: String) {
        let id = fact.transaction.id
        let policy = state.resolver.policy
        let status = account.line.chain.status.value(at: instant)
        if instant == fact.periodEnd {
            return ("the period of transaction \(id) ends", ruleOfPeriodEnd(fact, answer, status))
        }
        if former == .inGracePeriod { return endingOfGrace(of: fact, at: instant, in: account) }
        if instant == fact.transaction.billingRetryEnd {
            return (
                "billing retry of transaction \(id) ends",
                "The App Store gives up billing 60 days after a period, 90 in a commitment."
            )
        }
        if instant == fact.periodEnd.advanced(by: policy.renewalLeeway) {
            return (
                "no renewal of transaction \(id) arrived in time",
                "The policy's leeway for a late renewal has ended."
            )
        }
        return (
            "the renewal info of transaction \(id) changes",
            "A renewal info holds from its signing until the next one is signed."
        )
    }

    private func endingOfGrace(
        of fact: TransactionFact, at instant: Instant, in account: GroupChainAccount
    ) -> (fact: String, rule: String) {
        let id = fact.transaction.id
        let infos = account.infos(of: fact)
        let steps = infos.filter { $0.signedAt == instant }
        if infos.contains(where: { $0.gracePeriodExpiresAt == instant }) || steps.isEmpty {
            return ("the grace period of transaction \(id) ends", "Access continues to the end of the grace period.")
        }
        if steps.contains(where: \.indicatesGivenUp) {
            return (
                "auto-renewal was turned off in the grace period of transaction \(id)",
                "A grace period ends early if auto-renewal is off and billing is not retried."
            )
        }
        return (
            "the App Store reports that the grace period of transaction \(id) has ended",
            "A grace period has ended if the renewal info that holds no longer contains it."
        )
    }

    private func ruleOfPeriodEnd(
        _ fact: TransactionFact, _ answer: EntitlementAnswer, _ status: SubscriptionStatus?
    ) -> String {
        let isGrace = status?.state == .inGracePeriod
        switch answer {
        case .entitled(.gracePeriod, _):
            return isGrace
                ? "Billing failed: access continues in a grace period."
                : "Billing failed and is retried: by the policy, access continues meanwhile."
        case .entitled(.renewalLeeway, _):
            return "Auto-renewal is on: by the policy, access continues while the renewal may be late."
        case .lapsed(.billingRetry, _):
            return isGrace
                ? "Billing failed: by the policy a grace period gives no access."
                : "Billing failed and is retried, which alone gives no access."
        case .lapsed(.movedToBundle, _):
            return "The customer moved to a bundle: later access belongs to the purchase in the bundle, whether known "
                + "or not."
        case .lapsed(.upgraded, _):
            return "It was upgraded: later access belongs to its successor, whether known or not."
        case .unknown: return ownershipRule(fact)
        default:
            return status?.info == nil
                ? "Access ends with the period; no renewal info applies to it."
                : "Access ends with the period, unless a grace period follows."
        }
    }

    // MARK: Records of one period

    /// The steps about transactions that a newer transaction of the same period supersedes.
    ///
    /// Every chain that contains the product is examined, even a chain without a line of service for the product: if
    /// the product's only transaction is superseded, the chain has no line for the product.
    var furtherRecords: [RankedStep] {
        let chains = history.chains.filter { id, chain in
            chain.hasTies && state.resolver.policy.rule(for: id.environment) == state.rule
                && chain.facts.contains { $0.productID == productID }
        }
        return chains.keys.sorted(by: Self.precedes).flatMap { id in chains[id].map(furtherRecords(of:)) ?? [] }
    }

    private func furtherRecords(of chain: PurchaseChain) -> [RankedStep] {
        let kept = state.groups.lines(of: chain, pairing: RenewalPairing()).flatMap(\.facts)
        let keys = Set(kept.map(\.key))
        return chain.facts.filter { fact in
            fact.transaction.productType == .autoRenewable && !keys.contains(fact.key)
                && (fact.productID == productID || fact.purchasedAt <= asked)
        }
        .map { fact in
            let tied = kept.filter { $0.purchasedAt == fact.purchasedAt }
            let newest = tied.first { PurchaseChain.isOnePeriod($0.transaction, fact.transaction) } ?? tied.last
            let other = newest.map { "transaction \($0.transaction.id)" } ?? "another one"
            return RankedStep(
                .copy, at: fact.purchasedAt, name(fact) + (fact.revokedAt.map { ", revoked at \($0)" } ?? ""),
                effect: "none: it is a record of the same period as \(other)",
                rule: "Of several records of one period the newest-signed counts, as for copies of a transaction.")
        }
    }
}

extension EntitlementAnswer {
    /// Whether the reason of the answer is a revocation.
    fileprivate var isRevocation: Bool {
        switch self {
        case .lapsed(.refunded, _), .lapsed(.familySharingEnded, _), .lapsed(.assignmentEnded, _),
            .lapsed(.movedToBundle, _):
            true
        default: false
        }
    }
}
