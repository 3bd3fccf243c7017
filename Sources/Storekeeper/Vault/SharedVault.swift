/// A vault that several processes share: it tells each process what the others write, and leases to one of them the work
/// that only one may do.
package protocol SharedVault: Vault {
    /// Listens to the writes of other processes, until the task is cancelled or the connection is lost.
    ///
    /// - Parameter heard: Is called for each piece of news in turn, first with ``ExternalWrite/missed``.
    /// - Throws: ``VaultError`` if it could not begin to listen.
    func observeWrites(_ heard: @Sendable (ExternalWrite) async -> Void) async throws(VaultError)

    /// Leases the deliveries of a customer to a node.
    ///
    /// - Returns: `nil` if the node has the lease; otherwise the latest end of another node's lease.
    func leaseDeliveries(of customer: CustomerID, _ lease: WakeLease, at now: Instant) async throws(VaultError)
        -> Instant?

    /// Ends the node's lease of a customer's deliveries, if it has one.
    func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError)
}

/// News of the writes of other processes.
package enum ExternalWrite: Sendable {
    /// Others have written about each customer for whom the closure returns `true`.
    case written(about: @Sendable (CustomerID) -> Bool)
    /// Others may have written about any customer.
    case missed

    /// Returns whether others may have written about a customer.
    package func concerns(_ customer: CustomerID) -> Bool {
        switch self {
        case .written(let about): about(customer)
        case .missed: true
        }
    }
}
