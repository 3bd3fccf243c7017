/// A sort key that ranks an answer or a status; a smaller key is better.
///
/// ``ServiceLevel`` compares the keys first, and compares the transactions only if the keys are equal. Most comparisons
/// therefore read no transaction.
struct ServiceKey: Comparable {
    /// The rank of the answer's kind; for a status, 0 if it gives access, and otherwise a rank from 1 that depends on
    /// its state.
    let kind: Int
    /// The level of service of a status, 1 being the highest; 0 for an answer, because levels do not rank answers.
    let level: Int
    /// The date by which lapsed and unknown answers are compared; a later date is better.
    let lapsedAt: Instant
    /// The rank of the state, with ownership as the tie-breaker.
    ///
    /// A running period comes before a grace period, then billing retry, then an expired period, then a revocation. In
    /// the same state, the customer's own purchase comes before a shared purchase.
    let claim: Int
    /// The end of the access; a later end is better.
    let accessEndsAt: Instant
    /// The purchase date; a later date is better.
    let purchasedAt: Instant

    /// Creates the sort key of an answer or a status that is based on a transaction.
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

    /// Creates the sort key of an answer that is not based on a transaction.
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
