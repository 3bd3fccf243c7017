extension VaultRules {
    /// How many waiting customers are looked at together: one of each node may be leased.
    private static let wakePage = 16

    /// Gives a node the first customer who is due and nobody else's; see ``Vault/leaseWake(_:at:)``.
    package static func leaseWake(
        _ lease: WakeLease, at now: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> WakeTurn {
        let duration = lease.milliseconds
        let end = now.adding(milliseconds: duration)
        // A clock that is behind sees a lease end later than it began anew; one that ends later still was given by a
        // clock that is far ahead, and would keep others waiting for a node that may be dead.
        let latestEnd = end.adding(milliseconds: duration)
        var freed: Instant?
        var last: WakeRow?
        while true {
            let page = try tables.wakes(after: last, limit: wakePage)
            for row in page {
                guard row.at <= now else { return .wait(until: min(row.at, freed ?? row.at)) }
                if let hold = row.hold, hold.wakeAt == row.at, !ByteText.areEqual(hold.node, lease.node),
                    now < hold.until, hold.until <= latestEnd
                {
                    freed = min(hold.until, freed ?? hold.until)
                    continue
                }
                try tables.setLease(
                    WakeHold(node: lease.node, wakeAt: row.at, until: end), of: row.customer, at: now)
                return .announce(row.customer, since: row.at)
            }
            guard page.count == wakePage else { return .wait(until: freed) }
            last = page.last
        }
    }
}
