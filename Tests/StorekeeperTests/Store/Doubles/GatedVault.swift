import Storekeeper
import Synchronization

/// A vault that lets readers wait while its gate is closed, and that refuses to read one customer.
final class GatedVault: TransactionalVault {
    private struct State {
        var isClosed = false
        var waiting = 0
        var refused: CustomerID?
    }

    var accountTokens: AccountTokenRule { inner.accountTokens }
    private let inner: InMemoryVault
    private let state = Mutex(State())

    init(_ inner: InMemoryVault) { self.inner = inner }

    /// The number of readers that have reached the closed gate.
    var waiting: Int { state.withLock { $0.waiting } }
    func close() { state.withLock { $0.isClosed = true } }
    func open() { state.withLock { $0.isClosed = false } }
    func refuse(_ customer: CustomerID?) { state.withLock { $0.refused = customer } }

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        guard state.withLock({ $0.refused }) != customer else {
            throw VaultError(.corrupt, "a stored fact cannot be read")
        }
        return try await read { tables throws(VaultError) in try VaultRules.record(of: customer, in: tables) }
    }

    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await inner.write(footprint(), body) }

    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        state.withLock { if $0.isClosed { $0.waiting += 1 } }
        // The loop also ends when the test is cancelled, so that a reader does not wait forever at a closed gate.
        while state.withLock({ $0.isClosed }), !Task.isCancelled { await Task.yield() }
        return try await inner.read(footprint(), body)
    }
}
