extension MemoryTables {
    /// Adds an entry to a customer's account.
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let row = LedgerEntry(
            place: FeedPlace(nextSequence()), number: try lastEntry(of: entry.customer).number + 1,
            customer: entry.customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
            after: entry.after, cause: entry.cause,
            recordedBy: entry.recordedBy)
        hold(row)
        log?.lastEntries[row.customer] = AccountEnd(row)
        record(.entry(row))
        return row
    }

    /// Puts an entry where it is looked for.
    mutating func hold(_ entry: LedgerEntry) {
        let place = entry.place.number
        entries.append(entry, at: place)
        customerEntries.insert(place, under: entry.customer)
        switch entry.cause {
        case .transaction(let key, _, _): causes.insert(place, under: key)
        case .request(let key, _): requests[RequestKey(customer: entry.customer, key: key)] = place
        }
    }

    /// The entries that a transaction has made.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        need(.entries(causedBy: key))
        return entries.rows(at: causes[key])
    }

    /// The entry that a customer's request has made.
    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        if let place = requests[RequestKey(customer: customer, key: key)] { return entries[place] }
        if !isLoaded(.account(of: customer)) { need(.request(of: customer, key: key)) }
        return nil
    }

    /// The entries after a place, of a customer or everybody.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        if case .entries(let entries)? = listed(.entries(after: place, of: customer, limit: limit)) { return entries }
        guard let customer else {
            try checkLists("entries")
            return entries.rows(after: place, limit: limit)
        }
        need(.account(of: customer))
        return entries.rows(at: customerEntries[customer], after: place, limit: limit)
    }

    /// Where a customer's account ends.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        if let log {
            need(.customer(customer))
            return log.lastEntries[customer] ?? .none
        }
        return customerEntries[customer].last.flatMap { entries[$0] }.map(AccountEnd.init) ?? .none
    }

    /// A balance.
    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        if let balance = balances[BalanceKey(customer: customer, name: id)] { return balance }
        if !isLoaded(.balances(of: customer)) { need(.balance(of: customer, name: id)) }
        return nil
    }

    /// A customer's balances, by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        need(.balances(of: customer))
        return balanceNames[customer].compactMap { balances[BalanceKey(customer: customer, name: $0)] }
    }

    /// Notes a balance in place of what was noted.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        hold(balance, of: customer)
        record(.balance(balance, of: customer))
    }

    /// Puts a balance where it is looked for.
    mutating func hold(_ balance: Balance, of customer: CustomerID) {
        let name = balance.id
        let isNew = balances.set(balance, at: BalanceKey(customer: customer, name: name))
        if isNew { balanceNames.insert(name, under: customer) }
    }
}
