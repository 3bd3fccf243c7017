import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

/// A store with all its dependencies, for one test.
final class StoreBench: Sendable {
    let clock: VirtualClock
    let vault = FaultyVault(InMemoryVault())
    let backend = StubBackend()
    let customer: CustomerID
    private let reported = Mutex<[StoreReport]>([])
    private let delivered = Mutex<[Transaction.ID]>([])
    private let refusals = Mutex(0)

    init(_ now: Instant = .day(0), customer: CustomerID = "anna") {
        clock = VirtualClock(now)
        self.customer = customer
    }

    var reports: [StoreReport] { reported.withLock { $0 } }
    /// The transactions that the app's handler was asked to deliver, in order.
    var deliveries: [Transaction.ID] { delivered.withLock { $0 } }
    func refuseDeliveries(_ count: Int) { refusals.withLock { $0 = count } }

    static var configuration: StoreConfiguration {
        var configuration = StoreConfiguration(catalog: TestShop.catalog)
        // The verifier accepts every environment; the sandbox counts only in tests about it.
        configuration.policy.environments[.sandbox] = .refuse
        configuration.backoff = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0, seed: 1)
        return configuration
    }

    func open(
        _ configuration: StoreConfiguration = StoreBench.configuration, customer: CustomerID? = nil,
        withoutBackend: Bool = false
    ) async throws -> Store {
        try await Store.open(
            customer: customer ?? self.customer, configuration: configuration, vault: vault,
            verifier: TestVerifier(), backend: withoutBackend ? nil : backend, clock: clock,
            deliver: { try self.deliver($0) }, report: { report in self.reported.withLock { $0.append(report) } })
    }

    func openPurchasing(
        _ configuration: StoreConfiguration = StoreBench.configuration
    ) async throws -> PurchasingStore {
        try await PurchasingStore.open(
            customer: customer, configuration: configuration, vault: vault, verifier: TestVerifier(),
            backend: backend, clock: clock, deliver: { try self.deliver($0) },
            report: { report in self.reported.withLock { $0.append(report) } })
    }

    private func deliver(_ delivery: Delivery) throws {
        delivered.withLock { $0.append(delivery.transaction.id) }
        let isRefused = refusals.withLock { refusals in
            guard refusals > 0 else { return false }
            refusals -= 1
            return true
        }
        if isRefused { throw StubBackend.ConnectionLost() }
    }

    /// Runs a store during a body.
    func running(_ store: Store, _ body: () async throws -> Void) async throws {
        try await running({ try await store.run() }, body)
    }

    /// Runs a pool during a body.
    func running(_ pool: StorePool, _ body: () async throws -> Void) async throws {
        try await running({ try await pool.run() }, body)
    }

    private func running(
        _ run: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Void
    ) async throws {
        let task = Task { try await run() }
        defer { task.cancel() }
        do {
            try await body()
        } catch {
            task.cancel()
            _ = try? await task.valueInTime()
            throw error
        }
        task.cancel()
        try await task.valueInTime()
    }

    /// Returns the events of a customer as `subject before→after`.
    func events(of customer: CustomerID? = nil) async throws -> [String] {
        try await vault.events(after: .start, of: customer ?? self.customer, limit: 1_000).map { event in
            let subject =
                switch event.change.subject {
                case .product(let id): id.rawValue
                case .feature(let id): "feature \(id)"
                case .group(let id): "group \(id)"
                case .notification(let kind): kind.rawValue
                }
            return "\(subject) \(event.change.before.word)→\(event.change.after.word)"
        }
    }

    func events(about id: Product.ID) async throws -> [StoreEvent] {
        try await vault.events(after: .start, of: customer, limit: 1_000).filter { $0.change.subject == .product(id) }
    }
}
