/// The assignment of renewal infos to the transactions of one line of service.
///
/// A renewal info usually applies to the transaction that was current when the info was signed. If the next renewal had
/// already been charged by then, the info applies to the next transaction. This is the case if the renewal date of the
/// info is the expiry of the next transaction and not the expiry of the current one. Of several infos that apply to one
/// transaction, the info signed last counts.
///
/// - SeeAlso: Apple, "App Store Server API: renewalDate".
struct RenewalPairing: Sendable {
    /// The infos in order of signing.
    let infos: LeafArray<RenewalInfoFact>

    init(_ infos: LeafArray<RenewalInfoFact> = LeafArray()) { self.infos = infos }

    /// A transaction of the line, with the transactions before and after it.
    struct Place {
        /// The transaction before ``fact``; `nil` if ``fact`` is the first transaction.
        var former: TransactionFact?
        let fact: TransactionFact
        /// The transaction after ``fact``; `nil` if ``fact`` is the last transaction.
        var next: TransactionFact?
    }

    /// Returns the newest renewal info that applies to a transaction, and the end of the grace period; `nil` if no info
    /// applies to the transaction.
    ///
    /// - Complexity: O(log *n*) in the infos, plus one pass over the infos that decide the end of the grace period.
    func outlook(at place: Place) -> RenewalOutlook? {
        // Without the end of the transaction's period, the result is `nil`.
        guard !infos.isEmpty, place.fact.transaction.expiresAt != nil else { return nil }
        var newest: RenewalInfoFact?
        var grace = GraceReading(of: place.fact.transaction)
        readNewestFirst(at: place) { info in
            if newest == nil { newest = info }
            return grace.read(info)
        }
        guard let newest else { return nil }
        return RenewalOutlook(info: newest, graceEnd: grace.end)
    }

    /// Returns the infos that apply to a transaction, in reverse order of signing.
    func infosNewestFirst(at place: Place) -> [RenewalInfoFact] {
        var found: [RenewalInfoFact] = []
        readNewestFirst(at: place) { info in
            found.append(info)
            return true
        }
        return found
    }

    /// Iterates over the infos that apply to a transaction, in reverse order of signing.
    ///
    /// - Parameter read: The closure that reads an info, and returns whether to continue with the info that was signed
    ///   before it.
    private func readNewestFirst(at place: Place, _ read: (RenewalInfoFact) -> Bool) {
        let (former, fact, next) = (place.former, place.fact, place.next)
        for index in signed(from: fact.purchasedAt, to: next?.purchasedAt).reversed()
        where !Self.applies(infos[index], to: next, insteadOf: fact) {
            guard read(infos[index]) else { return }
        }
        for index in signed(from: former?.purchasedAt, to: fact.purchasedAt).reversed()
        where Self.applies(infos[index], to: fact, insteadOf: former) {
            guard read(infos[index]) else { return }
        }
    }

    private func signed(from start: Instant?, to end: Instant?) -> Range<Int> {
        let first = start.map(firstSigned(from:)) ?? 0
        return first..<max(first, end.map(firstSigned(from:)) ?? infos.count)
    }

    private func firstSigned(from instant: Instant) -> Int {
        // Most callers pass an instant after the last signature.
        if let last = infos.last, last.renewalInfo.signedAt < instant { return infos.count }
        return infos.partitioningIndex { $0.renewalInfo.signedAt >= instant }
    }

    /// Returns whether an info that was signed before the next transaction began nevertheless applies to the next
    /// transaction, because the App Store charged that transaction early.
    private static func applies(
        _ info: RenewalInfoFact, to next: TransactionFact?, insteadOf current: TransactionFact?
    ) -> Bool {
        guard let renewsAt = info.renewalInfo.renewsAt, let next else { return false }
        return next.transaction.expiresAt == renewsAt && current?.transaction.expiresAt != renewsAt
    }
}

/// The renewal info that applies to the time after one transaction, and the end of the grace period.
struct RenewalOutlook: Equatable, Sendable {
    /// The newest renewal info that applies to the transaction.
    let info: RenewalInfoFact
    /// The end of the grace period, exclusive; `nil` if no grace period follows the transaction's period.
    let graceEnd: Instant?
}

/// Determines the end of the grace period from the infos of one transaction, read in reverse order of signing.
///
/// A grace period runs from the expiry to the date that the infos name. The grace period ends earlier if the newest
/// info indicates that the customer gave up the subscription, or no longer names a date. In this case the grace period
/// ends at the earliest signing time such that all infos from then on agree with the newest info on this point. The
/// signing time of the newest info itself is often later, because the App Store signs the same state again whenever the
/// state is fetched.
struct GraceReading {
    private let transaction: Transaction
    /// The end of the grace period according to the newest info that names a grace period.
    private var date: Instant?
    /// The earliest signing time such that no info from then on names the end of a grace period.
    private var unnamedSince: Instant?
    /// The earliest signing time such that all infos from then on indicate that the customer gave up the subscription.
    private var givenUpSince: Instant?
    private var isGivenUp = true

    init(of transaction: Transaction) { self.transaction = transaction }

    /// Reads the next older info.
    ///
    /// - Returns: Whether an even older info may change the result.
    mutating func read(_ fact: RenewalInfoFact) -> Bool {
        guard let info = fact.renewalInfo.ofFailedRenewal(after: transaction) else { return false }
        if isGivenUp, info.indicatesGivenUp { givenUpSince = info.signedAt } else { isGivenUp = false }
        if date == nil {
            date = info.gracePeriodExpiresAt
            if date == nil { unnamedSince = info.signedAt }
        }
        return isGivenUp || date == nil
    }

    /// The end of the grace period; `nil` if the grace period does not end after the transaction's period.
    var end: Instant? {
        guard var end = date else { return nil }
        if let givenUpSince { end = min(end, givenUpSince) }
        if let unnamedSince { end = min(end, unnamedSince) }
        return end > transaction.subscriptionPeriodEnd ? end : nil
    }
}
