import Storekeeper

extension World {
    /// Logs a happening of a subscription with the newest records of the subscription.
    ///
    /// - Parameters:
    ///   - kind: The kind of happening.
    ///   - place: The subscription.
    ///   - record: The record of the transaction; `nil` for the newest record of the current transaction.
    ///   - issuesRenewalInfo: Whether the renewal info is signed again.
    mutating func log(
        _ kind: HappeningKind, of place: RowIndex<Subscription>, record: RowIndex<TransactionRecord>? = nil,
        issuesRenewalInfo: Bool = true, note: String? = nil
    ) {
        let renewalRecord = issuesRenewalInfo ? issueRenewalInfo(of: place) : subscriptions[place].renewalRecord
        let subscription = subscriptions[place]
        journal.append(
            JournalEntry(
                at: now, kind: kind, status: status(of: subscription), download: subscription.download,
                account: subscription.account, record: record ?? transactions[subscription.current].latest,
                renewalRecord: renewalRecord, note: note.map { notes.append($0) }))
    }

    /// Logs a happening of a transaction without a renewal info.
    mutating func log(_ kind: HappeningKind, of transaction: RowIndex<TransactionState>, note: String? = nil) {
        let state = transactions[transaction]
        journal.append(
            JournalEntry(
                at: now, kind: kind, download: state.download, account: downloads[state.download].account,
                record: state.latest, subject: .transaction(transaction), note: note.map { notes.append($0) }))
    }

    /// Logs a happening of an account or of the whole store.
    mutating func log(
        _ kind: HappeningKind, account: RowIndex<Account>? = nil, download: RowIndex<Download>? = nil, note: String
    ) {
        journal.append(
            JournalEntry(at: now, kind: kind, download: download, account: account, note: notes.append(note)))
    }

    /// Returns the `status` that notifications state for a subscription.
    ///
    /// If the next period is already paid, but the running period is revoked, the status is 5, revoked.
    func status(of subscription: Subscription) -> UInt8 {
        guard let running = runningTransaction(before: subscription), let latest = transactions[running].latest,
            records[latest].revocation != nil
        else { return subscription.status }
        return 5
    }

    /// Returns the transaction of the running period if the next period is already paid; if not, returns `nil`.
    ///
    /// Both periods exist during the last day before a renewal that was charged early.
    func runningTransaction(before subscription: Subscription) -> RowIndex<TransactionState>? {
        guard subscription.service.startedAt > now, let latest = transactions[subscription.current].latest,
            let place = records[latest].subscription
        else { return nil }
        var next = transactions[subscription.current].previous
        while let transaction = next {
            let state = transactions[transaction]
            if !state.isDeleted, let latest = state.latest, isTransaction(transaction, of: place) {
                return records[latest].expiresAt ?? .distantPast > now ? transaction : nil
            }
            next = state.previous
        }
        return nil
    }
}
