import Storekeeper

/// The situation of a chain of auto-renewable transactions at an instant.
struct ReferenceSituation {
    /// The verdict of the current transaction.
    var verdict: ReferenceVerdict
    /// The renewal info about the current transaction that holds.
    var info: RenewalInfo?
    /// The renewal info that holds for the failed renewal; `nil` before the expiry.
    var failure: RenewalInfo?
    /// Whether a grace period is running.
    var isInGrace: Bool
    /// The end of the period.
    var expiry: Instant
    /// The end of the grace period, which may be before the promised end; `nil` if no grace period follows the expiry.
    var graceEnd: Instant?
    /// The latest end of billing retry.
    var retryEnd: Instant

    var current: ReferenceFact { verdict.transaction }
}

/// A line of service, which consists of the transactions of one chain in one subscription group.
struct ReferenceChain {
    /// The transactions, beginning with the oldest.
    let facts: [ReferenceFact]
    /// The renewal infos about each transaction, beginning with the oldest.
    let infos: [Transaction.ID: [RenewalInfo]]
    /// The App Store's own statuses of the line of service, in any order.
    let reports: [ReferenceReport]

    /// Creates a line of service from its transactions, beginning with the oldest, and its renewal infos in any order.
    init(facts: [ReferenceFact], infos: [RenewalInfo], reports: [ReferenceReport]) {
        self.facts = facts
        self.reports = reports
        self.infos = Dictionary(grouping: infos) { ReferenceModel.subject(of: $0, among: facts)?.id ?? "" }
            .mapValues { $0.sorted { ReferenceModel.prevails($1, over: $0) } }
    }
}

extension ReferenceModel {
    /// Returns the lines of service.
    ///
    /// Each original transaction has a line of service for each of its groups.
    static func lines(
        of transactions: [Transaction], groups: [ReferenceGroup], infos: [RenewalInfo], reports: [ReferenceReport]
    ) -> [ReferenceChain] {
        var chains: [[ReferenceFact]] = []
        for transaction in transactions where transaction.productType == .autoRenewable {
            let fact = ReferenceFact(transaction)
            if let index = chains.firstIndex(where: { isOneChain($0[0], fact) }) {
                chains[index].append(fact)
            } else {
                chains.append([fact])
            }
        }
        return chains.flatMap { chain in lines(of: chain, groups: groups, infos: infos, reports: reports) }
    }

    static func isOneChain(_ left: ReferenceFact, _ right: ReferenceFact) -> Bool {
        left.appBundleID == right.appBundleID && left.environment == right.environment
            && left.originalID == right.originalID
    }

    private static func lines(
        of chain: [ReferenceFact], groups: [ReferenceGroup], infos: [RenewalInfo], reports: [ReferenceReport]
    ) -> [ReferenceChain] {
        func group(of productID: Product.ID?) -> SubscriptionGroup.ID? {
            groups.first { group in productID.map(group.products.contains) == true }?.id
        }
        let infos = infos.filter {
            $0.environment == chain[0].environment && $0.originalTransactionID == chain[0].originalID
        }
        let reports = reports.filter {
            $0.environment == chain[0].environment && $0.originalID == chain[0].originalID
                && $0.appBundleID == chain[0].appBundleID
        }
        let groupIDs = Set(chain.compactMap { group(of: $0.productID) }).sorted()
        let ordered = chain.sorted { isOlder($0, than: $1) }
        guard groupIDs.count > 1 else { return [ReferenceChain(facts: ordered, infos: infos, reports: reports)] }
        // An info belongs to the line of service in the group that contains a product named in the info. If no such
        // line of service exists, the info belongs to the line of service of the newest transaction.
        let newest = ordered.last.flatMap { group(of: $0.productID) ?? groupIDs.first }
        func owner(of info: RenewalInfo) -> SubscriptionGroup.ID? {
            let named = [info.currentProductID, info.autoRenewProductID].compactMap { group(of: $0) }
            return named.first(where: groupIDs.contains) ?? newest
        }
        return groupIDs.map { id in
            ReferenceChain(
                facts: ordered.filter { (group(of: $0.productID) ?? groupIDs.first) == id },
                infos: infos.filter { owner(of: $0) == id },
                reports: reports.filter { report in
                    let current = ordered.last { $0.purchasedAt <= report.signedAt }
                    return current.map { (group(of: $0.productID) ?? groupIDs.first) == id } ?? false
                })
        }
    }

    private static func isOlder(_ left: ReferenceFact, than right: ReferenceFact) -> Bool {
        if left.purchasedAt != right.purchasedAt { return left.purchasedAt < right.purchasedAt }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        if (left.revokedAt == nil) != (right.revokedAt == nil) { return left.revokedAt != nil }
        let (end, otherEnd) = (left.expiresAt ?? left.purchasedAt, right.expiresAt ?? right.purchasedAt)
        if end != otherEnd { return end < otherEnd }
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        return isGreater(right.id, left.id)
    }

    /// Returns the transactions of a transaction's period: more than one if seats were added during the period.
    ///
    /// A transaction without the reason belongs to the period if it was signed before seats were added.
    static func period(of fact: ReferenceFact, among facts: [ReferenceFact]) -> [ReferenceFact] {
        let equal = facts.filter {
            $0.productID == fact.productID && $0.expiresAt != nil && $0.expiresAt == fact.expiresAt
        }
        let added = equal.filter(\.hasAdditionalReason)
        let period = equal.filter { one in
            one.hasAdditionalReason || added.contains { $0.purchasedAt > one.signedAt }
        }
        return period.contains { $0 === fact } ? period : [fact]
    }

    /// Returns the transaction that decides at an instant among the transactions of the newest transaction's period.
    ///
    /// This is the newest one that is not revoked, or the newest one if all are revoked.
    static func decider(of newest: ReferenceFact, in chain: ReferenceChain, at instant: Instant) -> ReferenceFact {
        let begun = period(of: newest, among: chain.facts).filter { begin(of: $0, in: chain) <= instant }
        return begun.last { $0.revokedAt.map { $0 > instant } ?? true } ?? begun.last ?? newest
    }

    /// Returns whether another chain replaces the chain of a transaction.
    ///
    /// The other chain names this chain, or the bundle in which the transactions of this chain were bought.
    func isSucceeded(_ fact: ReferenceFact) -> Bool {
        let names = transactions.filter { Self.isSameApp($0, fact) && $0.originalID != $0.previousOriginalID }
            .compactMap(\.previousOriginalID)
        if names.isEmpty { return false }
        return names.contains(fact.originalID)
            || transactions.contains { other in
                Self.isOneChain(other, fact)
                    && other.transaction.bundle?.originalTransactionID.map(names.contains) == true
            }
    }

    private static func isSameApp(_ left: ReferenceFact, _ right: ReferenceFact) -> Bool {
        left.appBundleID == right.appBundleID && left.environment == right.environment
    }

    /// Returns the instant from which a transaction of a chain is considered.
    static func begin(of transaction: ReferenceFact, in chain: ReferenceChain) -> Instant {
        if chain.facts.count == 1, transaction.reason == .renewal, transaction.signedAt < transaction.purchasedAt,
            transaction.expiresAt != nil
        {
            return transaction.signedAt
        }
        return transaction.purchasedAt
    }

    /// Returns the situation of a chain at an instant; `nil` before the chain begins.
    func situation(of chain: ReferenceChain, at instant: Instant) -> ReferenceSituation? {
        guard let newest = chain.facts.last(where: { Self.begin(of: $0, in: chain) <= instant }) else { return nil }
        let current = Self.decider(of: newest, in: chain, at: instant)
        let expiry = current.expiresAt ?? current.purchasedAt
        let days = current.billingPlanType == .monthly ? 90 : 60
        let graceEnd = Self.graceEnd(of: current, in: chain)
        var situation = ReferenceSituation(
            verdict: ReferenceVerdict(
                answer: "", reason: "", transaction: current, state: "", end: max(expiry, graceEnd ?? expiry)),
            info: Self.holdingInfo(of: current, in: chain, at: instant),
            failure: Self.failureInfo(of: current, in: chain, at: instant),
            isInGrace: Self.isInGrace(current, in: chain, at: instant), expiry: expiry, graceEnd: graceEnd,
            retryEnd: expiry.adding(days: days))
        let (answer, reason, state) = evaluate(situation, begin: Self.begin(of: current, in: chain), at: instant)
        situation.verdict.answer = answer
        situation.verdict.reason = reason
        situation.verdict.state = state
        if answer == "entitled", !policy.ownerships.contains(current.ownershipType) {
            situation.verdict.answer = "unknown"
            situation.verdict.reason = "unverified"
        }
        return situation
    }

    private func evaluate(
        _ situation: ReferenceSituation, begin: Instant, at instant: Instant
    ) -> (answer: String, reason: String, state: String) {
        let current = situation.current
        let (info, failure) = (situation.info, situation.failure)
        // The move to a bundle is complete only when the purchase in the bundle is known.
        let isMoving = current.revokedAt != nil && current.revocationReason == 2 && !isSucceeded(current)
        if let revokedAt = current.revokedAt, !isMoving, instant >= max(begin, revokedAt) {
            return ("lapsed", Self.reasonOfRevocation(current, isSucceeded: isSucceeded(current)), "revoked")
        }
        if instant < situation.expiry { return ("entitled", "active", "subscribed") }
        if current.isUpgraded { return ("lapsed", "upgraded", "expired") }
        if isMoving { return ("lapsed", "movedToBundle", "expired") }
        if situation.isInGrace {
            return policy.graceEntitles
                ? ("entitled", "gracePeriod", "inGracePeriod") : ("lapsed", "billingRetry", "inGracePeriod")
        }
        if failure?.billingRetryFlag == true, instant < situation.retryEnd {
            return policy.billingRetryEntitles
                ? ("entitled", "gracePeriod", "inBillingRetryPeriod")
                : ("lapsed", "billingRetry", "inBillingRetryPeriod")
        }
        let namesGrace = failure?.gracePeriodExpiresAt.map { $0 > situation.expiry } ?? false
        if let info, info.autoRenewStatus == .on, failure?.billingRetryFlag != true, failure?.expirationReason == nil,
            !namesGrace, instant < situation.expiry.adding(milliseconds: policy.renewalLeeway)
        {
            return ("entitled", "renewalLeeway", "expired")
        }
        return ("lapsed", "expired", "expired")
    }

    /// Returns a chain's verdict about a product at an instant; `nil` if the chain has no purchase of the product up to
    /// the instant.
    func verdict(of chain: ReferenceChain, on productID: Product.ID, at instant: Instant) -> ReferenceVerdict? {
        guard chain.facts.contains(where: { $0.productID == productID }),
            let situation = situation(of: chain, at: instant)
        else { return nil }
        if situation.current.productID == productID { return situation.verdict }
        // The chain has changed to another product. The verdict is about the product's last transaction, and depends on
        // the transaction after it.
        guard
            let position = chain.facts.lastIndex(where: {
                $0.productID == productID && Self.begin(of: $0, in: chain) <= instant
            }), chain.facts.indices.contains(position + 1)
        else { return nil }
        let own = Self.decider(of: chain.facts[position], in: chain, at: instant)
        let successor = chain.facts[position + 1]
        let expiry = own.expiresAt ?? own.purchasedAt
        var verdict = ReferenceVerdict(
            answer: "lapsed", reason: "expired", transaction: own, state: "expired",
            end: max(expiry, Self.graceEnd(of: own, in: chain) ?? expiry))
        if own.isUpgraded || successor.purchasedAt < expiry { verdict.reason = "upgraded" }
        let revocation = Self.reasonOfRevocation(own, isSucceeded: isSucceeded(own))
        if let revokedAt = own.revokedAt, max(own.purchasedAt, revokedAt) <= instant,
            !(own.isUpgraded && revocation == "movedToBundle")
        {
            verdict.reason = revocation
            verdict.state = "revoked"
        }
        return verdict
    }
}
