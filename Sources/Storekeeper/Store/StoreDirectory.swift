/// Where a service finds the stores of customers: one alone, or those of a pool.
protocol StoreDirectory: Sendable {
    /// The only customer there is a store of; `nil` where there may be many.
    var only: CustomerID? { get }
    /// Works with a customer's store, which stays in memory meanwhile.
    func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value
    /// The stores that are in memory.
    func storesInMemory() async -> [Store]
    /// The customers who may be owed something since before the process began; see
    /// ``Vault/customersOwed(after:limit:)``.
    func customersWithDeliveries(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]
    /// The customer whose answers change first by time alone, and when.
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)?
    /// What to do about a wake that is due: somebody else may be doing it.
    func takeTurn(of due: (customer: CustomerID, at: Instant)) async throws(VaultError) -> WakeTurn
    /// Lets a customer to whom changes could not be announced wait, and the others go on.
    func postpone(_ customer: CustomerID, until instant: Instant) async throws(VaultError)
}

/// A store alone.
struct SingleStore: StoreDirectory {
    let store: Store

    var only: CustomerID? { store.customer }

    func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        try await work(store)
    }

    func storesInMemory() async -> [Store] { [store] }

    func customersWithDeliveries(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        previous == nil ? [store.customer] : []
    }

    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        let now = store.parts.clock.now
        return try await store.settledState().nextWake(at: now).map { (store.customer, $0) }
    }

    func takeTurn(of due: (customer: CustomerID, at: Instant)) async throws(VaultError) -> WakeTurn {
        .announce(due.customer, since: due.at)
    }

    func postpone(_ customer: CustomerID, until instant: Instant) async throws(VaultError) {
        try? await store.parts.clock.wait(until: instant)
    }
}
