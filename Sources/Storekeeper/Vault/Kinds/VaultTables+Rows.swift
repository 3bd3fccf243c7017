/// The calls about rows of described tables.
extension VaultTables {
    /// Returns the entries that a transaction caused, on all balances.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        try all(
            LedgerEntry.byTransaction, key.transactionID.rawValue, key.environment.rawValue, key.bundleID)
    }

    /// Returns the entry that a customer's request caused.
    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        try first(LedgerEntry.byRequest, customer, key.rawValue)
    }

    /// Returns the entries of a customer that grant or revoke access or record a transfer, in order.
    package func accessEntries(of customer: CustomerID) throws(VaultError) -> [LedgerEntry] {
        try all(LedgerEntry.aboutAccess, customer)
    }

    /// Returns the account entries that follow a position in the feed, of one customer or of all customers.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        guard let customer else { return try page(of: LedgerEntry.self, after: place, limit: limit) }
        return try page(LedgerEntry.ofCustomer, customer, after: place, limit: limit)
    }

    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        try last(LedgerEntry.ofCustomer, customer).map { AccountEnd($0) } ?? .none
    }

    package mutating func append(_ draft: LedgerDraft) throws(VaultError) -> LedgerEntry {
        try append(draft, after: lastEntry(of: draft.customer))
    }

    /// Appends an entry after the last entry of the account, which the caller knows.
    package mutating func append(_ draft: LedgerDraft, after last: AccountEnd) throws(VaultError) -> LedgerEntry {
        let (number, overflow) = last.number.addingReportingOverflow(1)
        guard !overflow, number > 0 else {
            throw VaultError(.corrupt, "an account has an entry with the highest possible number")
        }
        let entry = LedgerEntry(draft, place: try nextPlace(), number: number)
        _ = try insert(entry)
        return entry
    }

    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        try storedBalance(id, of: customer)
    }

    /// Reads a balance, for tables that implement ``balance(_:of:)`` with a cache.
    package func storedBalance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        try first(BalanceRow.byName, customer, id.rawValue)?.balance
    }

    /// Returns a customer's balances, by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        try all(BalanceRow.ofCustomer, customer).map(\.balance)
    }

    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        try storeBalance(balance, of: customer)
    }

    /// Inserts or replaces a balance, for tables that implement ``setBalance(_:of:)`` with a cache.
    package mutating func storeBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        try set(BalanceRow(balance, of: customer))
    }

    /// Replaces a balance, which must be stored.
    package mutating func updateBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        try update(BalanceRow(balance, of: customer))
    }

    /// Appends an event.
    package mutating func append(
        _ change: StoreEvent.Change, about customer: CustomerID
    ) throws(VaultError) -> StoreEvent {
        let event = StoreEvent(place: try nextPlace(), customer: customer, change: change)
        _ = try insert(event)
        return event
    }

    /// Returns the events that follow a position in the feed, about one customer or about all customers.
    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoreEvent] {
        guard let customer else { return try page(of: StoreEvent.self, after: place, limit: limit) }
        return try page(StoreEvent.ofCustomer, customer, after: place, limit: limit)
    }

    /// Removes the rows of a customer whose kinds are described, except for those that an erasure empties.
    package mutating func removeRows(of customer: CustomerID) throws(VaultError) {
        for table in allTables where table.owner != nil && table.erasure == .deleted {
            let keys = self.keys
            keys.removeAll()
            keys.owner(customer)
            _ = try remove(table, (table.index("customer"), keys))
        }
    }

    /// Returns the pending purchases of a customer.
    package func pending(of customer: CustomerID) throws(VaultError) -> [PendingPurchase] {
        try all(PendingRow.ofCustomer, customer).map(\.purchase)
    }

    /// Replaces a customer's pending purchases.
    package mutating func setPending(_ pending: [PendingPurchase], of customer: CustomerID) throws(VaultError) {
        // Rows are removed only if the list has become shorter, because a remote storage writes rows of several steps
        // together only until rows are removed.
        if try self.pending(of: customer).count > pending.count { _ = try remove(PendingRow.ofCustomer, customer) }
        for (position, purchase) in pending.enumerated() {
            try set(PendingRow(purchase, at: position, of: customer))
        }
    }

    /// Records a notification; returns `false` if the notification was recorded before.
    package mutating func insert(
        notification uuid: ServerNotification.ID, at instant: Instant
    ) throws(VaultError) -> Bool {
        try insert(NotificationRow(uuid: uuid, at: instant))
    }

    /// Returns whether a notification was recorded.
    package func isSeen(notification uuid: ServerNotification.ID) throws(VaultError) -> Bool {
        try first(NotificationRow.byID, uuid.rawValue) != nil
    }

    /// Returns the position up to which a backend's stream was read.
    package func cursor(of backend: String) throws(VaultError) -> UpdateCursor? {
        try first(CursorRow.byBackend, backend)?.cursor
    }

    /// Records the position up to which a backend's stream was read.
    package mutating func setCursor(_ cursor: UpdateCursor, of backend: String) throws(VaultError) {
        try set(CursorRow(backend: UpdateCursor.Backend(backend), cursor: cursor))
    }
}
