/// The rank of a claim to access, in numbers: smaller is better.
///
/// ``ServiceLevel`` compares keys first, so that most comparisons read no transaction. If two keys are equal
/// ``ServiceLevel`` decides.
struct ServiceKey: Comparable {
    /// The rank of the answer's kind, then of a status without access.
    let kind: Int
    /// The level of service, 1 the highest; only if it counts.
    let level: Int
    /// The end of access of a lapsed answer; later is better.
    let lapsedAt: Instant
    /// A running period before grace before billing retry before an ended one; an own claim before a shared one.
    let claim: Int
    /// The end of the access; later is better.
    let accessEndsAt: Instant
    /// The purchase date; later is better.
    let purchasedAt: Instant

    /// Creates the key of a claim with a transaction.
    init(
        kind: Int, level: Int = 0, lapsedAt: Instant = .distantPast, rank: Int, fact: TransactionFact,
        accessEndsAt: Instant
    ) {
        self.kind = kind
        self.level = level
        self.lapsedAt = lapsedAt
        claim = 2 * rank + (fact.transaction.ownershipType == .purchased ? 0 : 1)
        self.accessEndsAt = accessEndsAt
        purchasedAt = fact.purchasedAt
    }

    /// Creates the key of a claim without a transaction.
    init(kind: Int, accessEndsAt: Instant = .distantPast, grantedAt: Instant = .distantPast) {
        self.kind = kind
        level = 0
        lapsedAt = .distantPast
        claim = 0
        self.accessEndsAt = accessEndsAt
        purchasedAt = grantedAt
    }

    static func < (left: ServiceKey, right: ServiceKey) -> Bool {
        if left.kind != right.kind { return left.kind < right.kind }
        if left.level != right.level { return left.level < right.level }
        if left.lapsedAt != right.lapsedAt { return left.lapsedAt > right.lapsedAt }
        if left.claim != right.claim { return left.claim < right.claim }
        if left.accessEndsAt != right.accessEndsAt { return left.accessEndsAt > right.accessEndsAt }
        return left.purchasedAt > right.purchasedAt
    }
}
