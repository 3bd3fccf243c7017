import Storekeeper

/// The rows that the vault has recorded about one customer, up to an instant.
struct DeskRecord: Sendable {
    let customer: CustomerID
    /// The facts, in the order in which they were learned.
    let facts: [StoredFact]
    /// The entries of the account, in order.
    let entries: [LedgerEntry]
    /// The changes of answers, in order.
    let events: [StoreEvent]
    /// The chains and tokens of the customer.
    let bindings: [Binding]
    let erasures: [Erasure]
    /// The attempts to deliver webhooks about the customer, the newest first.
    let attempts: [WebhookAttempt]
    /// The instant at which the customer's whole history was last read from the App Store.
    let syncedAt: Instant?
    /// The grants of access without a purchase.
    let grants: [AccessGrant]

    private static let pageSize = 1_000

    /// Reads the record; the vault finds the rows of the customer by an index.
    ///
    /// - Parameters:
    ///   - instant: The instant up to which rows are read; `nil` reads all rows.
    ///   - cursor: The position of the last row on the previous page of the history; only webhook attempts before this
    ///     position are read.
    /// - Returns: `nil` if the vault has no data about the customer.
    init?(
        of customer: CustomerID, in vault: any TransactionalVault, asKnownAt instant: Instant?,
        before cursor: DeskHistory.Cursor?
    ) async throws(VaultError) {
        let record = try await vault.load(customer)
        bindings = try await vault.bindings(of: customer).filter { $0.at <= instant ?? $0.at }
        guard !record.facts.isEmpty || record.lastEntry.number > 0 || !record.pending.isEmpty || !bindings.isEmpty
        else { return nil }
        self.customer = customer
        facts = record.facts.filter { $0.learnedAt <= instant ?? $0.learnedAt }
        entries = try await vault.account(of: customer, through: record.lastEntry.number)
            .filter { $0.at <= instant ?? $0.at }
        events = try await Self.events(of: customer, in: vault).filter { $0.change.at <= instant ?? $0.change.at }
        erasures = try await vault.erasures(of: customer).filter { $0.at <= instant ?? $0.at }
        syncedAt = record.syncedAt.flatMap { $0 <= instant ?? $0 ? $0 : nil }
        grants = instant == nil ? record.grants : [AccessGrant](recordedIn: entries)
        let end = [cursor?.at, instant].compactMap(\.self).min()
            .map { WebhookAttempt.Place(at: $0.adding(milliseconds: 1), number: 0) }
        attempts =
            try await vault.webhookAttempts(
                of: nil, about: customer, before: end, limit: 2 * DeskHistory.pageSize + 1)
    }

    private static func events(of customer: CustomerID, in vault: any TransactionalVault) async throws(VaultError)
        -> [StoreEvent]
    {
        var events: [StoreEvent] = []
        while true {
            let page = try await vault.events(after: events.last?.place ?? .start, of: customer, limit: pageSize)
            events += page
            if page.count < pageSize { return events }
        }
    }

    /// The time of the App Store's newest signature on evidence about the customer.
    var newestSignature: Instant? { facts.lazy.map(\.fact.signedAt).max() }
    /// The instant at which the service learned the first fact about the customer.
    var firstLearned: Instant? { facts.first?.learnedAt }
    /// The instant of the customer's first purchase.
    var firstPurchase: Instant? { facts.lazy.compactMap { $0.fact.transaction?.purchasedAt }.min() }
}
