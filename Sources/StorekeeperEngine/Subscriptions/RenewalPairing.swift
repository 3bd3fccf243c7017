/// The assignment of renewal infos to the transactions of one line of service.
///
/// A renewal info usually applies to the transaction that was current when the info was signed. If the next renewal had
/// already been charged by then, the info applies to the next transaction. This is the case if the renewal date of the
/// info is the expiry of the next transaction and not the expiry of the current one. Of several infos that apply to one
/// transaction, each holds from its signing until the signing of the next; see ``RenewalCourse``.
///
/// - SeeAlso: Apple, "App Store Server API: renewalDate".
struct RenewalPairing: Sendable {
    /// The infos in order of signing.
    let infos: [RenewalInfoFact]
    /// The App Store's own signed states of the line, in order of signing; usually empty.
    let statuses: [ReportedStatus]

    init(_ infos: [RenewalInfoFact] = [], statuses: [ReportedStatus] = []) {
        self.infos = infos
        self.statuses = statuses
    }

    /// A period of the line, with the periods before and after it.
    struct Place {
        /// The period before ``period``; `nil` if ``period`` is the first one.
        var former: BilledPeriod?
        let period: BilledPeriod
        /// The period after ``period``; `nil` if ``period`` is the last one.
        var next: BilledPeriod?
    }

    /// Returns the renewal infos that apply to a transaction, from instant to instant; `nil` if no info applies, or if
    /// the end of the transaction's period is not known.
    func course(at place: Place) -> RenewalCourse? {
        guard !infos.isEmpty || !statuses.isEmpty, place.period.first.transaction.expiresAt != nil else { return nil }
        let (infos, statuses) = (infos(at: place), statuses(at: place))
        return infos.isEmpty && statuses.isEmpty ? nil : RenewalCourse(infos, statuses, of: place.period)
    }

    /// Returns the App Store's states of a period, in order of signing.
    ///
    /// A state is about the period that was current when it was signed, and only if it was signed at or after the App
    /// Store's first attempt to renew the period.
    func statuses(at place: Place) -> [ReportedStatus] {
        let end = place.next?.purchasedAt ?? .distantFuture
        let start = max(place.period.purchasedAt, place.period.first.transaction.renewalFirstTriedAt)
        return statuses.filter { start <= $0.signedAt && $0.signedAt < end }
    }

    /// Returns the renewal infos that apply to a transaction, in order of signing.
    ///
    /// Of several infos that were signed at the same instant, only the last in the order of ``CopyOrder`` is returned.
    ///
    /// - Complexity: O(log *n*) in the infos, plus one pass over the infos that were signed between the transaction
    ///   before and the transaction after this one.
    func infos(at place: Place) -> [RenewalInfoFact] {
        let (former, period, next) = (place.former, place.period, place.next)
        var found: [RenewalInfoFact] = []
        func append(_ info: RenewalInfoFact) {
            if let last = found.last, last.renewalInfo.signedAt == info.renewalInfo.signedAt { found.removeLast() }
            found.append(info)
        }
        for index in signed(from: former?.purchasedAt, to: period.purchasedAt)
        where Self.applies(infos[index], to: period, insteadOf: former) { append(infos[index]) }
        for index in signed(from: period.purchasedAt, to: next?.purchasedAt)
        where !Self.applies(infos[index], to: next, insteadOf: period) { append(infos[index]) }
        return found
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
        _ info: RenewalInfoFact, to next: BilledPeriod?, insteadOf current: BilledPeriod?
    ) -> Bool {
        guard let renewsAt = info.renewalInfo.renewsAt, let next else { return false }
        return next.first.transaction.expiresAt == renewsAt && current?.first.transaction.expiresAt != renewsAt
    }
}
