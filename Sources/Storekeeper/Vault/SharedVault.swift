/// A vault that several processes share: it notifies each process of the writes of the other processes, and leases work
/// that only one process should do.
package protocol SharedVault: TransactionalVault {
    /// The time for which a process may trust its stores in memory after the instant of the last report of
    /// ``observeWrites(_:)``; `nil` if the vault does not report the writes of other processes.
    ///
    /// Without writes, reports follow each other in less than this time.
    var reportLifetime: Duration? { get }

    /// Reports the writes of other processes, until the task is cancelled or the connection is lost.
    ///
    /// - Parameter heard: The closure that receives the reports, one after another; the first report is
    ///   ``ExternalWrite/missed``. Its second argument is an instant: all writes that were acknowledged before it are
    ///   contained in this report or an earlier one.
    /// - Throws: ``VaultError`` if listening could not begin.
    func observeWrites(
        _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError)

    /// Leases the outstanding deliveries of a customer to a node, so that no other node makes the same deliveries.
    ///
    /// - Returns: `nil` if the node obtained the lease; otherwise the instant at which the last of the other nodes'
    ///   leases ends.
    func leaseDeliveries(of customer: CustomerID, _ lease: WakeLease, at now: Instant) async throws(VaultError)
        -> Instant?

    /// Ends the node's lease of a customer's deliveries, if the node has such a lease.
    func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError)
}

/// A report of writes of other processes.
package enum ExternalWrite: Sendable {
    /// Other processes have changed data of each customer for whom the closure returns `true`.
    case written(about: @Sendable (CustomerID) -> Bool)
    /// Other processes may have changed data of any customer.
    case missed
    /// Other processes have changed nothing.
    case nothing

    /// Whether other processes have changed nothing.
    package var isNothing: Bool { if case .nothing = self { true } else { false } }

    /// Returns whether other processes may have changed data of a customer.
    package func concerns(_ customer: CustomerID) -> Bool {
        switch self {
        case .written(let about): about(customer)
        case .missed: true
        case .nothing: false
        }
    }
}
