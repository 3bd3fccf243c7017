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
            let (a, b) = (rank(left.state), rank(right.state))
            if a != b { return a < b }
        }
        let (leftLevel, rightLevel) = (left.groupLevel ?? .max, right.groupLevel ?? .max)
        if leftLevel != rightLevel { return leftLevel < rightLevel }
        return isPreferred(claim(left), to: claim(right))
    }

    /// Where a state stands among those that give no access: what is nearest to giving it comes first.
    ///
    /// That a running period gives none happens only where nobody knows its ownership.
    private static func rank(_ state: RenewalState) -> Int {
        switch state {
        case .subscribed: 0
        case .inGracePeriod: 1
        case .inBillingRetryPeriod: 2
        case .expired: 3
        case .revoked: 4
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
            return isPreferred(claim(rank(leftReason), leftBasis), to: claim(rank(rightReason), rightBasis))
        case (.lapsed(let leftReason, let leftBasis), .lapsed(let rightReason, let rightBasis)):
            return lapsedLater(claim(rank(leftReason), leftBasis), claim(rank(rightReason), rightBasis))
        case (.unknown(_, let leftBasis?), .unknown(_, let rightBasis?)):
            return lapsedLater(claim(0, leftBasis), claim(0, rightBasis))
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

    private static func rank(_ reason: EntitlementAnswer.LapsedReason) -> Int {
        switch reason {
        case .billingRetry: 0
        case .expired, .upgraded: 1
        case .refunded, .familySharingEnded, .assignmentEnded: 2
        }
    }

    /// Whether a lapse decides before another: that of the later purchase, then the ties.
    ///
    /// Of non-consumables, which never run out, the revocation counts as the date.
    private static func lapsedLater(_ left: Claim, _ right: Claim) -> Bool {
        let (a, b) = (lapseDate(left.fact.transaction), lapseDate(right.fact.transaction))
        return a == b ? isPreferred(left, to: right) : a > b
    }

    private static func lapseDate(_ transaction: Transaction) -> Instant {
        guard transaction.productType == .nonConsumable, let revokedAt = transaction.revokedAt else {
            return transaction.purchasedAt
        }
        return max(transaction.purchasedAt, revokedAt)
    }

    /// A claim to access, as far as ties look at it.
    private struct Claim {
        var rank: Int
        var fact: TransactionFact
        var accessEndsAt: Instant
    }

    private static func claim(_ rank: Int, _ basis: EntitlementAnswer.Basis) -> Claim {
        Claim(rank: rank, fact: basis.fact, accessEndsAt: basis.accessEndsAt)
    }

    private static func claim(_ status: SubscriptionStatus) -> Claim {
        Claim(
            rank: rank(status.state), fact: status.fact,
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
