extension MemoryTables {
    /// Appends an entry to a customer's account.
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let row = LedgerEntry(
            entry, place: FeedPlace(nextSequence()), number: try lastEntry(of: entry.customer).number + 1)
        store(row)
        if log != nil { set(AccountEnd(row), at: row.customer, in: \.accountEnds) }
        record(.entry(row))
        return row
    }

    /// Stores an entry, and adds it to the indexes.
    mutating func store(_ entry: LedgerEntry) {
        let place = entry.place.number
        set(entry, at: place, in: \.entries)
        insert(place, into: \.entryOrder)
        insert(place, under: entry.customer, in: \.customerEntries)
        switch entry.cause {
        case .transaction(let key, _, _): insert(place, under: key, in: \.causes)
        case .request(let key, _): set(place, at: .init(customer: entry.customer, key: key), in: \.requests)
        case .access(_, _, let key, _):
            set(place, at: .init(customer: entry.customer, key: key), in: \.requests)
            insert(place, under: entry.customer, in: \.accessEntries)
        case .revocation, .transfer: insert(place, under: entry.customer, in: \.accessEntries)
        }
    }

    /// Returns the entries that a transaction caused.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        requireRows(.entries(causedBy: key))
        return rows.entries.rows(at: rows.causes[key].all)
    }

    /// Returns the entry that a customer's request caused.
    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        if let place = rows.requests[.init(customer: customer, key: key)] { return rows.entries[place] }
        if !isLoaded(.account(of: customer)) { requireRows(.request(of: customer, key: key)) }
        return nil
    }

    /// Returns the entries of a customer that grant or revoke access, in order.
    package func accessEntries(of customer: CustomerID) throws(VaultError) -> [LedgerEntry] {
        if !isLoaded(.account(of: customer)) { requireRows(.access(of: customer)) }
        return rows.entries.rows(at: rows.accessEntries[customer].all)
    }

    /// Returns the entries that follow a place in the feed, of one customer or of all customers.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        if case .entries(let entries)? = listed(.entries(after: place, of: customer, limit: limit)) { return entries }
        guard let customer else {
            try checkLists("entries")
            return rows.entries.rows(at: rows.entryOrder.elements(after: place.number, limit: limit))
        }
        requireRows(.account(of: customer))
        let places = rows.customerEntries[customer].elements(after: place.number, limit: limit)
        return rows.entries.rows(at: places)
    }

    /// Returns the number and the place of the last entry of a customer's account.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        if log != nil {
            requireRows(.customer(customer))
            return rows.accountEnds[customer] ?? .none
        }
        return rows.customerEntries[customer].last.flatMap { rows.entries[$0] }.map(AccountEnd.init) ?? .none
    }

    /// Returns a customer's balance; `nil` if the customer has no balance with this name.
    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        if let balance = rows.balances[.init(customer: customer, name: id)] { return balance }
        if !isLoaded(.balances(of: customer)) { requireRows(.balance(of: customer, name: id)) }
        return nil
    }

    /// Returns a customer's balances, by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        requireRows(.balances(of: customer))
        return rows.balanceNames[customer].all.compactMap { rows.balances[.init(customer: customer, name: $0)] }
    }

    /// Replaces the stored balance.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        store(balance, of: customer)
        record(.balance(balance, of: customer))
    }

    /// Stores a balance, and adds it to the index.
    mutating func store(_ balance: Balance, of customer: CustomerID) {
        let name = balance.id
        let known = set(balance, at: .init(customer: customer, name: name), in: \.balances)
        if known == nil { insert(name, under: customer, in: \.balanceNames) }
    }
}
