import Storekeeper
import Synchronization

/// A vault in memory that leases deliveries to nodes, as a vault on a database server does.
///
/// Its leases do not expire.
final class LeasingVault: TransactionalVault, SharedVault {
    var accountTokens: AccountTokenRule { inner.accountTokens }
    var sharing: (any SharedVault)? { self }
    private let inner = InMemoryVault()
    private let nodes = Mutex<[CustomerID: String]>([:])

    /// The nodes that have a lease, by customer.
    var holders: [CustomerID: String] { nodes.withLock { $0 } }

    /// The vault reports no writes, as if its connection was cut.
    let reportLifetime: Duration?

    init(reportLifetime: Duration? = nil) { self.reportLifetime = reportLifetime }

    func observeWrites(
        _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError) {}

    func leaseDeliveries(
        of customer: CustomerID, _ lease: WakeLease, at now: Instant
    ) async throws(VaultError) -> Instant? {
        nodes.withLock { nodes in
            if let holder = nodes[customer], holder != lease.node { return .distantFuture }
            nodes[customer] = lease.node
            return nil
        }
    }

    func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError) {
        nodes.withLock { if $0[customer] == lease.node { $0[customer] = nil } }
    }

    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await inner.write(footprint(), body) }

    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await inner.read(footprint(), body) }
}
