/// How good a claim to access is, in numbers: the smaller, the better.
///
/// What ``ServiceLevel`` decides by first, so that most comparisons look at no transaction. Where two keys are
/// equal ``ServiceLevel`` decides.
struct ServiceKey: Comparable {
    /// The kind of the answer, then what a status without access is worth.
    let kind: Int
    /// The level of service, 1 the highest; only where it counts.
    let level: Int
    /// When access was lost, of answers that lapsed; the later the better.
    let lapsedAt: Instant
    /// A running period before grace before billing retry before what has ended, an own one before a shared one.
    let claim: Int
    /// The end of the access; the later the better.
    let accessEndsAt: Instant
    /// The purchase; the later the better.
    let purchasedAt: Instant

    /// Makes the key of a claim that a transaction gives.
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

    /// Makes the key of what only its kind tells apart.
    init(kind: Int) {
        self.kind = kind
        level = 0
        lapsedAt = .distantPast
        claim = 0
        accessEndsAt = .distantPast
        purchasedAt = .distantPast
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
