/// Which of several claims to access is the better one.
///
/// - SeeAlso: Apple, "Determining service entitlement on the server" and
///   "Offering a subscription across multiple apps".
enum ServiceLevel {
    /// Whether a status stands before another in its group.
    static func isHigher(_ left: SubscriptionStatus, _ right: SubscriptionStatus) -> Bool {
        let (a, b) = (key(of: left), key(of: right))
        return a == b ? isLater(left.fact, right.fact) : a < b
    }

    /// What decides first between statuses.
    ///
    /// One that gives access stands before one that does not; then the higher level of service; then the
    /// ties. Where none gives access: billing retry before expired before revoked.
    static func key(of status: SubscriptionStatus) -> ServiceKey {
        ServiceKey(
            kind: status.isEntitled ? 0 : 1 + rankWithoutAccess(status.state), level: status.groupLevel ?? .max,
            rank: status.state == .subscribed ? 0 : status.state == .inGracePeriod ? 1 : 2, fact: status.fact,
            accessEndsAt: max(status.fact.periodEnd, status.gracePeriodExpiresAt ?? .distantPast))
    }

    private static func rankWithoutAccess(_ state: RenewalState) -> Int {
        switch state {
        case .inBillingRetryPeriod, .inGracePeriod: 0
        case .expired: 1
        case .revoked: 2
        case .subscribed: 3
        }
    }

    /// Whether an answer about a product stands before another: entitled, pending, lapsed, unknown, never.
    static func isBetter(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        isBetter(left, right, key: key(of:))
    }

    /// Whether an answer about a feature stands before another: entitled, pending, unknown, lapsed, never.
    static func isBetterForFeature(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        isBetter(left, right, key: keyForFeature(of:))
    }

    private static func isBetter(
        _ left: EntitlementAnswer, _ right: EntitlementAnswer, key: (EntitlementAnswer) -> ServiceKey
    ) -> Bool {
        let (a, b) = (key(left), key(right))
        guard a == b else { return a < b }
        switch (left, right) {
        case (.entitled(_, let leftBasis), .entitled(_, let rightBasis)):
            return isLater(leftBasis.fact, rightBasis.fact)
        case (.lapsed(_, let leftBasis), .lapsed(_, let rightBasis)):
            return lapsedLater(leftBasis.fact, rightBasis.fact)
        default: return false
        }
    }

    /// What decides first between answers about a product.
    static func key(of answer: EntitlementAnswer) -> ServiceKey { key(of: answer, kind: rankOfProduct(answer)) }

    /// What decides first between answers about a feature.
    static func keyForFeature(of answer: EntitlementAnswer) -> ServiceKey {
        key(of: answer, kind: rankOfFeature(answer))
    }

    /// The ties of access: a running period before grace, own before shared, the later end, the later purchase.
    private static func key(of answer: EntitlementAnswer, kind: Int) -> ServiceKey {
        guard case .entitled(let reason, let basis) = answer else { return ServiceKey(kind: kind) }
        return ServiceKey(kind: kind, rank: rank(reason), fact: basis.fact, accessEndsAt: basis.accessEndsAt)
    }

    private static func rankOfProduct(_ answer: EntitlementAnswer) -> Int {
        switch answer {
        case .entitled: 0
        case .pending: 1
        case .lapsed: 2
        case .unknown: 3
        case .never: 4
        }
    }

    private static func rankOfFeature(_ answer: EntitlementAnswer) -> Int {
        switch answer {
        case .entitled: 0
        case .pending: 1
        case .unknown: 2
        case .lapsed: 3
        case .never: 4
        }
    }

    private static func rank(_ reason: EntitlementAnswer.EntitledReason) -> Int {
        switch reason {
        case .active, .owned: 0
        case .gracePeriod: 1
        case .renewalLeeway: 2
        }
    }

    /// Whether a lapse decides before another: that of the later purchase; of non-consumables, which never
    /// run out, that of the later revocation.
    private static func lapsedLater(_ left: TransactionFact, _ right: TransactionFact) -> Bool {
        if left.transaction.productType == .nonConsumable, right.transaction.productType == .nonConsumable {
            let (a, b) = (left.revokedAt ?? .distantPast, right.revokedAt ?? .distantPast)
            if a != b { return a > b }
        }
        let (leftPurchase, rightPurchase) = (left.purchasedAt, right.purchasedAt)
        if leftPurchase != rightPurchase { return leftPurchase > rightPurchase }
        return isLater(left, right)
    }

    /// The last resort, which makes every order total: the greater original id, then the greater id, then
    /// the environment and app.
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
