package import Storekeeper

extension SQLiteTables {
    private static let firstWake = Statement(
        "SELECT name, wake FROM customer WHERE wake IS NOT NULL ORDER BY wake, name LIMIT 1")
    private static let selectWakes = """
        SELECT name, customer.wake, node, wake_lease.wake, until FROM customer
        LEFT JOIN wake_lease ON wake_lease.customer = customer.id WHERE customer.wake IS NOT NULL
        """
    private static let firstWakes = Statement("\(selectWakes) ORDER BY customer.wake, name LIMIT ?")
    private static let pageOfWakes = Statement(
        "\(selectWakes) AND (customer.wake, name) > (?, ?) ORDER BY customer.wake, name LIMIT ?")
    private static let removeLeases = Statement("DELETE FROM wake_lease WHERE until <= ?")
    private static let writeLease = Statement(
        """
        INSERT INTO wake_lease(customer, node, wake, until) VALUES(?, ?, ?, ?)
        ON CONFLICT(customer) DO UPDATE SET node = excluded.node, wake = excluded.wake, until = excluded.until
        """)

    /// Returns the customer whose answers change earliest, with the instant of the change (the wake).
    package func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try connection.first(Self.firstWake) { row in (CustomerID(rawValue: row.text()), row.instant()) }
    }

    /// Returns a page of the customers' wakes, sorted by instant and then by customer id.
    package func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        try connection.all(previous == nil ? Self.firstWakes : Self.pageOfWakes) {
            if let previous {
                $0.instant(previous.at)
                $0.text(previous.customer.rawValue)
            }
            $0.int(limit)
        } _: { row in
            let (customer, at) = (CustomerID(rawValue: row.text()), row.instant())
            let (node, wake, until) = (row.optionalText(), row.instant(), row.instant())
            return WakeRow(
                customer: customer, at: at, hold: node.map { HeldWakeLease(node: $0, wakeAt: wake, until: until) })
        }
    }

    /// Stores the lease of a customer's wake, and deletes expired leases so that the table stays small.
    package mutating func setLease(_ hold: HeldWakeLease, of customer: CustomerID, at now: Instant) throws(VaultError) {
        let owner = try numberToWrite(of: customer)
        try connection.run(Self.removeLeases) { $0.instant(now) }
        try connection.run(Self.writeLease) {
            $0.int(owner)
            $0.text(hold.node)
            $0.instant(hold.wakeAt)
            $0.instant(hold.until)
        }
    }
}
