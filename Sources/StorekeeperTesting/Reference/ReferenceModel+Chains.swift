import Storekeeper

/// What a chain of auto-renewable transactions is at an instant.
struct ReferenceSituation {
    /// What the current transaction says.
    var verdict: ReferenceVerdict
    /// The renewal info, where it speaks of the current transaction.
    var info: RenewalInfo?
    /// When the period ends.
    var expiry: Instant
    /// The end of grace that holds, where it lies after the expiry.
    var graceEnd: Instant?
    /// When billing retry ends at the latest.
    var retryEnd: Instant

    var current: ReferenceFact { verdict.transaction }
}

extension ReferenceModel {
    /// The chains of auto-renewable transactions, each with its oldest transaction first (domain, C.6).
    static func chains(of transactions: [ReferenceFact]) -> [[ReferenceFact]] {
        var chains: [[ReferenceFact]] = []
        for transaction in transactions where transaction.productType == .autoRenewable {
            let index = chains.firstIndex { chain in
                chain.contains {
                    $0.appBundleID == transaction.appBundleID && $0.environment == transaction.environment
                        && $0.originalID == transaction.originalID
                }
            }
            if let index {
                chains[index].append(transaction)
            } else {
                chains.append([transaction])
            }
        }
        return chains.map { $0.sorted { isOlder($0, than: $1) } }
    }

    private static func isOlder(_ left: ReferenceFact, than right: ReferenceFact) -> Bool {
        if left.purchasedAt != right.purchasedAt { return left.purchasedAt < right.purchasedAt }
        let (end, otherEnd) = (left.expiresAt ?? .distantPast, right.expiresAt ?? .distantPast)
        if end != otherEnd { return end < otherEnd }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        return isGreater(right.id, left.id)
    }

    /// When a transaction of a chain begins to count.
    static func begin(of transaction: ReferenceFact, in chain: [ReferenceFact]) -> Instant {
        if chain.count == 1, transaction.reason == .renewal, transaction.signedAt < transaction.purchasedAt,
            transaction.expiresAt != nil
        {
            return transaction.signedAt
        }
        return transaction.purchasedAt
    }

    /// What a chain is at an instant; `nil` before it begins.
    func situation(of chain: [ReferenceFact], at instant: Instant) -> ReferenceSituation? {
        guard let current = chain.last(where: { Self.begin(of: $0, in: chain) <= instant }),
            let last = chain.last
        else { return nil }
        let expiry = current.expiresAt ?? current.purchasedAt
        let days = current.billingPlanType == .monthly ? 90 : 60
        var info: RenewalInfo?
        if current.id == last.id, current.expiresAt != nil {
            info = renewalInfos.first {
                $0.environment == current.environment && $0.originalTransactionID == current.originalID
                    && $0.signedAt >= current.purchasedAt
            }
        }
        var graceEnd: Instant?
        if let info, let end = info.gracePeriodExpiresAt {
            let holds = Self.saysGivenUp(info) ? min(end, info.signedAt) : end
            if holds > expiry { graceEnd = holds }
        }
        var situation = ReferenceSituation(
            verdict: ReferenceVerdict(
                answer: "", reason: "", transaction: current, state: "", end: max(expiry, graceEnd ?? expiry)),
            info: info, expiry: expiry, graceEnd: graceEnd, retryEnd: expiry.adding(days: days))
        let (answer, reason, state) = judge(situation, begin: Self.begin(of: current, in: chain), at: instant)
        situation.verdict.answer = answer
        situation.verdict.reason = reason
        situation.verdict.state = state
        if answer == "entitled", !policy.ownerships.contains(current.ownershipType) {
            situation.verdict.answer = "unknown"
            situation.verdict.reason = "unverified"
        }
        return situation
    }

    private func judge(
        _ situation: ReferenceSituation, begin: Instant, at instant: Instant
    ) -> (answer: String, reason: String, state: String) {
        let current = situation.current
        let info = situation.info
        if let revokedAt = current.revokedAt, instant >= max(begin, revokedAt) {
            return ("lapsed", Self.reasonOfRevocation(current), "revoked")
        }
        if instant < situation.expiry { return ("entitled", "active", "subscribed") }
        if current.isUpgraded { return ("lapsed", "upgraded", "expired") }
        if let graceEnd = situation.graceEnd, instant < graceEnd {
            return policy.graceEntitles
                ? ("entitled", "gracePeriod", "inGracePeriod") : ("lapsed", "billingRetry", "inGracePeriod")
        }
        if info?.billingRetryFlag == true, instant < situation.retryEnd {
            return policy.billingRetryEntitles
                ? ("entitled", "gracePeriod", "inBillingRetryPeriod")
                : ("lapsed", "billingRetry", "inBillingRetryPeriod")
        }
        if let info, info.autoRenewStatus == .on, info.billingRetryFlag != true, info.expirationReason == nil,
            (info.gracePeriodExpiresAt ?? .distantPast) <= situation.expiry,
            instant < situation.expiry.adding(milliseconds: policy.renewalLeeway)
        {
            return ("entitled", "renewalLeeway", "expired")
        }
        return ("lapsed", "expired", "expired")
    }

    /// What a chain says of a product at an instant; `nil` where it had none of it by then.
    func verdict(of chain: [ReferenceFact], on productID: Product.ID, at instant: Instant) -> ReferenceVerdict? {
        guard chain.contains(where: { $0.productID == productID }),
            let situation = situation(of: chain, at: instant)
        else { return nil }
        if situation.current.productID == productID { return situation.verdict }
        // The chain has moved on to another product: the last transaction of this one, and what followed it.
        guard
            let position = chain.lastIndex(where: {
                $0.productID == productID && Self.begin(of: $0, in: chain) <= instant
            }), chain.indices.contains(position + 1)
        else { return nil }
        let own = chain[position]
        let successor = chain[position + 1]
        let expiry = own.expiresAt ?? own.purchasedAt
        var verdict = ReferenceVerdict(
            answer: "lapsed", reason: "expired", transaction: own, state: "expired", end: expiry)
        if own.isUpgraded || successor.purchasedAt < expiry { verdict.reason = "upgraded" }
        if let revokedAt = own.revokedAt, max(own.purchasedAt, revokedAt) <= instant {
            verdict.reason = Self.reasonOfRevocation(own)
            verdict.state = "revoked"
        }
        return verdict
    }
}
