extension WorkingTables {
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let row = LedgerEntry(
            place: FeedPlace(rows.nextSequence()), number: try lastEntry(of: entry.customer).number + 1,
            customer: entry.customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
            after: entry.after, cause: entry.cause,
            recordedBy: entry.recordedBy)
        rows.hold(row)
        setLastEntry(AccountEnd(row), of: row.customer)
        record(.entry(row))
        return row
    }

    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        need(.entries(causedBy: key))
        return try rows.entries(causedBy: key)
    }

    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        if let entry = try rows.entry(of: customer, key: key) { return entry }
        if !loaded.contains(.account(of: customer)) { need(.request(of: customer, key: key)) }
        return nil
    }

    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        if case .entries(let entries)? = rows(of: .entries(after: place, of: customer, limit: limit)) { return entries }
        guard let customer else { throw noList(of: "entries") }
        need(.account(of: customer))
        return try rows.entries(after: place, of: customer, limit: limit)
    }

    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        if let balance = try rows.balance(id, of: customer) { return balance }
        if !loaded.contains(.balances(of: customer)) { need(.balance(of: customer, name: id)) }
        return nil
    }

    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        need(.balances(of: customer))
        return try rows.balances(of: customer)
    }

    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        try rows.setBalance(balance, of: customer)
        record(.balance(balance, of: customer))
    }
}
