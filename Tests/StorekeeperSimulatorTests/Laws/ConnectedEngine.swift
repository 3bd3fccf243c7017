import Storekeeper
import StorekeeperJWS
import Synchronization
import Testing

@testable import StorekeeperSimulator

/// An engine connected to a simulated App Store: with a vault, its backend and the app's handler.
final class ConnectedEngine: Sendable {
    let simulator: SimulatedAppStore
    let backend: SimulatedBackend
    let vault: InMemoryVault
    private let refusals: Mutex<Int>
    private let granted = Mutex<[Transaction.ID]>([])
    private let finishedBefore = Mutex<[Transaction.ID]>([])

    init(
        _ simulator: SimulatedAppStore, conditions: NetworkConditions = .ideal, vault: InMemoryVault = InMemoryVault(),
        refusals: Int = 0
    ) throws {
        self.simulator = simulator
        self.vault = vault
        self.refusals = Mutex(refusals)
        // If calls fail at random, there is only one large page, because a history of many pages would almost never be
        // read to its end.
        backend = try simulator.backend(conditions: conditions, pageSize: conditions.failures > 0 ? 1000 : 3)
    }

    /// The transactions that the handler has delivered, in order.
    var grants: [Transaction.ID] { granted.withLock { $0 } }
    /// The transactions that were already finished when the handler was called.
    var finishedTooEarly: [Transaction.ID] { finishedBefore.withLock { $0 } }
    /// The transactions that the App Store has marked as finished.
    var finished: Set<Transaction.ID> {
        simulator.read { world in
            Set(world.transactions.indices.filter { world.transactions[$0].isFinished }.map { world.id(of: $0) })
        }
    }

    func open(_ customer: CustomerID = "anna") async throws -> Store {
        var configuration = StoreConfiguration(catalog: SampleStore.catalog, policy: World.policy)
        configuration.backoff = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0, seed: 1)
        // The calls have no time limit, because the App Store's time may advance by years during a call.
        configuration.callDeadline = nil
        configuration.deliveryDeadline = nil
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [simulator.root], bundleID: "com.example.game", environments: [.sandbox]))
        return try await Store.open(
            customer: customer, configuration: configuration, vault: vault, verifier: verifier, backend: backend,
            clock: simulator.clock, deliver: { try self.deliver($0) })
    }

    private func deliver(_ delivery: Delivery) throws {
        let id = delivery.transaction.id
        // An interrupted delivery is repeated, so the handler may be called for a transaction that was granted and
        // finished. A transaction that was never granted must not be finished.
        if finished.contains(id), !grants.contains(id) { finishedBefore.withLock { $0.append(id) } }
        let isRefused = refusals.withLock { refusals in
            refusals -= 1
            return refusals >= 0
        }
        if isRefused { throw StoryFailure("the app could not deliver the content") }
        granted.withLock { $0.append(id) }
    }

    /// Reads the whole history, with retries until it succeeds.
    func sync(_ store: Store) async throws {
        for attempt in 1...200 {
            do {
                try await store.sync()
                break
            } catch  where attempt < 200 {}
        }
        for _ in 1...200 where await !store.deliverUnfinished() {}
    }
}

/// Returns a store's current answer about every product, with the deciding transaction.
func answers(of store: Store, at now: Instant) -> [String] {
    SampleStore.catalog.products.map { product in
        let answer = store.entitlement(for: product.id, at: now)
        let basis = answer.basis.map { "\($0.transaction.id) until \($0.accessEndsAt)" } ?? ""
        return "\(product.id): \(answer.word) \(answer.reasonWord) \(basis)"
    } + store.snapshot.subscriptionStatuses(group: "21400001", at: now).map { "\($0.state) \($0.transaction.id)" }
}
