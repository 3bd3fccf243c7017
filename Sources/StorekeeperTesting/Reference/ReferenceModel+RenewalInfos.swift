import Storekeeper

extension ReferenceModel {
    /// The transaction of a line that a renewal info speaks of; `nil` where none had begun when it was signed.
    static func subject(of info: RenewalInfo, among facts: [ReferenceFact]) -> ReferenceFact? {
        // Current at an instant is the newest transaction that had begun by then.
        let begun = facts.filter { $0.purchasedAt <= info.signedAt }
        let next = facts.first { $0.purchasedAt > info.signedAt }
        // A renewal charged early: the renewal date is the expiry of the next one, and not of the former.
        if let next, let date = info.renewsAt, date == next.expiresAt, date != begun.last?.expiresAt { return next }
        return begun.last
    }

    /// The renewal infos that speak of a transaction, the newest last: that one holds.
    ///
    /// Of a transaction without an expiry it cannot be told what follows.
    static func infos(of transaction: ReferenceFact, in line: ReferenceLine) -> [RenewalInfo] {
        transaction.expiresAt == nil ? [] : line.infos[transaction.id] ?? []
    }

    /// Those of them that were signed when the renewal that follows can have failed: 24 hours before the expiry, or later.
    static func infosOfFailedRenewal(of transaction: ReferenceFact, in line: ReferenceLine) -> [RenewalInfo] {
        guard let expiry = transaction.expiresAt else { return [] }
        return infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
    }

    /// The end of grace that holds for a transaction; `nil` where none lies after the expiry.
    static func graceEnd(of transaction: ReferenceFact, in line: ReferenceLine) -> Instant? {
        let infos = infosOfFailedRenewal(of: transaction, in: line)
        guard let expiry = transaction.expiresAt, let newest = infos.last,
            let promised = infos.compactMap(\.gracePeriodExpiresAt).last
        else { return nil }
        // Each way in which it can have ended early, with the first info from which on all say so.
        var ends = [promised]
        if saysGivenUp(newest) {
            let others = infos.lastIndex { !saysGivenUp($0) }
            ends.append(infos[others.map { $0 + 1 } ?? 0].signedAt)
        }
        if newest.gracePeriodExpiresAt == nil {
            let naming = infos.lastIndex { $0.gracePeriodExpiresAt != nil }
            ends.append(infos[naming.map { $0 + 1 } ?? 0].signedAt)
        }
        return ends.min().flatMap { $0 > expiry ? $0 : nil }
    }
}
