extension VaultRules {
    /// How many waiting customers are looked at together: one of each node may be leased.
    private static let wakePage = 16

    /// Gives a node the first customer who is due and nobody else's; see ``Vault/leaseWake(_:at:)``.
    package static func leaseWake(
        _ lease: WakeLease, at now: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> WakeTurn {
        var search = WakeSearch(lease, at: now)
        var last: WakeRow?
        while true {
            let page = try tables.wakes(after: last, limit: wakePage)
            if let turn = search.look(at: page, isLast: page.count < wakePage) {
                if case .announce(let customer, _) = turn, let hold = search.hold {
                    try tables.setLease(hold, of: customer, at: now)
                }
                return turn
            }
            last = page.last
        }
    }
}

/// Looks for the first customer who is due and nobody else's, page by page.
package struct WakeSearch {
    private let lease: WakeLease
    private let now: Instant
    private let end: Instant
    /// A clock that is behind sees a lease end later than it began anew; one that ends later still was given by a clock
    /// that is far ahead, and would keep others waiting for a node that may be dead.
    private let latestEnd: Instant
    private var freed: Instant?
    /// What is to be noted of the customer who was found.
    package private(set) var hold: WakeHold?

    /// Begins to look.
    package init(_ lease: WakeLease, at now: Instant) {
        self.lease = lease
        self.now = now
        end = now.adding(milliseconds: lease.milliseconds)
        latestEnd = end.adding(milliseconds: lease.milliseconds)
    }

    /// Looks at customers in order of wake and id, who follow those that were looked at.
    ///
    /// - Parameter isLast: Whether no others follow.
    /// - Returns: What the node is to do; `nil` where more have to be looked at.
    package mutating func look(at page: [WakeRow], isLast: Bool) -> WakeTurn? {
        for row in page {
            guard row.at <= now else { return .wait(until: min(row.at, freed ?? row.at)) }
            if let hold = row.hold, hold.wakeAt == row.at, !hold.node.hasSameBytes(as: lease.node),
                now < hold.until, hold.until <= latestEnd
            {
                freed = min(hold.until, freed ?? hold.until)
                continue
            }
            hold = WakeHold(node: lease.node, wakeAt: row.at, until: end)
            return .announce(row.customer, since: row.at)
        }
        return isLast ? .wait(until: freed) : nil
    }
}
