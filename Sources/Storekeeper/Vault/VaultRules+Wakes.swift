extension VaultRules {
    /// The number of customers that are read at once; more than one, because the first customers may be leased to other
    /// nodes.
    private static let wakePage = 16

    /// Leases the first customer whose wake is due and who is not leased to another node; see
    /// ``TransactionalVault/leaseWake(_:at:)``.
    package static func leaseWake(
        _ lease: WakeLease, at now: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> WakeDecision {
        var search = WakeSearch(lease, at: now)
        var last: WakeRow?
        while true {
            let page = try tables.wakes(after: last, limit: wakePage)
            if let turn = search.examine(at: page, isLast: page.count < wakePage) {
                if case .announce(let customer, _) = turn, let hold = search.hold {
                    try tables.setLease(hold, of: customer, at: now)
                }
                return turn
            }
            last = page.last
        }
    }
}

/// A search, page by page, for the first customer whose wake is due and who is not leased to another node.
package struct WakeSearch {
    private let lease: WakeLease
    private let now: Instant
    private let end: Instant
    /// The latest end that a lease of another node may have; a lease that ends later is ignored.
    ///
    /// If this node's clock is behind the other clocks, leases of other nodes seem to end later than they do. A lease
    /// that ends after this instant was made by a node whose clock is far ahead. Such a lease is ignored, because it
    /// would block other nodes for a long time if its node died.
    private let latestEnd: Instant
    private var freed: Instant?
    /// The lease to be stored for the customer that was found.
    package private(set) var hold: HeldWakeLease?

    /// Begins a search.
    package init(_ lease: WakeLease, at now: Instant) {
        self.lease = lease
        self.now = now
        end = now.adding(milliseconds: lease.milliseconds)
        latestEnd = end.adding(milliseconds: lease.milliseconds)
    }

    /// Examines the next customers in order of wake and id.
    ///
    /// - Parameter isLast: Whether no other customers follow.
    /// - Returns: The node's next action; `nil` if more customers must be examined.
    package mutating func examine(at page: [WakeRow], isLast: Bool) -> WakeDecision? {
        for row in page {
            guard row.at <= now else { return .wait(until: min(row.at, freed ?? row.at)) }
            if let hold = row.hold, hold.wakeAt == row.at, !hold.node.hasSameBytes(as: lease.node),
                now < hold.until, hold.until <= latestEnd
            {
                freed = min(hold.until, freed ?? hold.until)
                continue
            }
            hold = HeldWakeLease(node: lease.node, wakeAt: row.at, until: end)
            return .announce(row.customer, since: row.at)
        }
        return isLast ? .wait(until: freed) : nil
    }
}
