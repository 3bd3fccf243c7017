/// The stores of many customers, over one vault and one backend.
///
/// A limited number of stores is in memory; the least recently used one is removed, and loaded from the vault when it
/// is needed again. Work for one customer is serial; work for different customers is concurrent. Memory does not grow
/// with the number of customers, and lapses are announced for those not in memory, too.
///
/// ```swift
/// let pool = StorePool(configuration: configuration, vault: vault, verifier: verifier, backend: backend)
/// try await withThrowingTaskGroup { group in
///     group.addTask { try await pool.run() }
///     let mayPlay = try await pool.withStore(player) { $0.isEntitled("gold.monthly") }
///     …
/// }
/// ```
public actor StorePool {
    /// The settings of a pool.
    public struct Configuration: Sendable {
        /// The settings of each store.
        public var store: StoreConfiguration
        /// The number of stores in memory in addition to those in use; at least 1.
        public var capacity: Int
        /// The number of customers worked on concurrently; at least 1.
        ///
        /// Concurrent writes share a durable write of the vault.
        public var concurrency: Int
        /// Whether a customer's history is read on first use if it never was.
        public var readsHistories: Bool
        /// The lease by which processes over one vault divide announcements of lapses and, with a server's vault,
        /// deliveries; `nil`, the default, if there are no others, which saves the vault a write.
        public var wakeLease: WakeLease?

        /// Creates a configuration.
        public init(
            store: StoreConfiguration = StoreConfiguration(), capacity: Int = 10_000, concurrency: Int = 64,
            readsHistories: Bool = true, wakeLease: WakeLease? = nil
        ) {
            self.store = store
            self.capacity = max(capacity, 1)
            self.concurrency = max(concurrency, 1)
            self.readsHistories = readsHistories
            self.wakeLease = wakeLease
        }
    }

    private var configuration: Configuration
    nonisolated let parts: StoreDependencies
    private var isRunning = false
    /// The number of times that the catalog was replaced.
    private var reloads = 0

    private struct Entry {
        let store: Store
        /// The number of current users of the store.
        var users: Int
        /// The number of its last use.
        var lastUse: UInt64
    }

    private var entries: [CustomerID: Entry] = [:]
    /// The stores in memory, for reads outside of the actor.
    private let present = ResidentStores()
    private var opening: [CustomerID: [CheckedContinuation<Void, Never>]] = [:]
    /// Uses in order; only a customer's last use is valid.
    private var uses: [(customer: CustomerID, number: UInt64)] = []
    private var firstUse = 0
    private var lastUse: UInt64 = 0

    /// Creates a pool; the parameters are those of ``Store/open(customer:configuration:vault:verifier:backend:clock:deliver:report:)``.
    public init(
        configuration: Configuration = Configuration(), vault: any Vault, verifier: any TransactionVerifier,
        backend: (any StoreBackend)? = nil, clock: any StoreClock = WallClock(),
        deliver: Store.DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) {
        self.configuration = configuration
        parts = StoreDependencies(
            configuration: configuration.store, vault: vault, verifier: verifier, backend: backend, clock: clock,
            handler: deliver, lease: configuration.wakeLease, listener: report)
    }

    /// Keeps all customers up to date until the task is cancelled; then returns.
    ///
    /// It passes each item of the backend's stream to its customer, announces lapses at their exact instants, in memory
    /// or not, and delivers outstanding goods.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` if another task runs the pool.
    public func run() async throws {
        guard !isRunning else { throw StoreError(.alreadyRunning, "the pool runs already; cancel that task first") }
        isRunning = true
        defer { isRunning = false }
        await StoreService(parts, concurrency: configuration.concurrency).run(self)
    }

    /// Ingests an item of a stream for its owner.
    ///
    /// - Throws: ``VaultError`` if it could not be written; the item must then be delivered again.
    public nonisolated func receive(_ update: TransactionUpdate) async throws(VaultError) {
        try await StoreService(parts, concurrency: 1).receive(update, self)
    }

    /// The number of stores in memory.
    package var count: Int { entries.count }

    /// Runs work with a customer's store, which stays in memory meanwhile.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - body: The work. A store kept beyond it still works, but does not receive updates from the pool.
    /// - Throws: ``VaultError`` if the vault cannot be read; errors of the body.
    public nonisolated func withStore<Value: Sendable>(
        _ customer: CustomerID, _ body: @Sendable (Store) async throws -> Value
    ) async throws -> Value {
        let store = try await open(customer)
        do {
            let value = try await body(store)
            await close(customer)
            return value
        } catch {
            await close(customer)
            throw error
        }
    }

    /// Returns the snapshot of a customer.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public nonisolated func snapshot(of customer: CustomerID) async throws(VaultError) -> StoreSnapshot {
        // A frequent reader does not queue behind writers.
        if let store = present.read(customer) { return store.snapshot }
        return try await using(customer) { store throws(VaultError) in store.snapshot }
    }

    /// Replaces the catalog while running; answers and events of all customers follow.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read or written; customers already updated keep the new answers.
    public func reload(_ catalog: Catalog) async throws(VaultError) {
        configuration.store.catalog = catalog
        reloads += 1
        for customer in entries.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let store = entries[customer]?.store else { continue }
            try await store.reload(catalog)
        }
    }

    /// Returns the changes of all customers' answers, from a place on.
    ///
    /// - Parameter place: The place of the last processed event; ``FeedPlace/start`` begins with the first one.
    public nonisolated func events(after place: FeedPlace = .start) -> StoreEvents {
        StoreEvents(parts.vault, of: nil, after: place, signal: parts.work.written)
    }

    /// Returns the learned facts of all customers, from a place on.
    ///
    /// - Parameter place: The place of the last processed fact; ``FeedPlace/start`` begins with the first one.
    public nonisolated func updates(after place: FeedPlace = .start) -> StoreUpdates {
        StoreUpdates(parts.vault, of: nil, after: place, signal: parts.work.written)
    }

    // MARK: In memory

    /// Returns a customer's store, which stays in memory until it is closed as often as it was opened.
    ///
    /// Use it, for example, while a player is online; use ``withStore(_:_:)`` for single questions.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public func open(_ customer: CustomerID) async throws(VaultError) -> Store {
        while entries[customer] == nil {
            if opening[customer] != nil {
                await withCheckedContinuation { opening[customer, default: []].append($0) }
                continue
            }
            opening[customer] = []
            defer { for waiter in opening.removeValue(forKey: customer) ?? [] { waiter.resume() } }
            var seen = reloads
            var parts = parts
            parts.configuration = configuration.store
            let store = try await Store.open(customer: customer, with: parts)
            // The catalog may have been replaced while the vault was read.
            while seen != reloads {
                seen = reloads
                try await store.reload(configuration.store.catalog)
            }
            entries[customer] = Entry(store: store, users: 0, lastUse: 0)
            present.add(store, of: customer)
            if configuration.readsHistories, parts.backend != nil, store.snapshot.freshness.syncedAt == nil {
                parts.work.unread.add(customer)
            }
        }
        lastUse += 1
        entries[customer]?.users += 1
        entries[customer]?.lastUse = lastUse
        uses.append((customer, lastUse))
        makeRoom()
        guard let store = entries[customer]?.store else {
            throw VaultError(.closed, "a customer's store has left memory; request it again")
        }
        return store
    }

    /// Ends one use of a store that ``open(_:)`` began.
    public func close(_ customer: CustomerID) {
        guard let users = entries[customer]?.users, users > 0 else { return }
        entries[customer]?.users = users - 1
        makeRoom()
    }

    /// Removes unused stores, the least recently used first.
    private func makeRoom() {
        var passes = entries.count
        while entries.count > configuration.capacity, passes > 0, firstUse < uses.count {
            let (customer, number) = uses[firstUse]
            firstUse += 1
            guard let entry = entries[customer], entry.lastUse == number else { continue }
            if entry.users == 0, present.remove(customer) {
                entries[customer] = nil
            } else {
                // In use or read meanwhile: it moves to the end of the queue.
                passes -= 1
                uses.append((customer, number))
            }
        }
        // Outdated uses are removed occasionally.
        guard uses.count > 2 * entries.count + 64 else { return }
        uses = uses[firstUse...].filter { entries[$0.customer]?.lastUse == $0.number }
        firstUse = 0
    }
}

extension StorePool: StoreDirectory {
    nonisolated var only: CustomerID? { nil }

    /// Runs work like ``withStore(_:_:)``, if only the vault can fail.
    nonisolated func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        let store = try await open(customer)
        do throws(VaultError) {
            let value = try await work(store)
            await close(customer)
            return value
        } catch {
            await close(customer)
            throw error
        }
    }

    func storesInMemory() async -> [Store] { entries.values.map(\.store) }

    nonisolated func customersWithDeliveries(after previous: CustomerID?, limit: Int) async throws(VaultError)
        -> [CustomerID]
    {
        try await parts.vault.customersOwed(after: previous, limit: limit)
    }

    nonisolated func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await parts.vault.nextWake()
    }

    nonisolated func claimWake(of due: (customer: CustomerID, at: Instant)) async throws(VaultError) -> WakeDecision {
        guard let lease = parts.lease else { return .announce(due.customer, since: due.at) }
        return try await parts.vault.leaseWake(lease, at: parts.clock.now)
    }

    nonisolated func postpone(_ customer: CustomerID, until instant: Instant) async throws(VaultError) {
        let version = try await parts.vault.version(of: customer).version
        // If another process writes in between, it stores the next wake.
        _ = try await parts.vault.commit(
            CommitBatch(customer: customer, at: parts.clock.now, expectedVersion: version, wakeAt: instant))
    }
}
