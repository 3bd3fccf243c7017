/// Which of several claims to access is the better one.
///
/// - SeeAlso: Apple, "Determining service entitlement on the server" and
///   "Offering a subscription across multiple apps".
enum ServiceLevel {
    /// Whether a status stands before another in its group.
    ///
    /// One that gives access stands before one that does not; then the higher level of service; then the
    /// ties. Where none gives access: billing retry before expired before revoked.
    static func isHigher(_ left: SubscriptionStatus, _ right: SubscriptionStatus) -> Bool {
        if left.isEntitled != right.isEntitled { return left.isEntitled }
        if !left.isEntitled {
            let (a, b) = (rankWithoutAccess(left.state), rankWithoutAccess(right.state))
            if a != b { return a < b }
        }
        let (leftLevel, rightLevel) = (left.groupLevel ?? .max, right.groupLevel ?? .max)
        if leftLevel != rightLevel { return leftLevel < rightLevel }
        return isPreferred(claim(left), to: claim(right))
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
        let (a, b) = (rankOfProduct(left), rankOfProduct(right))
        return a == b ? isBetterOfOneKind(left, right) : a < b
    }

    /// Whether an answer about a feature stands before another: entitled, pending, unknown, lapsed, never.
    static func isBetterForFeature(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        let (a, b) = (rankOfFeature(left), rankOfFeature(right))
        return a == b ? isBetterOfOneKind(left, right) : a < b
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

    private static func isBetterOfOneKind(_ left: EntitlementAnswer, _ right: EntitlementAnswer) -> Bool {
        switch (left, right) {
        case (.entitled(let leftReason, let leftBasis), .entitled(let rightReason, let rightBasis)):
            return isPreferred(
                Claim(rank: rank(leftReason), fact: leftBasis.fact, accessEndsAt: leftBasis.accessEndsAt),
                to: Claim(rank: rank(rightReason), fact: rightBasis.fact, accessEndsAt: rightBasis.accessEndsAt))
        case (.lapsed(_, let leftBasis), .lapsed(_, let rightBasis)):
            return lapsedLater(leftBasis.fact, rightBasis.fact)
        case (.unknown(_, let leftBasis?), .unknown(_, let rightBasis?)):
            return lapsedLater(leftBasis.fact, rightBasis.fact)
        default:
            return false
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
            let (a, b) = (left.transaction.revokedAt ?? .distantPast, right.transaction.revokedAt ?? .distantPast)
            if a != b { return a > b }
        }
        let (leftPurchase, rightPurchase) = (left.transaction.purchasedAt, right.transaction.purchasedAt)
        if leftPurchase != rightPurchase { return leftPurchase > rightPurchase }
        return isLater(left, right)
    }

    /// A claim to access, as far as ties look at it.
    private struct Claim {
        var rank: Int
        var fact: TransactionFact
        var accessEndsAt: Instant
    }

    private static func claim(_ status: SubscriptionStatus) -> Claim {
        Claim(
            rank: status.state == .subscribed ? 0 : status.state == .inGracePeriod ? 1 : 2, fact: status.fact,
            accessEndsAt: max(status.transaction.subscriptionPeriodEnd, status.gracePeriodExpiresAt ?? .distantPast))
    }

    /// The ties: a running period before grace, own before shared, the later end, the later purchase, the
    /// greater id.
    private static func isPreferred(_ left: Claim, to right: Claim) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        let leftIsOwn = left.fact.transaction.ownershipType == .purchased
        if leftIsOwn != (right.fact.transaction.ownershipType == .purchased) { return leftIsOwn }
        if left.accessEndsAt != right.accessEndsAt { return left.accessEndsAt > right.accessEndsAt }
        let (leftPurchase, rightPurchase) = (left.fact.transaction.purchasedAt, right.fact.transaction.purchasedAt)
        if leftPurchase != rightPurchase { return leftPurchase > rightPurchase }
        return isLater(left.fact, right.fact)
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
