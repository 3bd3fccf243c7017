/// The stores that a service maintains: a single store, or the stores of a pool.
protocol StoreDirectory: Sendable {
    /// The only customer with a store; `nil` if there may be many customers.
    var only: CustomerID? { get }
    /// Runs work with a customer's store, which stays in memory until the work has ended.
    func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value
    /// Returns the stores in memory.
    func storesInMemory() -> [Store]
    /// Returns a page of the customers who may have outstanding deliveries from before the process began; see
    /// ``TransactionalVault/customersOwed(after:limit:)``.
    func customersWithDeliveries(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]
    /// Returns the customer with the earliest wake-up time; `nil` if no wake-up time is stored.
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)?
    /// Returns whether the caller must announce a customer's due changes, or must wait because another node has leased
    /// this work.
    func claimWake(of due: (customer: CustomerID, at: Instant)) async throws(VaultError) -> WakeDecision
    /// Postpones a customer to whom changes could not be announced, so that other customers need not wait.
    func postpone(_ customer: CustomerID, until instant: Instant) async throws(VaultError)
}

/// A single store.
struct SingleStore: StoreDirectory {
    let store: Store

    var only: CustomerID? { store.customer }

    func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        try await work(store)
    }

    func storesInMemory() -> [Store] { [store] }

    func customersWithDeliveries(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        previous == nil ? [store.customer] : []
    }

    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        let now = store.parts.clock.now
        return try await store.stateAfterPendingWork().nextWake(at: now).map { (store.customer, $0) }
    }

    func claimWake(of due: (customer: CustomerID, at: Instant)) async throws(VaultError) -> WakeDecision {
        .announce(due.customer, since: due.at)
    }

    func postpone(_ customer: CustomerID, until instant: Instant) async throws(VaultError) {
        try? await store.parts.clock.wait(until: instant)
    }
}
