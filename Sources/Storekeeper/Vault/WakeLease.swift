/// By what the nodes that share a vault divide the work that only one is to do.
///
/// A customer whose answers have changed by time alone is given to one node for a while, so that two do not both
/// announce it, and in a vault of a server so is a customer whose goods are to be handed out. Whoever dies meanwhile is
/// made up for when the lease has ended. A lease spares work and protects nothing: what is announced twice is written
/// once, because the vault refuses the second batch as stale, and goods may be handed out twice where a handler takes
/// longer than the lease.
public struct WakeLease: Hashable, Sendable {
    /// The name of the node, which no other process over the same vault has.
    package var node: String
    /// For how long a customer is the node's; the same for all nodes over one vault.
    ///
    /// Longer than an announcement takes, and than their clocks differ.
    package var duration: Duration

    /// Makes a lease.
    public init(node: String, duration: Duration = .seconds(60)) {
        self.node = node
        self.duration = duration
    }

    /// The duration in milliseconds: at least 1, and as far as an instant can be.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? 1 : .max / 4 }
        return min(max(whole &+ attoseconds / 1_000_000_000_000_000, 1), .max / 4)
    }
}

/// What a node that asked for a wake is to do.
public enum WakeTurn: Hashable, Sendable {
    /// Record what time has changed for a customer since an instant; it is the node's until its lease ends.
    case announce(CustomerID, since: Instant)
    /// Ask again at an instant, or when something was written; `nil`: only then.
    case wait(until: Instant?)
}

/// A customer who waits for an instant.
package struct WakeRow: Hashable, Sendable {
    /// Who waits.
    package let customer: CustomerID
    /// For when, in UTC.
    package let at: Instant
    /// Whose it was last, if anybody's.
    package let hold: WakeHold?

    /// Makes a row.
    package init(customer: CustomerID, at instant: Instant, hold: WakeHold?) {
        self.customer = customer
        at = instant
        self.hold = hold
    }
}

/// That a wake of a customer is a node's.
package struct WakeHold: Hashable, Sendable {
    /// The node's name.
    package let node: String
    /// Which wake; once the customer waits for another instant, it holds no more.
    package let wakeAt: Instant
    /// Until when by the clock of the node, exclusive, in UTC.
    package let until: Instant

    /// Makes a hold.
    package init(node: String, wakeAt: Instant, until: Instant) {
        self.node = node
        self.wakeAt = wakeAt
        self.until = until
    }
}
