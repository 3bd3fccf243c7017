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
    private let refused = Mutex<CustomerID?>(nil)
    private let afterLoad = Mutex<(@Sendable () async -> Void)?>(nil)
    private let (reports, reporting) = AsyncStream<ExternalWrite>.makeStream()

    /// The nodes that have a lease, by customer.
    var holders: [CustomerID: String] { nodes.withLock { $0 } }

    /// The lifetime of a report.
    ///
    /// The vault reports only what ``report(_:)`` is told, as if its connection was cut.
    let reportLifetime: Duration?

    init(reportLifetime: Duration? = nil) { self.reportLifetime = reportLifetime }

    /// Reports a write to the process that listens.
    func report(_ news: ExternalWrite) { reporting.yield(news) }

    /// Runs work once, after a customer's data was read and before it is returned.
    func afterNextLoad(_ work: @escaping @Sendable () async -> Void) { afterLoad.withLock { $0 = work } }

    /// Refuses to read one customer.
    func refuse(_ customer: CustomerID?) { refused.withLock { $0 = customer } }

    func observeWrites(
        _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError) {
        for await news in reports { await heard(news, .now) }
    }

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        guard refused.withLock({ $0 }) != customer else {
            throw VaultError(.corrupt, "a stored fact cannot be read")
        }
        let record = try await read { tables throws(VaultError) in try VaultRules.record(of: customer, in: tables) }
        let work = afterLoad.withLock { work in
            defer { work = nil }
            return work
        }
        await work?()
        return record
    }

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
