package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let addEntry = Statement(
        """
        INSERT INTO ledger(sequence, customer, at, kind, balance, change, after, bundle, environment, transaction_id,
          product, target, key, reason, previous, hash, number, recorded_by, feature, revoked_key)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    static let entryColumns = """
        ledger.sequence, name, at, kind, balance, change, after, bundle, environment, transaction_id, product, target,
        key, reason, number, recorded_by, feature, revoked_key
        """
    private static let selectEntry = "SELECT \(entryColumns) FROM ledger JOIN customer ON customer.id = ledger.customer"
    private static let entriesOfTransaction = Statement(
        "\(selectEntry) WHERE transaction_id = ? AND environment = ? AND bundle = ? ORDER BY ledger.sequence")
    private static let entryOfRequest = Statement("\(selectEntry) WHERE ledger.customer = ? AND key = ?")
    private static let entriesOfCustomer = Statement(
        "\(selectEntry) WHERE ledger.customer = ? AND ledger.sequence > ? ORDER BY ledger.sequence LIMIT ?")
    private static let accessOfCustomer = Statement(
        """
        SELECT \(entryColumns) FROM ledger INDEXED BY ledger_access JOIN customer ON customer.id = ledger.customer
        WHERE ledger.customer = ? AND kind >= 5 ORDER BY ledger.sequence
        """)
    private static let allEntries = Statement(
        "\(selectEntry) WHERE ledger.sequence > ? ORDER BY ledger.sequence LIMIT ?")
    private static let lastOfCustomer = Statement(
        "SELECT number, sequence FROM ledger WHERE customer = ? ORDER BY sequence DESC LIMIT 1")
    private static let oneBalance = Statement(
        "SELECT name, credited, spent, clawed_back, restored FROM balance WHERE customer = ? AND name = ?")
    private static let balancesOfCustomer = Statement(
        "SELECT name, credited, spent, clawed_back, restored FROM balance WHERE customer = ? ORDER BY name")
    private static let changeBalance = Statement(
        "UPDATE balance SET credited = ?, spent = ?, clawed_back = ?, restored = ? WHERE customer = ? AND name = ?")
    private static let addOrChangeBalance = Statement(
        """
        INSERT INTO balance(credited, spent, clawed_back, restored, customer, name) VALUES(?, ?, ?, ?, ?, ?)
        ON CONFLICT(customer, name) DO UPDATE SET credited = excluded.credited, spent = excluded.spent,
          clawed_back = excluded.clawed_back, restored = excluded.restored
        """)

    /// Appends an entry to a customer's account.
    package mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let owner = try knownToWrite(entry.customer)
        let (number, overflow) = try lastNumber(of: owner).addingReportingOverflow(1)
        guard !overflow, number > 0 else { throw connection.file.corrupt("an entry with the highest possible number") }
        let row = LedgerEntry(entry, place: FeedPlace(try connection.nextSequence()), number: number)
        let link = try connection.link(LinkContent(row, salt: owner.salt))
        let columns = row.cause.columns
        try connection.run(Self.addEntry) {
            $0.int(row.place.number)
            $0.int(owner.number)
            $0.instant(row.at)
            $0.int(row.kind.code)
            $0.text(row.balance.rawValue)
            $0.int(row.change)
            $0.int(row.after)
            $0.cause(row.cause, columns)
            $0.link(link)
            $0.int(row.number)
            $0.text(row.recordedBy)
            $0.text(columns.feature)
            $0.text(columns.revokedKey)
        }
        connection.endChain(at: row.place.number, with: link.hash)
        owner.lastNumber = row.number
        return row
    }

    /// Returns the number of the last entry in a customer's account; 0 if the account is empty.
    private func lastNumber(of owner: CachedCustomer) throws(VaultError) -> Int64 {
        if let known = owner.lastNumber { return known }
        return try end(ofAccount: owner.number).number
    }

    /// Returns the entries that a transaction caused, for all balances.
    package func entries(causedBy key: TransactionKey) throws(VaultError) -> [LedgerEntry] {
        try connection.all(Self.entriesOfTransaction) {
            $0.text(key.transactionID.rawValue)
            $0.text(key.environment.rawValue)
            $0.text(key.bundleID)
        } _: { row throws(VaultError) in
            try connection.entry(&row)
        }
    }

    /// Returns the entry that a customer's request caused; `nil` if the request caused no entry.
    package func entry(of customer: CustomerID, key: LedgerRequest.Key) throws(VaultError) -> LedgerEntry? {
        guard let number = try number(of: customer) else { return nil }
        return try connection.first(Self.entryOfRequest) {
            $0.int(number)
            $0.text(key.rawValue)
        } _: { row throws(VaultError) in
            try connection.entry(&row)
        }
    }

    /// Returns the entries of a customer that grant or revoke access, in order.
    package func accessEntries(of customer: CustomerID) throws(VaultError) -> [LedgerEntry] {
        guard let number = try number(of: customer) else { return [] }
        return try connection.all(Self.accessOfCustomer) {
            $0.int(number)
        } _: { row throws(VaultError) in
            try connection.entry(&row)
        }
    }

    /// Returns the entries that follow a place in the feed, of one customer or of all customers.
    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [LedgerEntry] {
        guard let customer else {
            return try connection.all(Self.allEntries) {
                $0.int(place.number)
                $0.int(limit)
            } _: { row throws(VaultError) in
                try connection.entry(&row)
            }
        }
        guard let number = try number(of: customer) else { return [] }
        return try connection.all(Self.entriesOfCustomer) {
            $0.int(number)
            $0.int(place.number)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try connection.entry(&row)
        }
    }

    /// Returns the number and the place in the feed of the last entry in a customer's account.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        guard let number = try number(of: customer) else { return .none }
        return try end(ofAccount: number)
    }

    private func end(ofAccount number: Int64) throws(VaultError) -> AccountEnd {
        try connection.first(Self.lastOfCustomer) {
            $0.int(number)
        } _: {
            AccountEnd(number: $0.int(), place: FeedPlace($0.int()))
        } ?? .none
    }

    /// Returns a balance; `nil` if the account has no entry about this balance.
    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        guard let known = try known(customer) else { return nil }
        if let balance = known.balances.first(where: { $0.id == id }) { return balance }
        let found = try connection.first(Self.oneBalance) {
            $0.int(known.number)
            $0.text(id.rawValue)
        } _: {
            Balance(&$0)
        }
        if let found { known.balances.append(found) }
        return found
    }

    /// Returns a customer's balances, sorted by name.
    package func balances(of customer: CustomerID) throws(VaultError) -> [Balance] {
        guard let number = try number(of: customer) else { return [] }
        return try connection.all(Self.balancesOfCustomer) {
            $0.int(number)
        } _: {
            Balance(&$0)
        }
    }

    /// Replaces the stored row of a balance.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        let known = try knownToWrite(customer)
        let place = known.balances.firstIndex { $0.id == balance.id }
        try connection.run(place == nil ? Self.addOrChangeBalance : Self.changeBalance) {
            $0.int(balance.credited)
            $0.int(balance.spent)
            $0.int(balance.clawedBack)
            $0.int(balance.restored)
            $0.int(known.number)
            $0.text(balance.id.rawValue)
        }
        if let place { known.balances[place] = balance } else { known.balances.append(balance) }
    }
}

extension Connection {
    /// Reads the columns of an entry.
    func entry(_ row: inout RowReader) throws(VaultError) -> LedgerEntry {
        let (sequence, customer, at, code) = (row.int(), row.text(), row.instant(), row.int())
        guard let kind = LedgerEntry.Kind(code: code) else {
            throw file.corrupt("entry \(sequence) of the unknown kind \(code)")
        }
        let (balance, change, after) = (Balance.ID(row.text()), row.int(), row.int())
        let (bundle, environment, transaction) = (row.optionalText(), row.optionalText(), row.optionalText())
        let (product, target, key, reason) = (
            row.optionalText(), row.optionalInt(), row.optionalText(), row.optionalText()
        )
        let (number, recordedBy) = (row.int(), row.optionalText())
        let (feature, revokedKey) = (row.optionalText(), row.optionalText())
        let cause = LedgerEntry.Cause(
            bundle: bundle, environment: environment, transaction: transaction, product: product, target: target,
            key: key, reason: reason, feature: feature, revokedKey: revokedKey)
        guard let cause else { throw file.corrupt("entry \(sequence) without a cause") }
        return LedgerEntry(
            place: FeedPlace(sequence), number: number, customer: CustomerID(rawValue: customer), at: at, kind: kind,
            balance: balance, change: change, after: after, cause: cause, recordedBy: recordedBy)
    }
}

extension ArgumentBinder {
    /// Binds the columns from `bundle` to `reason`.
    fileprivate mutating func cause(_ cause: LedgerEntry.Cause, _ columns: LedgerEntry.Cause.Columns) {
        if let key = cause.transaction {
            text(key.bundleID)
            text(key.environment.rawValue)
            text(key.transactionID.rawValue)
        } else {
            for _ in 0..<3 { null() }
        }
        text(columns.product)
        if let target = columns.target { int(target) } else { null() }
        text(columns.key)
        text(columns.reason)
    }
}

extension Balance {
    fileprivate init(_ row: inout RowReader) {
        self.init(
            id: Balance.ID(row.text()), credited: row.int(), spent: row.int(), clawedBack: row.int(),
            restored: row.int())
    }
}
