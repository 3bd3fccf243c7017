package import Storekeeper
import StorekeeperDurable

/// The tables of a ``SQLiteVault``, inside one step.
package struct SQLiteTables: VaultTables {
    let session: Session
    /// What tokens say of whose purchases are.
    package var accountTokens: AccountTokenRule { session.accountTokens }
    /// What was made ready of the facts to be inserted, in their order.
    var prepared: ArraySlice<PreparedFact> = []
    /// The links of what this step has taken out, until its erasure is written down.
    var erasedLinks: [ErasedLink] = []

    init(session: Session) { self.session = session }

    // MARK: Customers

    private static let findCustomer = Query(
        "SELECT id, version, evaluated, synced, wake, salt FROM customer WHERE name = ?")
    private static let addCustomer = Query(
        "INSERT INTO customer(name, version, evaluated, synced, wake, salt) VALUES(?, ?, ?, ?, ?, ?)")
    private static let changeCustomer = Query(
        "UPDATE customer SET version = ?, evaluated = ?, synced = ?, wake = ? WHERE id = ?")
    private static let changeVersion = Query("UPDATE customer SET version = ? WHERE id = ?")
    private static let pageOfCustomers = Query("SELECT name FROM customer WHERE name > ? ORDER BY name LIMIT ?")
    private static let firstCustomers = Query("SELECT name FROM customer ORDER BY name LIMIT ?")

    /// What is noted of a customer.
    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? {
        try known(id)?.row
    }

    /// A customer of whom something was written.
    func known(_ id: CustomerID) throws(VaultError) -> KnownCustomer? {
        if let last = session.customers.last, last.row.id == id { return last }
        if let known = session.customers[id] { return known }
        let found = try session.first(Self.findCustomer) {
            $0.text(id.rawValue)
        } _: { row in
            KnownCustomer(
                number: row.int(),
                row: CustomerRow(
                    id: id, version: row.int(), evaluatedThrough: row.optionalInstant(),
                    syncedAt: row.optionalInstant(), wakeAt: row.optionalInstant()),
                salt: row.blob())
        }
        if let found { session.customers[id] = found }
        return found
    }

    /// Notes it in place of what was noted.
    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        guard let known = try known(row.id) else {
            _ = try add(row)
            return
        }
        if known.row.evaluatedThrough == row.evaluatedThrough, known.row.syncedAt == row.syncedAt,
            known.row.wakeAt == row.wakeAt
        {
            // Spares SQLite from looking after the index of wakes.
            try session.run(Self.changeVersion) {
                $0.int(row.version)
                $0.int(known.number)
            }
        } else {
            try session.run(Self.changeCustomer) {
                $0.int(row.version)
                $0.instant(row.evaluatedThrough)
                $0.instant(row.syncedAt)
                $0.instant(row.wakeAt)
                $0.int(known.number)
            }
        }
        known.row = row
    }

    private func add(_ row: CustomerRow) throws(VaultError) -> KnownCustomer {
        let salt = Digests.salt()
        try session.run(Self.addCustomer) {
            $0.text(row.id.rawValue)
            $0.int(row.version)
            $0.instant(row.evaluatedThrough)
            $0.instant(row.syncedAt)
            $0.instant(row.wakeAt)
            $0.blob(salt)
        }
        let made = KnownCustomer(number: session.lastInsertedRow, row: row, salt: salt, lastNumber: 0)
        session.customers[row.id] = made
        return made
    }

    /// Customers in order of id.
    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        let names =
            if let previous {
                try session.all(Self.pageOfCustomers) {
                    $0.text(previous.rawValue)
                    $0.int(limit)
                } _: {
                    $0.text()
                }
            } else {
                try session.all(Self.firstCustomers) {
                    $0.int(limit)
                } _: {
                    $0.text()
                }
            }
        return names.map(CustomerID.init(rawValue:))
    }

    /// The number that stands for a customer in other tables; `nil` for one of whom nothing was written.
    func number(of customer: CustomerID) throws(VaultError) -> Int64? {
        try known(customer)?.number
    }

    /// The number of a customer, who is noted if need be.
    mutating func numberToWrite(of customer: CustomerID) throws(VaultError) -> Int64 {
        try knownToWrite(customer).number
    }

    /// A customer, who is noted if need be.
    mutating func knownToWrite(_ customer: CustomerID) throws(VaultError) -> KnownCustomer {
        if let known = try known(customer) { return known }
        return try add(CustomerRow(id: customer))
    }
}

/// Tables belong to the connection on whose queue the step runs.
@available(*, unavailable)
extension SQLiteTables: Sendable {}
