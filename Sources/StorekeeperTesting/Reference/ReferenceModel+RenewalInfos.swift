import Storekeeper

extension ReferenceModel {
    /// Returns the transaction of a line of service that a renewal info is about; `nil` if no transaction had begun
    /// when the info was signed.
    static func subject(of info: RenewalInfo, among facts: [ReferenceFact]) -> ReferenceFact? {
        // The current transaction at an instant is the newest transaction that has begun.
        let begun = facts.filter { $0.purchasedAt <= info.signedAt }
        let period = begun.last.map { Self.period(of: $0, among: facts).map(\.id) } ?? []
        let next = facts.first { $0.purchasedAt > info.signedAt && !period.contains($0.id) }
        // If the renewal date is the expiry of the next transaction instead of the current transaction, the renewal was
        // charged early. The info is then about the next transaction.
        if let next, let date = info.renewsAt, date == next.expiresAt, date != begun.last?.expiresAt { return next }
        return begun.last
    }

    /// Returns the renewal infos about a transaction, beginning with the oldest.
    ///
    /// Of several infos with equal signing dates, only the prevailing info is included.
    ///
    /// For a transaction without an expiry, the result is empty, because the transaction's successor cannot be
    /// determined.
    static func infos(of transaction: ReferenceFact, in line: ReferenceChain) -> [RenewalInfo] {
        let period = Self.period(of: transaction, among: line.facts)
        let infos =
            transaction.expiresAt == nil
            ? []
            : period.flatMap { line.infos[$0.id] ?? [] }
                .sorted { prevails($1, over: $0) }
        return infos.indices.filter { index in
            infos[(index + 1)...].allSatisfy { $0.signedAt != infos[index].signedAt }
        }
        .map { infos[$0] }
    }

    /// Returns the info about a transaction that holds at an instant.
    ///
    /// This is the last info that was signed by then. If no info was signed by then, it is the first info.
    static func holdingInfo(of transaction: ReferenceFact, in line: ReferenceChain, at instant: Instant) -> RenewalInfo?
    {
        let infos = Self.infos(of: transaction, in: line)
        return infos.last { $0.signedAt <= instant } ?? infos.first
    }

    /// Returns the info whose statements about a failed renewal hold at an instant; `nil` before the expiry.
    ///
    /// Only infos that were signed at most 24 hours before the expiry, or later, can report a failed renewal.
    static func failureInfo(of transaction: ReferenceFact, in line: ReferenceChain, at instant: Instant) -> RenewalInfo?
    {
        guard let expiry = transaction.expiresAt, instant >= expiry else { return nil }
        let able = infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
        return able.last { $0.signedAt <= instant } ?? able.first
    }

    /// Returns whether the infos promise service after a transaction's expiry at an instant.
    static func isInGrace(_ transaction: ReferenceFact, in line: ReferenceChain, at instant: Instant) -> Bool {
        if isInGraceByReport(transaction, in: line, at: instant) { return true }
        guard let info = failureInfo(of: transaction, in: line, at: instant), !indicatesGivenUp(info),
            let end = info.gracePeriodExpiresAt
        else { return false }
        return instant < end
    }

    /// Returns the end of a transaction's last grace period; `nil` if no grace period follows the expiry.
    ///
    /// A grace period ends at an instant that an info names, or at the signing of an info that no longer promises it.
    /// By status alone it also ends with a revocation.
    static func graceEnd(of transaction: ReferenceFact, in line: ReferenceChain) -> Instant? {
        let infos = Self.infos(of: transaction, in: line)
        let ends =
            infos.compactMap(\.gracePeriodExpiresAt) + infos.map(\.signedAt)
            + reports(on: transaction, in: line).map(\.signedAt)
            + [transaction.expiresAt?.adding(days: 28), revocation(ofPeriodOf: transaction, in: line)].compactMap { $0 }
        return ends.filter { end in
            isInGrace(transaction, in: line, at: end.adding(milliseconds: -1))
                && !isInGrace(transaction, in: line, at: end)
        }
        .max()
    }
}
