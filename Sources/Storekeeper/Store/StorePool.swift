import Synchronization

/// The stores of many customers, over one vault and one backend.
///
/// Only a limited number of unused stores stays in memory. A store that was not used recently is removed, and loaded
/// from the vault when it is needed again. Work for one customer is serial; work for different customers is concurrent.
/// The memory in use does not grow with the number of customers. Lapses are announced even for customers whose store is
/// not in memory.
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
        /// The maximum number of unused stores in memory, in addition to the stores in use; at least 1.
        public var capacity: Int
        /// The maximum number of customers served concurrently; at least 1.
        ///
        /// Writes for several customers at the same time can share one durable write of the vault.
        public var concurrency: Int
        /// Whether opening a customer's store reads the customer's history from the App Store, unless it was read
        /// before.
        public var readsHistories: Bool
        /// The lease by which the processes that use one vault divide announcements of lapses and, if the vault is on a
        /// server, deliveries.
        ///
        /// Use `nil`, the default, if only one process uses the vault; this saves the writes that a lease requires.
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

    /// The stores in memory, which can be used without waiting for this actor.
    private let present: ResidentStores
    private var opening: [CustomerID: [CheckedContinuation<Void, Never>]] = [:]

    /// Creates a pool; for the parameters, see
    /// ``Store/open(customer:configuration:vault:verifier:backend:clock:deliver:report:)``.
    public init(
        configuration: Configuration = Configuration(), vault: any Vault, verifier: any TransactionVerifier,
        backend: (any StoreBackend)? = nil, clock: any StoreClock = WallClock(),
        deliver: Store.DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) {
        self.configuration = configuration
        present = ResidentStores(capacity: configuration.capacity)
        parts = StoreDependencies(
            configuration: configuration.store, vault: vault, verifier: verifier, backend: backend, clock: clock,
            handler: deliver, lease: configuration.wakeLease, listener: report)
    }

    /// Keeps all customers up to date until the task is cancelled; then returns.
    ///
    /// The pool stores each item of the backend's stream for its owner, and makes outstanding deliveries. It announces
    /// each lapse at its exact instant, even if the customer's store is not in memory. If other processes share the vault,
    /// the pool hears their writes. A pool that does not hear them, or does not run, reads the vault before each answer.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` if another task runs the pool.
    public func run() async throws {
        guard !isRunning else {
            throw StoreError(.alreadyRunning, "the pool is already running; cancel that task first")
        }
        isRunning = true
        defer { isRunning = false }
        await StoreService(parts, concurrency: configuration.concurrency).run(self)
    }

    /// Verifies an item of a stream and stores it for its owner.
    ///
    /// - Throws: ``VaultError`` if the item could not be written; the item must then be delivered again.
    public nonisolated func receive(_ update: TransactionUpdate) async throws(VaultError) {
        try await StoreService(parts, concurrency: 1).receive(update, self)
    }

    /// The catalog that all stores use for their answers.
    public var catalog: Catalog { configuration.store.catalog }

    /// The number of stores in memory.
    package nonisolated var count: Int { present.count }

    /// Runs work with a customer's store, which stays in memory until the work has ended.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - body: The work. The store can be used after the work has ended, but then no longer receives updates from the
    ///     pool.
    /// - Throws: ``VaultError`` if the vault cannot be read; the errors of the body.
    public nonisolated func withStore<Value: Sendable>(
        _ customer: CustomerID, _ body: @Sendable (Store) async throws -> Value
    ) async throws -> Value {
        let lease = try await lease(customer)
        return try await body(lease.store)
    }

    /// Returns the snapshot of a customer.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public nonisolated func snapshot(of customer: CustomerID) async throws(VaultError) -> StoreSnapshot {
        // A store in memory answers at once, so that a reader does not wait for writers.
        if let store = present.read(customer) {
            try await store.catchUpWithOtherProcesses()
            return store.snapshot
        }
        return try await lease(customer).store.snapshot
    }

    /// Returns the offers of the catalog, and whether a customer is eligible for each offer; see ``Store/offers(at:)``.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public nonisolated func offers(
        for customer: CustomerID, at instant: Instant? = nil
    ) async throws(VaultError) -> CustomerOffers {
        try await lease(customer).store.offers(at: instant)
    }

    /// Replaces the catalog of all customers, even while the pool runs.
    ///
    /// For customers whose stores are in memory, the call records events for the answers that change.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read or written; customers who were updated before the error
    ///   keep the new answers.
    public func reload(_ catalog: Catalog) async throws(VaultError) {
        configuration.store.catalog = catalog
        reloads += 1
        for store in present.all.sorted(by: { $0.customer.rawValue < $1.customer.rawValue }) {
            try await store.reload(catalog)
        }
    }

    /// Returns the events of changed answers of all customers that follow a place in the vault's feed.
    ///
    /// - Parameter place: The place of the last processed event; ``FeedPlace/start`` begins with the first event.
    public nonisolated func events(after place: FeedPlace = .start) -> StoreEvents {
        StoreEvents(parts.vault, of: nil, after: place, signal: parts.work.written)
    }

    /// Returns the facts about all customers that follow a place in the vault's feed.
    ///
    /// - Parameter place: The place of the last processed fact; ``FeedPlace/start`` begins with the first fact.
    public nonisolated func updates(after place: FeedPlace = .start) -> StoreUpdates {
        StoreUpdates(parts.vault, of: nil, after: place, signal: parts.work.written)
    }

    // MARK: Stores in memory

    /// The right to use a customer's store; the store stays in memory until the lease ends.
    ///
    /// A lease ends with a call of ``release()``, at the end of the scope that declares the lease, or when the object
    /// that stores the lease, such as a connection, is deallocated.
    public struct Lease: ~Copyable, Sendable {
        /// The customer's store.
        ///
        /// The store can be used after the lease has ended, but then no longer receives updates from the pool.
        public let store: Store
        private let stores: ResidentStores

        init(of store: Store, among stores: ResidentStores) {
            self.store = store
            self.stores = stores
        }

        /// Ends the lease.
        public consuming func release() {}

        deinit { stores.release(store.customer) }
    }

    /// Leases a customer's store, which stays in memory until the lease ends.
    ///
    /// Use a lease, for example, while a player is online; use ``withStore(_:_:)`` for single questions.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public nonisolated func lease(_ customer: CustomerID) async throws(VaultError) -> Lease {
        if let lease = present.lease(customer) {
            try await lease.store.catchUpWithOtherProcesses()
            return lease
        }
        return try await open(customer)
    }

    private func open(_ customer: CustomerID) async throws(VaultError) -> Lease {
        while true {
            // Another task may have opened the store meanwhile.
            if let lease = present.lease(customer) { return lease }
            if opening[customer] != nil {
                await withCheckedContinuation { opening[customer, default: []].append($0) }
                continue
            }
            opening[customer] = []
            defer { for waiter in opening.removeValue(forKey: customer) ?? [] { waiter.resume() } }
            let reports = self.parts.work.reports.withLock { $0.count }
            var seen = reloads
            var parts = parts
            parts.configuration.catalog = configuration.store.catalog
            let store = try await Store.open(customer: customer, with: parts)
            // The catalog may have been replaced while the vault was read.
            while seen != reloads {
                seen = reloads
                try await store.reload(configuration.store.catalog)
            }
            if configuration.readsHistories, parts.backend != nil, store.snapshot.freshness.syncedAt == nil {
                parts.work.unread.add(customer)
            }
            let lease = present.add(store)
            // Another process may have written while the vault was read. Its report did not concern this store, which
            // was not in memory yet.
            let isOutdated = parts.work.reports.withLock { found in
                guard found.count != reports else { return false }
                found.mark([customer])
                return true
            }
            if isOutdated {
                parts.work.outdated.add(customer)
                try await store.readReportedWrites()
            }
            return lease
        }
    }
}

extension StorePool: StoreDirectory {
    nonisolated var only: CustomerID? { nil }

    /// Runs work like ``withStore(_:_:)``, but throws only ``VaultError``.
    nonisolated func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        let lease = try await lease(customer)
        return try await work(lease.store)
    }

    nonisolated func storesInMemory() -> [Store] { present.all }

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
        // If another process writes in between, this commit has no effect, and the other process stores the next
        // wake-up time.
        _ = try await parts.vault.commit(
            CommitBatch(customer: customer, at: parts.clock.now, expectedVersion: version, wakeAt: instant))
    }
}

/// The pool's interface for receivers of notifications.
extension StorePool {
    /// The vault of the pool.
    package nonisolated var vault: any TransactionalVault { parts.vault }

    /// The signal that is sent when data was written to the vault.
    package nonisolated var written: ChangeSignal { parts.work.written }

    /// Since when the vault has reported the writes of other processes without interruption; `nil` while it does not.
    package nonisolated var subscribedSince: Instant? { parts.work.reports.withLock { $0.since } }

    /// How long ago the stores in memory last contained all writes of other processes, if that is longer than the vault
    /// permits; `nil` if the stores can be trusted.
    ///
    /// Meanwhile, the pool reads a customer's version from the vault before it lends the customer's store.
    package nonisolated var excessiveAge: Duration? { parts.excessiveAge }

    /// The lease by which the processes that use the vault divide work; `nil` if only one process uses the vault.
    package nonisolated var wakeLease: WakeLease? { parts.lease }

    /// The clock of the pool.
    package nonisolated var clock: any StoreClock { parts.clock }

    /// Stores verified facts for their owners, and records the notifications that contained these facts.
    ///
    /// When the call returns, everything is durable. The notifications are recorded in the last write, so that all
    /// facts of a recorded notification are stored.
    ///
    /// - Parameters:
    ///   - facts: The verified facts.
    ///   - notifications: The UUIDs of the notifications whose facts are all stored once these facts are stored.
    /// - Returns: The result for the facts.
    /// - Throws: ``VaultError`` if the facts or the notifications could not be written; the call must then be repeated.
    package nonisolated func receive(
        _ facts: [VerifiedFact], ofNotifications notifications: [ServerNotification.ID]
    ) async throws(VaultError) -> IngestReport {
        var presented = VerificationBatch()
        presented.facts = facts
        presented.notifications = notifications
        return try await StoreService(parts, concurrency: 1).distribute(presented, self)
    }
}
