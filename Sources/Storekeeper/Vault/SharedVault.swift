/// A vault of which several processes know that they share it: it tells each what the others write, and divides among
/// them what only one is to do.
package protocol SharedVault: Vault {
    /// Hears what other processes write, until the task is cancelled or nothing can be heard any more.
    ///
    /// - Parameter heard: Is told, one thing after the other; first that something may have been missed.
    /// - Throws: ``VaultError`` where it could not begin to listen.
    func hear(_ heard: @Sendable (VaultNews) async -> Void) async throws(VaultError)

    /// Gives a node the deliveries of a customer for a while.
    ///
    /// - Returns: `nil` where they are the node's; otherwise until when they are another's at most.
    func leaseDeliveries(of customer: CustomerID, _ lease: WakeLease, at now: Instant) async throws(VaultError)
        -> Instant?

    /// Gives the deliveries of a customer back, where they are the node's.
    func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError)
}

/// What a process has heard of the writes of others.
package enum VaultNews: Sendable {
    /// Others have written about each customer of whom this holds.
    case written(about: @Sendable (CustomerID) -> Bool)
    /// Others may have written about anybody.
    case missed

    /// Whether others may have written about a customer.
    package func isAbout(_ customer: CustomerID) -> Bool {
        switch self {
        case .written(let about): about(customer)
        case .missed: true
        }
    }
}
