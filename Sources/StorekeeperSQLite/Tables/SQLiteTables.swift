package import Storekeeper
import StorekeeperDurable

/// The tables of a ``SQLiteVault``, for use by one step.
package struct SQLiteTables: VaultTables {
    let connection: Connection
    /// The rule that converts account tokens to customers.
    package var accountTokens: AccountTokenRule { connection.accountTokens }
    /// The prepared column values of the facts that the step will insert, in the order of insertion.
    var prepared: ArraySlice<PreparedFact> = []
    /// The sequence numbers and hashes of the rows that this step has deleted, for the proof of the erasure.
    var erasedLinks: [ErasedLink] = []

    init(connection: Connection) { self.connection = connection }

    // MARK: Customers

    private static let findCustomer = Statement(
        "SELECT id, version, evaluated, synced, wake, salt FROM customer WHERE name = ?")
    private static let addCustomer = Statement(
        "INSERT INTO customer(name, version, evaluated, synced, wake, salt) VALUES(?, ?, ?, ?, ?, ?)")
    private static let changeCustomer = Statement(
        "UPDATE customer SET version = ?, evaluated = ?, synced = ?, wake = ? WHERE id = ?")
    private static let changeVersion = Statement("UPDATE customer SET version = ? WHERE id = ?")
    private static let lastErasure = Statement("SELECT sequence FROM erasure ORDER BY sequence DESC LIMIT 1")
    private static let pageOfCustomers = Statement("SELECT name FROM customer WHERE name > ? ORDER BY name LIMIT ?")
    private static let firstCustomers = Statement("SELECT name FROM customer ORDER BY name LIMIT ?")

    /// Returns the row of a customer.
    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? {
        try known(id)?.row
    }

    /// Returns the cached row of a customer; `nil` if the customer is not stored.
    func known(_ id: CustomerID) throws(VaultError) -> CachedCustomer? {
        if let last = connection.customers.last, last.row.id == id { return last }
        if let known = connection.customers[id] { return known }
        let found = try connection.first(Self.findCustomer) {
            $0.text(id.rawValue)
        } _: { row in
            CachedCustomer(
                number: row.int(),
                row: CustomerRow(
                    id: id, version: row.int(), evaluatedThrough: row.optionalInstant(),
                    syncedAt: row.optionalInstant(), wakeAt: row.optionalInstant()),
                salt: row.bytes())
        }
        if let found { connection.customers[id] = found }
        return found
    }

    /// Replaces the row of a customer.
    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        guard let known = try known(row.id) else {
            _ = try add(row)
            return
        }
        if known.row.evaluatedThrough == row.evaluatedThrough, known.row.syncedAt == row.syncedAt,
            known.row.wakeAt == row.wakeAt
        {
            // If only the version changes, a statement that sets only the version avoids an update of the index by
            // wake.
            try connection.run(Self.changeVersion) {
                $0.int(row.version)
                $0.int(known.number)
            }
        } else {
            try connection.run(Self.changeCustomer) {
                $0.int(row.version)
                $0.instant(row.evaluatedThrough)
                $0.instant(row.syncedAt)
                $0.instant(row.wakeAt)
                $0.int(known.number)
            }
        }
        known.row = row
    }

    /// Returns a number greater than each version that an erased customer has had.
    ///
    /// The file no longer contains the versions of erased customers. Each erasure has a greater sequence number than
    /// the previous erasure, and reserves 2²⁰ versions for the customers who are added after it.
    package func versionFloor() throws(VaultError) -> Int64 {
        let last = try connection.first(Self.lastErasure, { _ in }, { $0.int() })
        return (last ?? 0) << 20
    }

    private func add(_ row: CustomerRow) throws(VaultError) -> CachedCustomer {
        let salt = Digests.salt()
        try connection.run(Self.addCustomer) {
            $0.text(row.id.rawValue)
            $0.int(row.version)
            $0.instant(row.evaluatedThrough)
            $0.instant(row.syncedAt)
            $0.instant(row.wakeAt)
            $0.bytes(salt)
        }
        let made = CachedCustomer(number: connection.lastInsertedRow, row: row, salt: salt, lastEntry: AccountEnd.none)
        connection.customers[row.id] = made
        return made
    }

    /// Returns a page of the ids of all customers, in order.
    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        let names =
            if let previous {
                try connection.all(Self.pageOfCustomers) {
                    $0.text(previous.rawValue)
                    $0.int(limit)
                } _: {
                    $0.text()
                }
            } else {
                try connection.all(Self.firstCustomers) {
                    $0.int(limit)
                } _: {
                    $0.text()
                }
            }
        return names.map(CustomerID.init(rawValue:))
    }

    /// Returns the number of a customer in other tables; `nil` if the customer is not stored.
    func number(of customer: CustomerID) throws(VaultError) -> Int64? {
        try known(customer)?.number
    }

    /// Returns the number of a customer in other tables; inserts the customer if necessary.
    mutating func numberToWrite(of customer: CustomerID) throws(VaultError) -> Int64 {
        try knownToWrite(customer).number
    }

    /// Returns the cached row of a customer; inserts the customer if necessary.
    mutating func knownToWrite(_ customer: CustomerID) throws(VaultError) -> CachedCustomer {
        if let known = try known(customer) { return known }
        return try add(CustomerRow(id: customer, version: versionFloor()))
    }
}

/// Tables are not `Sendable`, because a connection may be used only on its own queue.
@available(*, unavailable)
extension SQLiteTables: Sendable {}
