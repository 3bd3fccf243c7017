import Storekeeper

extension ReferenceModel {
    /// Returns the transaction of a line that a renewal info is about; `nil` if none had begun when it was signed.
    static func subject(of info: RenewalInfo, among facts: [ReferenceFact]) -> ReferenceFact? {
        // The current transaction at an instant is the newest that had begun by then.
        let begun = facts.filter { $0.purchasedAt <= info.signedAt }
        let next = facts.first { $0.purchasedAt > info.signedAt }
        // A renewal charged early: the renewal date is the expiry of the next transaction, not of this one.
        if let next, let date = info.renewsAt, date == next.expiresAt, date != begun.last?.expiresAt { return next }
        return begun.last
    }

    /// Returns the renewal infos about a transaction, oldest first; the last one is effective.
    ///
    /// The successor of a transaction without an expiry cannot be determined.
    static func infos(of transaction: ReferenceFact, in line: ReferenceChain) -> [RenewalInfo] {
        transaction.expiresAt == nil ? [] : line.infos[transaction.id] ?? []
    }

    /// Returns the infos that can know of a failed renewal: signed at most 24 hours before the expiry, or later.
    static func infosOfFailedRenewal(of transaction: ReferenceFact, in line: ReferenceChain) -> [RenewalInfo] {
        guard let expiry = transaction.expiresAt else { return [] }
        return infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
    }

    /// Returns the effective end of a transaction's grace; `nil` if it is not after the expiry.
    static func graceEnd(of transaction: ReferenceFact, in line: ReferenceChain) -> Instant? {
        let infos = infosOfFailedRenewal(of: transaction, in: line)
        guard let expiry = transaction.expiresAt, let newest = infos.last,
            let promised = infos.compactMap(\.gracePeriodExpiresAt).last
        else { return nil }
        // Each way in which grace can end early, with the first info from which on all agree.
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
