import Storekeeper

extension ReferenceModel {
    /// Returns the transaction of a line of service that a renewal info is about; `nil` if no transaction had begun
    /// when the info was signed.
    static func subject(of info: RenewalInfo, among facts: [ReferenceFact]) -> ReferenceFact? {
        // The current transaction at an instant is the newest transaction that has begun.
        let begun = facts.filter { $0.purchasedAt <= info.signedAt }
        let next = facts.first { $0.purchasedAt > info.signedAt }
        // If the renewal date is the expiry of the next transaction instead of the current transaction, the renewal was
        // charged early. The info is then about the next transaction.
        if let next, let date = info.renewsAt, date == next.expiresAt, date != begun.last?.expiresAt { return next }
        return begun.last
    }

    /// Returns the renewal infos about a transaction, beginning with the oldest.
    ///
    /// The last info overrides the earlier infos.
    ///
    /// For a transaction without an expiry, the result is empty, because the transaction's successor cannot be
    /// determined.
    static func infos(of transaction: ReferenceFact, in line: ReferenceChain) -> [RenewalInfo] {
        transaction.expiresAt == nil ? [] : line.infos[transaction.id] ?? []
    }

    /// Returns the infos that can report a failed renewal.
    ///
    /// These infos were signed at most 24 hours before the expiry, or later.
    static func infosOfFailedRenewal(of transaction: ReferenceFact, in line: ReferenceChain) -> [RenewalInfo] {
        guard let expiry = transaction.expiresAt else { return [] }
        return infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
    }

    /// Returns the end of a transaction's grace period, which may be before the promised end; `nil` if no grace period
    /// follows the expiry.
    static func graceEnd(of transaction: ReferenceFact, in line: ReferenceChain) -> Instant? {
        let infos = infosOfFailedRenewal(of: transaction, in: line)
        guard let expiry = transaction.expiresAt, let newest = infos.last,
            let promised = infos.compactMap(\.gracePeriodExpiresAt).last
        else { return nil }
        // The grace period ends before the promised date if billing was given up, or if a later info has no such date.
        // The newest infos then all show the change, and the first of these infos was signed at the end of the grace
        // period.
        var ends = [promised]
        if indicatesGivenUp(newest) {
            let others = infos.lastIndex { !indicatesGivenUp($0) }
            ends.append(infos[others.map { $0 + 1 } ?? 0].signedAt)
        }
        if newest.gracePeriodExpiresAt == nil {
            let naming = infos.lastIndex { $0.gracePeriodExpiresAt != nil }
            ends.append(infos[naming.map { $0 + 1 } ?? 0].signedAt)
        }
        return ends.min().flatMap { $0 > expiry ? $0 : nil }
    }
}
