extension MemoryTables {
    /// Appends an entry to a customer's account.
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let row = LedgerEntry(
            place: FeedPlace(nextSequence()), number: try lastEntry(of: entry.customer).number + 1,
            customer: entry.customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
            after: entry.after, cause: entry.cause,
            recordedBy: entry.recordedBy)
        store(row)
        log?.lastEntries[row.customer] = AccountEnd(row)
        record(.entry(row))
        return row
    }

    /// Stores an entry with its indexes.
    mutating func store(_ entry: LedgerEntry) {
        let place = entry.place.number
        entries.append(entry, at: place)
        customerEntries.insert(place, under: entry.customer)
        switch entry.cause {
        case .transaction(let key, _, _): causes.insert(place, under: key)
        case .request(let key, _): requests[RequestKey(customer: entry.customer, key: key)] = place
        }
    }

    /// Returns the entries that a transaction caused.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        requireRows(.entries(causedBy: key))
        return entries.rows(at: causes[key])
    }

    /// Returns the entry that a customer's request caused.
    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        if let place = requests[RequestKey(customer: customer, key: key)] { return entries[place] }
        if !isLoaded(.account(of: customer)) { requireRows(.request(of: customer, key: key)) }
        return nil
    }

    /// Returns the entries after a place, of one customer or of all.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        if case .entries(let entries)? = listed(.entries(after: place, of: customer, limit: limit)) { return entries }
        guard let customer else {
            try checkLists("entries")
            return entries.rows(after: place, limit: limit)
        }
        requireRows(.account(of: customer))
        return entries.rows(at: customerEntries[customer], after: place, limit: limit)
    }

    /// Returns the end of a customer's account.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        if let log {
            requireRows(.customer(customer))
            return log.lastEntries[customer] ?? .none
        }
        return customerEntries[customer].last.flatMap { entries[$0] }.map(AccountEnd.init) ?? .none
    }

    /// Returns a balance.
    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        if let balance = balances[BalanceKey(customer: customer, name: id)] { return balance }
        if !isLoaded(.balances(of: customer)) { requireRows(.balance(of: customer, name: id)) }
        return nil
    }

    /// Returns a customer's balances, by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        requireRows(.balances(of: customer))
        return balanceNames[customer].compactMap { balances[BalanceKey(customer: customer, name: $0)] }
    }

    /// Replaces the stored balance.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        store(balance, of: customer)
        record(.balance(balance, of: customer))
    }

    /// Stores a balance with its index.
    mutating func store(_ balance: Balance, of customer: CustomerID) {
        let name = balance.id
        let isNew = balances.set(balance, at: BalanceKey(customer: customer, name: name))
        if isNew { balanceNames.insert(name, under: customer) }
    }
}
