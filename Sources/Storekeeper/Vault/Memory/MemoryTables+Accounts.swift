extension MemoryTables {
    /// Adds an entry to a customer's account.
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let row = LedgerEntry(
            place: FeedPlace(nextSequence()), number: Int64(customers[entry.customer]?.entries.count ?? 0) + 1,
            customer: entry.customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
            after: entry.after, cause: entry.cause)
        entries.append(row, at: row.place.number)
        customers[row.customer, default: CustomerRows()].entries.append(row.place.number)
        switch row.cause {
        case .transaction(let key, _, _): causes[key, default: []].append(row.place.number)
        case .request(let key, _): customers[row.customer]?.requests[ByteText(key)] = row.place.number
        }
        note { tables in
            switch row.cause {
            case .transaction(let key, _, _): tables.causes.remove(row.place.number, under: key)
            case .request(let key, _): tables.customers[row.customer]?.requests[ByteText(key)] = nil
            }
            tables.customers[row.customer]?.entries.removeLast()
            tables.entries.removeLast(row.place.number)
        }
        return row
    }

    /// The entries that a transaction has made.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        (causes[key] ?? []).compactMap { entries[$0] }
    }

    /// The entry that a customer's request has made.
    package func entry(of customer: CustomerID, key: String) throws(VaultError) -> LedgerEntry? {
        customers[customer]?.requests[ByteText(key)].flatMap { entries[$0] }
    }

    /// The entries after a place, of a customer or everybody.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        guard let customer else { return entries.rows(after: place, limit: limit) }
        return entries.rows(at: customers[customer]?.entries ?? [], after: place, limit: limit)
    }

    /// Where a customer's account ends.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        customers[customer]?.entries.last.flatMap { entries[$0] }.map(AccountEnd.init) ?? .none
    }

    /// A balance.
    package func balance(_ id: String, of customer: CustomerID) throws(VaultError) -> Balance? {
        customers[customer]?.balances[ByteText(id)]
    }

    /// A customer's balances, by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        (customers[customer]?.balances.values).map { $0.sorted { ByteText($0.id) < ByteText($1.id) } } ?? []
    }

    /// Notes a balance in place of what was noted.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        let known = customers[customer, default: CustomerRows()].balances.updateValue(
            balance, forKey: ByteText(balance.id))
        note { tables in tables.customers[customer]?.balances[ByteText(balance.id)] = known }
    }
}
