import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

// Leases that divide scheduled work among nodes.
extension PostgresStorage {
    private static let wakes = Statement(
        """
        SELECT name, wake, lease_node, lease_wake, lease_until FROM storekeeper.customer
        WHERE wake IS NOT NULL ORDER BY wake, name LIMIT $1
        """)
    /// Leases the wake of a customer, unless another node has leased it since the row was read.
    private static let takeLease = Statement(
        """
        UPDATE storekeeper.customer SET lease_node = $2, lease_wake = $3, lease_until = $4
        WHERE id = $1 AND wake = $3 AND (lease_node, lease_wake, lease_until) IS NOT DISTINCT FROM ($5, $6, $7)
        """)
    /// The number of customers that one query reads.
    ///
    /// Other nodes may have leased some of these customers, so several customers are read.
    private static let wakePage: Int64 = 16

    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        let limit = limit
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                var count = Self.wakePage
                while true {
                    let rows = try Self.wakes(count, on: connection, within: limit)
                    var search = WakeSearch(lease, at: now)
                    guard let turn = search.examine(at: rows, isLast: rows.count < count) else {
                        // Other nodes have leased all customers that were read, so more customers must be read.
                        count *= 4
                        continue
                    }
                    guard case .announce(let customer, _) = turn, let hold = search.hold,
                        let known = rows.first(where: { $0.customer == customer })
                    else { return turn }
                    if try Self.acquireLease(hold, of: known, on: connection, within: limit) { return turn }
                }
            }
        }
    }

    private static func wakes(
        _ count: Int64, on connection: Connection, within limit: Duration
    ) throws(PostgresFailure) -> [WakeRow] {
        try connection.run(wakes, [.int(count)], within: limit).map { row throws(PostgresFailure) in
            let (customer, at) = (CustomerID(rawValue: try row.text()), try row.instant())
            let (node, wake, until) = (
                try row.optionalText(), try row.optionalInstant(), try row.optionalInstant()
            )
            var hold: HeldWakeLease?
            if let node, let wake, let until { hold = HeldWakeLease(node: node, wakeAt: wake, until: until) }
            return WakeRow(customer: customer, at: at, hold: hold)
        }
    }

    private static func acquireLease(
        _ hold: HeldWakeLease, of row: WakeRow, on connection: Connection, within limit: Duration
    ) throws(PostgresFailure) -> Bool {
        try connection.run(
            takeLease,
            [
                .bytes(RowID.of(row.customer)), .text(hold.node), .instant(hold.wakeAt),
                .instant(hold.until), .text(row.hold?.node),
                .instant(row.hold?.wakeAt), .instant(row.hold?.until),
            ], within: limit
        ).changed > 0
    }

    // MARK: Deliveries

    /// Leases the deliveries of a customer.
    ///
    /// An existing lease that ends later than twice the duration of a lease from now is replaced, because the clock of
    /// the other node is far ahead of this node's clock.
    private static let takeDeliveries = Statement(
        """
        UPDATE storekeeper.customer SET delivery_node = $2, delivery_until = $3
        WHERE id = $1 AND (delivery_node IS NULL OR delivery_node = $2 OR delivery_until <= $4 OR delivery_until > $5)
        """)
    private static let deliveriesEnd = Statement("SELECT delivery_until FROM storekeeper.customer WHERE id = $1")
    private static let releaseDeliveries = Statement(
        """
        UPDATE storekeeper.customer SET delivery_node = NULL, delivery_until = NULL
        WHERE id = $1 AND delivery_node = $2
        """)

    func leaseDeliveries(
        of customer: CustomerID, _ lease: WakeLease, at now: Instant
    ) async throws(VaultError) -> Instant? {
        let (limit, id) = (limit, RowID.of(customer))
        let end = now.adding(milliseconds: lease.milliseconds)
        let latestEnd = end.adding(milliseconds: lease.milliseconds)
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                let taken = try connection.run(
                    Self.takeDeliveries,
                    [
                        .bytes(id), .text(lease.node), .instant(end),
                        .instant(now), .instant(latestEnd),
                    ], within: limit)
                if taken.changed > 0 { return nil }
                // Another node had the lease. The next query returns the end of the lease, or `nil` if the lease was
                // released in the meantime.
                return try connection.run(Self.deliveriesEnd, [.bytes(id)], within: limit)
                    .first { row throws(PostgresFailure) in try row.optionalInstant() } ?? now
            }
        }
    }

    func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError) {
        let (limit, id) = (limit, RowID.of(customer))
        try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                _ = try connection.run(Self.releaseDeliveries, [.bytes(id), .text(lease.node)], within: limit)
            }
        }
    }
}

extension PostgresVault {
    /// Leases the customer with the earliest wake to a node, if this wake is due.
    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await storage.leaseWake(lease, at: now)
    }
}
