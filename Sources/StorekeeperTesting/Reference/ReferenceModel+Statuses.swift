import Storekeeper

/// The App Store's own status of a chain, from a notification.
struct ReferenceReport: Sendable {
    let originalID: Transaction.ID
    let appBundleID: String
    let environment: AppStore.Environment
    let signedAt: Instant
    let status: Int64

    /// Reads the status of a notification; `nil` if the notification has none.
    init?(_ notification: NotificationDraft) {
        guard let status = notification.status else { return nil }
        self.status = status
        originalID = notification.transaction.originalID
        appBundleID = notification.transaction.bundleID
        environment = notification.transaction.environment
        signedAt = notification.signedAt
    }
}

extension ReferenceModel {
    /// Returns the reports about a transaction, the oldest first.
    ///
    /// A report is about the transaction that was current when it was signed, if the App Store had tried to renew it by
    /// then. Of several reports with equal signing dates, a report without a grace period prevails, then the greater
    /// number.
    static func reports(on transaction: ReferenceFact, in line: ReferenceChain) -> [ReferenceReport] {
        guard let expiry = transaction.expiresAt else { return [] }
        let period = Self.period(of: transaction, among: line.facts).map(\.id)
        let reports = line.reports.filter { report in
            guard report.signedAt >= expiry.adding(days: -1),
                let current = line.facts.last(where: { $0.purchasedAt <= report.signedAt })
            else { return false }
            return period.contains(current.id)
        }
        return reports.filter { report in
            !reports.contains { other in
                guard other.signedAt == report.signedAt, other.status != report.status else { return false }
                return report.status == 4 || (other.status != 4 && other.status > report.status)
            }
        }
        .sorted { $0.signedAt < $1.signedAt }
    }

    /// Returns whether the App Store's status alone says that a grace period is running.
    static func isInGraceByReport(_ transaction: ReferenceFact, in line: ReferenceChain, at instant: Instant) -> Bool {
        guard let expiry = transaction.expiresAt, expiry <= instant, instant < expiry.adding(days: 28) else {
            return false
        }
        if let revokedAt = revocation(ofPeriodOf: transaction, in: line), revokedAt <= instant { return false }
        let reports = Self.reports(on: transaction, in: line)
        guard let report = reports.last(where: { $0.signedAt <= instant }) ?? reports.first, report.status == 4 else {
            return false
        }
        let able = infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
        let known = able.filter { $0.signedAt <= instant } + able.prefix(1)
        if known.contains(where: { $0.gracePeriodExpiresAt.map { $0 > expiry } ?? false }) { return false }
        return !known.contains {
            report.signedAt < $0.signedAt && $0.signedAt <= instant && indicatesGivenUp($0)
        }
    }

    /// Returns the instant at which the last transaction of a period was revoked; `nil` unless all are revoked.
    static func revocation(ofPeriodOf transaction: ReferenceFact, in line: ReferenceChain) -> Instant? {
        let facts = period(of: transaction, among: line.facts)
        return facts.contains { $0.revokedAt == nil } ? nil : facts.compactMap(\.revokedAt).max()
    }
}
