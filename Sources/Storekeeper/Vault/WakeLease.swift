/// The right of one node to do a customer's work for a limited time, so that other nodes that share the vault do not
/// repeat the work.
///
/// If a customer's answers have changed by time alone, the customer is leased to one node, which announces the changes.
/// In a vault that several processes share, a customer with outstanding deliveries is leased in the same way. If a node
/// dies, another node does the work when the lease has ended. A lease saves work and guarantees nothing: a repeated
/// announcement is refused as stale, and content may be delivered twice if a handler takes longer than the lease.
public struct WakeLease: Hashable, Sendable {
    /// The name of the node, unique among the processes of the vault.
    package var node: String
    /// The duration of the lease, which must be the same for all nodes of a vault.
    ///
    /// The duration must exceed the time that an announcement takes, and the difference between the nodes' clocks.
    package var duration: Duration

    /// Creates a lease.
    public init(node: String, duration: Duration = .seconds(60)) {
        self.node = node
        self.duration = duration
    }

    /// The duration in milliseconds: at least 1, and capped so that adding it to an instant cannot overflow.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? 1 : .max / 4 }
        return min(max(whole &+ attoseconds / 1_000_000_000_000_000, 1), .max / 4)
    }
}

/// The next action of a node that asked for a customer to lease.
package enum WakeDecision: Hashable, Sendable {
    /// Announce the answers of a customer that have changed by time alone since an instant; the customer is now leased
    /// to the node.
    case announce(CustomerID, since: Instant)
    /// Ask again after the next write, or at an instant if no write occurs earlier; `nil` means to wait for a write.
    case wait(until: Instant?)
}

/// A customer with a wake, the next instant at which an answer changes by time alone.
package struct WakeRow: Hashable, Sendable {
    /// The customer.
    package let customer: CustomerID
    /// The instant of the wake, in UTC.
    package let at: Instant
    /// The last lease of the wake, if the wake was ever leased.
    package let hold: HeldWakeLease?

    /// Creates a row.
    package init(customer: CustomerID, at instant: Instant, hold: HeldWakeLease?) {
        self.customer = customer
        at = instant
        self.hold = hold
    }
}

/// A lease of a customer's wake.
package struct HeldWakeLease: Hashable, Sendable {
    /// The node's name.
    package let node: String
    /// The instant of the leased wake; the lease ends when the customer's wake changes.
    package let wakeAt: Instant
    /// The end of the lease by the node's clock, exclusive, in UTC.
    package let until: Instant

    /// Creates a lease.
    package init(node: String, wakeAt: Instant, until: Instant) {
        self.node = node
        self.wakeAt = wakeAt
        self.until = until
    }
}
