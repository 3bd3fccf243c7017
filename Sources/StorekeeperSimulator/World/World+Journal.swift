import Storekeeper

extension World {
    /// Adds to the journal what has happened to a subscription, with its newest records.
    ///
    /// - Parameters:
    ///   - kind: What has happened.
    ///   - place: The subscription.
    ///   - record: The transaction that it is about; `nil`: the newest of the subscription.
    ///   - issuesRenewalInfo: Whether the renewal info is signed again for it.
    mutating func log(
        _ kind: HappeningKind, of place: Place<Subscription>, record: Place<TransactionRecord>? = nil,
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

    /// Adds to the journal what has happened to a transaction that is of no subscription.
    mutating func log(_ kind: HappeningKind, of transaction: Place<TransactionState>, note: String? = nil) {
        let state = transactions[transaction]
        journal.append(
            JournalEntry(
                at: now, kind: kind, download: state.download, account: downloads[state.download].account,
                record: state.latest, subject: .transaction(transaction), note: note.map { notes.append($0) }))
    }

    /// Adds to the journal what has happened to an account or to the whole store.
    mutating func log(
        _ kind: HappeningKind, account: Place<Account>? = nil, download: Place<Download>? = nil, note: String
    ) {
        journal.append(
            JournalEntry(at: now, kind: kind, download: download, account: account, note: notes.append(note)))
    }

    /// The number of the state of a subscription now: of the running period, where the next one is paid already.
    func status(of subscription: Subscription) -> UInt8 {
        guard let running = runningTransaction(before: subscription), let latest = transactions[running].latest,
            records[latest].revocation != nil
        else { return subscription.status }
        return 5
    }

    /// The transaction of the period that runs still, where the next one is paid already: on the last day before a
    /// renewal that was charged early.
    func runningTransaction(before subscription: Subscription) -> Place<TransactionState>? {
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
