/// A period of a subscription that was billed: usually one transaction, and several if seats were added during the period.
///
/// The period is revoked only when all of its transactions are revoked. Until then, the newest transaction that is not
/// revoked decides.
///
/// - SeeAlso: Apple, "App Store Server API: additionalTransactionReason".
struct BilledPeriod: Sendable {
    /// The transaction that began the period.
    let first: TransactionFact
    /// The transactions that were added during the period, the newest last.
    private(set) var additions: [TransactionFact] = []

    init(_ first: TransactionFact) { self.first = first }

    /// The newest transaction.
    var last: TransactionFact { additions.last ?? first }

    var productID: Product.ID { first.productID }
    /// The beginning of the period.
    var purchasedAt: Instant { first.purchasedAt }
    /// The end of the period, which all of its transactions have in common.
    var end: Instant { first.periodEnd }

    /// All transactions, the newest last.
    var facts: [TransactionFact] { [first] + additions }

    /// The revocation of the last transaction that was revoked; `nil` unless all transactions are revoked.
    var revokedAt: Instant? {
        let instants = facts.compactMap(\.revokedAt)
        return instants.count == facts.count ? instants.max() : nil
    }

    /// Adds the next transaction of the period.
    fileprivate mutating func append(_ fact: TransactionFact) { additions.append(fact) }

    /// Returns the transactions that decide from instant to instant.
    ///
    /// - Parameter beginning: The instant from which the first transaction counts.
    func deciders(from beginning: Instant) -> [(from: Instant, fact: TransactionFact)] {
        guard !additions.isEmpty else { return [(beginning, first)] }
        let instants = Set([beginning] + additions.map(\.purchasedAt) + facts.compactMap(\.revokedAt)).sorted()
        var deciders: [(from: Instant, fact: TransactionFact)] = []
        for instant in instants where instant >= beginning {
            let fact = decider(at: instant)
            if deciders.last?.fact.transaction !== fact.transaction { deciders.append((instant, fact)) }
        }
        return deciders
    }

    /// Returns the transaction that decides at an instant.
    func decider(at instant: Instant) -> TransactionFact {
        let begun = additions.filter { $0.purchasedAt <= instant }
        return ([first] + begun).last { $0.revokedAt.map { $0 > instant } ?? true } ?? begun.last ?? first
    }
}

/// The periods of a line of service, the newest last.
struct BilledPeriods: Sequence, IteratorProtocol {
    private var facts: IndexingIterator<[TransactionFact]>
    private var following: TransactionFact?
    /// Periods that were found and not yet returned.
    private var found: ArraySlice<BilledPeriod> = []

    /// Divides transactions into periods.
    ///
    /// - Parameter facts: The transactions, the newest last.
    init(_ facts: [TransactionFact]) {
        self.facts = facts.makeIterator()
        following = self.facts.next()
    }

    mutating func next() -> BilledPeriod? {
        if let period = found.popFirst() { return period }
        guard let first = following else { return nil }
        following = facts.next()
        guard let fact = following, hasSamePeriod(fact, as: first) else { return BilledPeriod(first) }
        var facts = [first]
        while let fact = following, hasSamePeriod(fact, as: first) {
            facts.append(fact)
            following = self.facts.next()
        }
        found = Self.periods(of: facts)[...]
        return found.popFirst()
    }

    private func hasSamePeriod(_ fact: TransactionFact, as first: TransactionFact) -> Bool {
        fact.transaction.expiresAt != nil && fact.transaction.expiresAt == first.transaction.expiresAt
            && fact.productID == first.productID
    }

    /// Divides transactions with equal products and expiries into periods.
    ///
    /// The App Store signs the older transaction of a period again when seats are added. A copy of it that was signed
    /// before the addition names no reason and belongs to the period nevertheless.
    private static func periods(of facts: [TransactionFact]) -> [BilledPeriod] {
        let additions = facts.filter { $0.transaction.additionalTransactionReason != nil }
        func isPart(_ fact: TransactionFact) -> Bool {
            fact.transaction.additionalTransactionReason != nil
                || additions.contains { fact.signedAt < $0.purchasedAt }
        }
        var periods: [BilledPeriod] = []
        for fact in facts {
            if let last = periods.last?.last, isPart(last), isPart(fact) {
                periods[periods.count - 1].append(fact)
            } else {
                periods.append(BilledPeriod(fact))
            }
        }
        return periods
    }
}
