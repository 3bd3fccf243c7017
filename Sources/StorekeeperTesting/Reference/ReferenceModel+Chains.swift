import Storekeeper

/// The situation of a chain of auto-renewable transactions at an instant.
struct ReferenceSituation {
    /// The verdict of the current transaction.
    var verdict: ReferenceVerdict
    /// The newest renewal info about the current transaction.
    var info: RenewalInfo?
    /// The newest renewal info; `nil` if it was signed more than 24 hours before the expiry, because it then cannot
    /// report a failed renewal.
    var failure: RenewalInfo?
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

    /// Creates a line of service from its transactions, beginning with the oldest, and its renewal infos in any order.
    init(facts: [ReferenceFact], infos: [RenewalInfo]) {
        self.facts = facts
        self.infos = Dictionary(grouping: infos) { ReferenceModel.subject(of: $0, among: facts)?.id ?? "" }
            .mapValues { $0.sorted { ReferenceModel.prevails($1, over: $0) } }
    }
}

extension ReferenceModel {
    /// Returns the lines of service.
    ///
    /// Each original transaction has a line of service for each of its groups.
    static func lines(of transactions: [Transaction], groups: [ReferenceGroup], infos: [RenewalInfo])
        -> [ReferenceChain]
    {
        var chains: [[ReferenceFact]] = []
        for transaction in transactions where transaction.productType == .autoRenewable {
            let fact = ReferenceFact(transaction)
            if let index = chains.firstIndex(where: { isOneChain($0[0], fact) }) {
                chains[index].append(fact)
            } else {
                chains.append([fact])
            }
        }
        return chains.flatMap { chain in lines(of: chain, groups: groups, infos: infos) }
    }

    static func isOneChain(_ left: ReferenceFact, _ right: ReferenceFact) -> Bool {
        left.appBundleID == right.appBundleID && left.environment == right.environment
            && left.originalID == right.originalID
    }

    private static func lines(
        of chain: [ReferenceFact], groups: [ReferenceGroup], infos: [RenewalInfo]
    ) -> [ReferenceChain] {
        func group(of productID: Product.ID?) -> SubscriptionGroup.ID? {
            groups.first { group in productID.map(group.products.contains) == true }?.id
        }
        let infos = infos.filter {
            $0.environment == chain[0].environment && $0.originalTransactionID == chain[0].originalID
        }
        let groupIDs = Set(chain.compactMap { group(of: $0.productID) }).sorted()
        let ordered = chain.sorted { isOlder($0, than: $1) }
        guard groupIDs.count > 1 else { return [ReferenceChain(facts: ordered, infos: infos)] }
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
                infos: infos.filter { owner(of: $0) == id })
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
        guard let current = chain.facts.last(where: { Self.begin(of: $0, in: chain) <= instant }) else { return nil }
        let expiry = current.expiresAt ?? current.purchasedAt
        let days = current.billingPlanType == .monthly ? 90 : 60
        let info = Self.infos(of: current, in: chain).last
        let failure = Self.infosOfFailedRenewal(of: current, in: chain).last
        let graceEnd = Self.graceEnd(of: current, in: chain)
        var situation = ReferenceSituation(
            verdict: ReferenceVerdict(
                answer: "", reason: "", transaction: current, state: "", end: max(expiry, graceEnd ?? expiry)),
            info: info, failure: failure, expiry: expiry, graceEnd: graceEnd, retryEnd: expiry.adding(days: days))
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
        if let revokedAt = current.revokedAt, instant >= max(begin, revokedAt) {
            return ("lapsed", Self.reasonOfRevocation(current), "revoked")
        }
        if instant < situation.expiry { return ("entitled", "active", "subscribed") }
        if current.isUpgraded { return ("lapsed", "upgraded", "expired") }
        if let graceEnd = situation.graceEnd, instant < graceEnd {
            return policy.graceEntitles
                ? ("entitled", "gracePeriod", "inGracePeriod") : ("lapsed", "billingRetry", "inGracePeriod")
        }
        if failure?.billingRetryFlag == true, instant < situation.retryEnd {
            return policy.billingRetryEntitles
                ? ("entitled", "gracePeriod", "inBillingRetryPeriod")
                : ("lapsed", "billingRetry", "inBillingRetryPeriod")
        }
        if let info, info.autoRenewStatus == .on, failure?.billingRetryFlag != true, failure?.expirationReason == nil,
            situation.graceEnd == nil, instant < situation.expiry.adding(milliseconds: policy.renewalLeeway)
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
        let own = chain.facts[position]
        let successor = chain.facts[position + 1]
        let expiry = own.expiresAt ?? own.purchasedAt
        var verdict = ReferenceVerdict(
            answer: "lapsed", reason: "expired", transaction: own, state: "expired",
            end: max(expiry, Self.graceEnd(of: own, in: chain) ?? expiry))
        if own.isUpgraded || successor.purchasedAt < expiry { verdict.reason = "upgraded" }
        if let revokedAt = own.revokedAt, max(own.purchasedAt, revokedAt) <= instant {
            verdict.reason = Self.reasonOfRevocation(own)
            verdict.state = "revoked"
        }
        return verdict
    }
}
