/// The order of claims to access.
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
    /// A status that gives access precedes one that does not; then the higher level of service; then the ties. If none
    /// gives access: billing retry before expired before revoked.
    static func key(of status: SubscriptionStatus) -> ServiceKey {
        let rank = rank(status.state)
        return ServiceKey(
            kind: status.isEntitled ? 0 : 1 + rank, level: status.groupLevel ?? .max, rank: rank, fact: status.fact,
            accessEndsAt: max(status.fact.periodEnd, status.gracePeriodExpiresAt ?? .distantPast))
    }

    /// Returns the rank of a state: the state nearest to giving access comes first.
    ///
    /// A running period gives no access only if its ownership type is unknown.
    private static func rank(_ state: RenewalState) -> Int {
        switch state {
        case .subscribed: 0
        case .inGracePeriod: 1
        case .inBillingRetryPeriod: 2
        case .expired: 3
        case .revoked: 4
        }
    }

    /// Returns whether an answer precedes another: entitled by a purchase, granted without one, pending, unknown,
    /// lapsed, never.
    package static func isBetter(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        let (a, b) = (key(of: left), key(of: right))
        guard a == b else { return a < b }
        guard let leftBasis = left.basis, let rightBasis = right.basis else { return false }
        return isLater(leftBasis.fact, rightBasis.fact)
    }

    /// Returns the key by which answers are compared first: the kind; then the ties.
    ///
    /// Ties between answers with access: a running period precedes grace and billing retry, then an own purchase
    /// precedes a shared one, then the later end, then the later purchase. Between lapsed or unknown answers, the later
    /// loss is compared before these.
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
        case .unknown(_, nil), .pending, .never: ServiceKey(kind: kind)
        }
    }

    private static func rank(_ answer: EntitlementAnswer) -> Int {
        switch answer {
        case .entitled: 0
        case .granted: 1
        case .pending: 2
        case .unknown: 3
        case .lapsed: 4
        case .never: 5
        }
    }

    /// Returns the date of a lapse: of several lapsed purchases the latest decides; for non-consumables, which never
    /// run out, the revocation is the date.
    private static func lapseDate(_ fact: TransactionFact) -> Instant {
        guard fact.transaction.productType == .nonConsumable, let revokedAt = fact.revokedAt else {
            return fact.purchasedAt
        }
        return max(fact.purchasedAt, revokedAt)
    }

    /// The last tie-breaker, which makes every order total: the greater original id, then the greater id, then the
    /// environment and app.
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
