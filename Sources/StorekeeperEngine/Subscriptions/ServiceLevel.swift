/// The order of statuses and of answers; of several statuses or answers, the first in this order counts.
///
/// - SeeAlso: Apple, "Determining service entitlement on the server" and
///   "Offering a subscription across multiple apps".
package enum ServiceLevel {
    /// Returns whether a status precedes another in its group.
    static func isHigher(_ left: SubscriptionStatus, _ right: SubscriptionStatus) -> Bool {
        let (a, b) = (key(of: left), key(of: right))
        return a == b ? isLater(left.fact, right.fact) : a < b
    }

    /// Returns the key by which statuses are compared first.
    ///
    /// A status that gives access precedes a status that does not. Of statuses without access, billing retry precedes
    /// expired, and expired precedes revoked. Of statuses with equal rank, the one with the higher level of service
    /// precedes. If the levels are equal, the remaining members of ``ServiceKey`` are compared in order.
    static func key(of status: SubscriptionStatus) -> ServiceKey {
        let rank = rank(status.state)
        return ServiceKey(
            kind: status.isEntitled ? 0 : 1 + rank, level: status.groupLevel ?? .max, rank: rank, fact: status.fact,
            accessEndsAt: max(status.fact.periodEnd, status.gracePeriodExpiresAt ?? .distantPast))
    }

    /// Returns the rank of a state; a smaller rank is closer to giving access.
    ///
    /// A status with the state `subscribed` is without access only if the policy excludes its ownership type.
    private static func rank(_ state: RenewalState) -> Int {
        switch state {
        case .subscribed: 0
        case .inGracePeriod: 1
        case .inBillingRetryPeriod: 2
        case .expired: 3
        case .revoked: 4
        }
    }

    /// Returns whether an answer precedes another.
    ///
    /// The order of the kinds is: entitled by a purchase (of a product or of the app), granted without a purchase,
    /// pending, unknown, lapsed, never.
    package static func isBetter(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        let (a, b) = (key(of: left), key(of: right))
        guard a == b else { return a < b }
        guard let leftBasis = left.basis, let rightBasis = right.basis else { return false }
        return isLater(leftBasis.fact, rightBasis.fact)
    }

    /// Returns the key by which answers are compared first; the first member of the key is the kind of the answer.
    ///
    /// Answers of the same kind are ordered by the first of these criteria in which they differ:
    /// - For lapsed and unknown answers, the later ``lapseDate(_:)`` comes first.
    /// - A running period comes before a grace period, and a grace period before billing retry.
    /// - The customer's own purchase comes before a shared purchase.
    /// - The later end of access comes first, then the later purchase.
    static func key(of answer: EntitlementAnswer) -> ServiceKey {
        let kind = rank(answer)
        return switch answer {
        case .entitled(_, let basis):
            ServiceKey(kind: kind, rank: rank(basis.state), fact: basis.fact, accessEndsAt: basis.accessEndsAt)
        case .lapsed(_, let basis), .unknown(_, let basis?):
            ServiceKey(
                kind: kind, lapsedAt: lapseDate(basis.fact), rank: rank(basis.state), fact: basis.fact,
                accessEndsAt: basis.accessEndsAt)
        case .granted(let grant):
            ServiceKey(kind: kind, accessEndsAt: grant.endsAt, grantedAt: grant.grantedAt)
        case .paidApp(let right):
            ServiceKey(kind: kind, accessEndsAt: right.endsAt, grantedAt: right.since)
        case .unknown(_, nil), .pending, .never: ServiceKey(kind: kind)
        }
    }

    private static func rank(_ answer: EntitlementAnswer) -> Int {
        switch answer {
        case .entitled, .paidApp: 0
        case .granted: 1
        case .pending: 2
        case .unknown: 3
        case .lapsed: 4
        case .never: 5
        }
    }

    /// Returns the date by which lapsed purchases are compared; the purchase with the latest date determines the
    /// answer.
    ///
    /// The date is the purchase date. For a revoked non-consumable it is the revocation date, because non-consumables
    /// do not expire.
    private static func lapseDate(_ fact: TransactionFact) -> Instant {
        guard fact.transaction.productType == .nonConsumable, let revokedAt = fact.revokedAt else {
            return fact.purchasedAt
        }
        return max(fact.purchasedAt, revokedAt)
    }

    /// Returns whether a transaction precedes another by the last tie-breaker, which makes every order total.
    ///
    /// The greater original id precedes, then the greater id; after that, the environment and the app are compared.
    private static func isLater(_ left: TransactionFact, _ right: TransactionFact) -> Bool {
        let (a, b) = (left.key, right.key)
        if left.transaction.originalID != right.transaction.originalID {
            return right.transaction.originalID.precedesAsNumber(left.transaction.originalID)
        }
        if a.transactionID != b.transactionID { return b.transactionID.precedesAsNumber(a.transactionID) }
        if a.environment != b.environment { return a.environment.rawValue < b.environment.rawValue }
        return a.bundleID < b.bundleID
    }
}

extension ServiceLevel {
    /// Returns the rule by which one of two answers about a product precedes the other, as a sentence.
    static func rule(byWhich winner: EntitlementAnswer, beats other: EntitlementAnswer) -> String {
        let (a, b) = (key(of: winner), key(of: other))
        if case .granted = other, winner.kind == other.kind, winner.basis != nil {
            return "A purchase that gives access comes before access without a purchase."
        }
        if a.kind != b.kind { return "Of several answers \"\(winner.word)\" comes before \"\(other.word)\"." }
        if a.lapsedAt != b.lapsedAt {
            return isPermanentlyRevoked(winner)
                ? "Of several revoked purchases the latest revocation decides."
                : "Of several ended purchases the latest purchase decides."
        }
        if a.claim / 2 != b.claim / 2 { return ruleOfStates(winner, other) }
        if a.claim != b.claim { return "The customer's own purchase comes before a shared or assigned one." }
        if a.accessEndsAt != b.accessEndsAt { return "The access that lasts longer comes first." }
        if case .granted = winner { return "Of several grants the one that ends last comes first." }
        if a.purchasedAt != b.purchasedAt { return "The later purchase comes first." }
        guard winner.basis != nil else { return "Of several requests the newest comes first." }
        return "Between equals the greater id decides, so that the answer is always the same."
    }

    /// Returns the rule by which the reason of one answer precedes the reason of another answer.
    ///
    /// If both answers have the same reason, the rule compares their states; for example, access in a grace period and
    /// access in billing retry have the same reason.
    private static func ruleOfStates(_ winner: EntitlementAnswer, _ other: EntitlementAnswer) -> String {
        guard winner.reasonWord == other.reasonWord, let best = winner.basis?.state, let next = other.basis?.state
        else { return "\"\(winner.reasonWord)\" comes before \"\(other.reasonWord)\"." }
        return "\"\(best.rawValue)\" comes before \"\(next.rawValue)\"."
    }

    private static func isPermanentlyRevoked(_ answer: EntitlementAnswer) -> Bool {
        answer.basis?.transaction.productType == .nonConsumable
    }
}
