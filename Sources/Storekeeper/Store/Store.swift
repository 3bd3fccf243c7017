import Synchronization

/// The durable store of one customer's purchases, balances and deliveries.
///
/// Evidence is verified, merged, committed to the vault, published, delivered and finished, in this order. Nothing is
/// published or acknowledged before the vault has written it. A failure removes nothing. Stored evidence still counts
/// if the backend does not respond. The backend delivers evidence again that the vault did not write.
///
/// ```swift
/// let store = try await Store.open(
///     customer: player, configuration: configuration, vault: vault, verifier: verifier, backend: backend)
/// try await withThrowingTaskGroup { group in
///     group.addTask { try await store.run() }
///     …
/// }
/// if store.isEntitled("com.example.pro") { … }
/// ```
///
/// Questions that the newest ``snapshot`` can answer are synchronous. When a call to the store returns, the snapshot
/// contains everything that the call has bought, spent or stored.
public actor Store {
    /// A function that delivers the content of a purchase; a handler that throws is called again later.
    ///
    /// The handler may call the store.
    public typealias DeliveryHandler = @Sendable (Delivery) async throws -> Void

    /// The customer.
    public nonisolated let customer: CustomerID
    nonisolated let parts: StoreDependencies
    nonisolated let publication: Publication
    /// The number of commits by other processes that this store has taken into account.
    private nonisolated let seenCommits: Atomic<Int64>

    /// The newest state in the vault that this store has written or read.
    private var state: CustomerState
    /// The instant at which the backend began to fail; `nil` if it works.
    private var failingSince: Instant?
    private var deliveries = Deliveries<CheckedContinuation<Void, Never>>()
    private var waitingRequests = WaitingRequests()
    /// The products whose purchases are in progress.
    private var purchases: Set<Product.ID> = []
    private var lock = FIFOLock<CheckedContinuation<Void, Never>>()
    private var isRunning = false

    /// Opens a customer's store.
    ///
    /// Opening reads only the vault, so that it succeeds even if the App Store cannot be reached.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - configuration: The catalog, the policy and the settings.
    ///   - vault: The durable storage.
    ///   - verifier: The verifier of evidence.
    ///   - backend: The source of evidence; `nil` if the app calls ``ingest(_:isComplete:)`` itself.
    ///   - clock: The clock.
    ///   - deliver: The handler that delivers the content of each purchase, at least once; `nil` if the app delivers no
    ///     content, for example because it only asks which products the customer owns.
    ///   - report: The closure that receives the store's reports of problems. The store waits until the closure
    ///     returns, so the closure should be quick.
    /// - Throws: ``VaultError`` if the vault cannot be read.
    public static func open(
        customer: CustomerID, configuration: StoreConfiguration = StoreConfiguration(), vault: any Vault,
        verifier: any TransactionVerifier, backend: (any StoreBackend)? = nil, clock: any StoreClock = WallClock(),
        deliver: DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws(VaultError) -> Store {
        try await open(
            customer: customer,
            with: StoreDependencies(
                configuration: configuration, vault: vault, verifier: verifier, backend: backend, clock: clock,
                handler: deliver, listener: report))
    }

    /// Opens a customer's store with dependencies that it may share with other stores.
    static func open(customer: CustomerID, with parts: StoreDependencies) async throws(VaultError) -> Store {
        let commits = parts.vault.foreignCommits
        return Store(
            customer: customer, parts: parts, record: try await parts.vault.load(customer), seenCommits: commits ?? 0)
    }

    private init(customer: CustomerID, parts: StoreDependencies, record: CustomerRecord, seenCommits: Int64) {
        self.customer = customer
        self.parts = parts
        state = CustomerState(
            record, of: customer, configuration: parts.configuration,
            owesDelivery: parts.handler != nil || parts.backend != nil)
        publication = Publication(state.snapshot(failingSince: nil, at: parts.clock.now))
        self.seenCommits = Atomic(seenCommits)
    }

    /// Keeps the store up to date until the task is cancelled; then returns.
    ///
    /// The store subscribes to the backend's stream, reads the customer's whole history, and then processes the stream.
    /// It therefore misses no item that arrives while the history is read. Failures are reported and retried. Work that
    /// hangs does not block other work. For example, the end of a period is recorded at its exact instant, even if the
    /// backend hangs.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` if another task runs the store.
    public func run() async throws {
        guard !isRunning else {
            throw StoreError(.alreadyRunning, "the store is already running; cancel that task first")
        }
        isRunning = true
        defer { isRunning = false }
        await StoreService(parts, concurrency: 1).run(SingleStore(store: self))
    }

    // MARK: Serial work

    /// Runs work on the state, after all work that was submitted earlier has ended.
    ///
    /// Other calls can enter the actor while this work waits for the vault. The lock in this method makes them wait
    /// until the work has ended. Submitted work is carried out even if its task is cancelled.
    func serially<Value, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !lock.begin() { await withCheckedContinuation { lock.wait($0) } }
        defer { lock.next()?.resume() }
        return try await work()
    }

    /// Returns the state, after all work that was submitted earlier has ended.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    func stateAfterPendingWork() async throws(VaultError) -> CustomerState {
        try await serially { () async throws(VaultError) in try await currentState() }
    }

    /// Returns the state, including known changes by other writers; call it only inside ``serially(_:)``.
    func currentState() async throws(VaultError) -> CustomerState {
        if state.isBehind { try await reload() }
        return state
    }

    /// Reads the customer's data from the vault again; call it only inside ``serially(_:)``.
    func reload() async throws(VaultError) {
        let record = try await parts.vault.load(customer)
        state.replace(with: record)
        publish()
        // If nodes divide deliveries, a transaction is delivered by the node that wrote it, or by a node that finds it
        // outstanding later.
        if !state.unfinished.isEmpty, parts.division == nil { parts.work.owed.add(customer) }
    }

    // MARK: Steps

    /// Computes a step, commits it, and then applies it; call it only inside ``serially(_:)``.
    ///
    /// If another writer has changed the customer's data meanwhile, the step is computed again. If this call throws,
    /// nothing was written.
    @discardableResult
    func write(_ intake: StepInput) async throws(VaultError) -> IngestReport {
        var intake = intake
        for _ in 0..<parts.configuration.commitAttempts {
            if state.isBehind { try await reload() }
            var step = state.step(intake, at: parts.clock.now)
            guard let batch = step.batch else {
                if step.isDoubting {
                    state = step.next
                    publish()
                }
                return IngestReport()
            }
            switch try await parts.vault.commit(batch) {
            case .committed(let receipt):
                for key in step.confirm(receipt) { parts.report(.uncredited(key)) }
                for conflict in receipt.parked.conflicts { parts.report(.conflict(conflict)) }
                state = step.next
                publish()
                return IngestReport(receipt, of: batch)
            case .stale: state.isBehind = true
            case .ownershipDiffers(let own): intake.own = own
            case .refused(let refusal):
                var report = IngestReport()
                report.refusal = refusal
                return report
            }
        }
        throw VaultError(.locked, "other processes kept writing about the same customer; try again")
    }

    /// Adopts the parked evidence that belongs to the customer, page by page; call it only inside ``serially(_:)``.
    func adoptParkedPages() async throws(VaultError) -> IngestReport {
        var total = IngestReport()
        var page = try await currentState().adoptable
        do throws(VaultError) {
            while !page.isEnd {
                if page.rows.isEmpty, let next = page.next {
                    page = try await parts.vault.adoptable(
                        by: customer, after: next, limit: parts.configuration.batchSize)
                }
                // The evidence stays in the state until it is written, so that a failed write does not lose it.
                state.adoptable = page
                if !page.rows.isEmpty { total.add(try await write(StepInput(facts: page.rows))) }
                // The commit may have bound a chain or token, so that more parked evidence belongs to the customer.
                page = state.adoptable
            }
        } catch {
            queueDeliveries(of: total)
            throw error
        }
        return total
    }

    /// Queues the customer if a report contains owed deliveries, for a caller that does not make these deliveries
    /// itself.
    func queueDeliveries(of report: IngestReport) {
        if !report.owed.isEmpty { parts.work.owed.add(customer) }
    }

    /// Reads the data that other writers have changed, if any; call it only inside ``serially(_:)``.
    ///
    /// - Parameter adopts: Whether parked evidence that belongs to the customer is adopted, which may write.
    /// - Returns: Whether another writer had changed the customer's data.
    func catchUp(adopts: Bool = true) async throws(VaultError) -> Bool {
        let newest = try await parts.vault.version(of: customer)
        guard state.isBehind(newest) else { return try await catchUpBalances() }
        try await reload()
        if adopts { queueDeliveries(of: try await adoptParkedPages()) }
        return true
    }

    /// Reads the data that other processes were reported to have written and that this store lacks, if any.
    func readReportedWrites() async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            guard let number = parts.work.reports.withLock({ $0.outdated[customer] }) else { return }
            _ = try await catchUp(adopts: false)
            parts.work.reports.withLock { $0.unmark(customer, upTo: number) }
        }
    }

    /// Reads the data that other processes were reported to have written, and adopts parked evidence that this store
    /// has read.
    func applyReportedWrites() async throws(VaultError) {
        try await readReportedWrites()
        try await serially { () async throws(VaultError) in queueDeliveries(of: try await adoptParkedPages()) }
    }

    /// Reads the data that other processes have changed since the last question, if the vault notices their commits, or
    /// if it has reported no writes for too long, or if it has reported writes that this store has not read yet.
    ///
    /// Otherwise, the call does not wait. If the vault cannot tell, the data is read.
    ///
    /// - Throws: ``VaultError`` if the vault cannot be read. An answer from memory might then be wrong.
    nonisolated func catchUpWithOtherProcesses() async throws(VaultError) {
        if parts.excessiveAge != nil { _ = try await refresh() }
        if parts.work.reports.withLock({ $0.outdated[customer] != nil }) { try await readReportedWrites() }
        guard let commits = parts.vault.foreignCommits,
            commits < 0 || commits != seenCommits.load(ordering: .acquiring)
        else { return }
        _ = try await refresh()
        if commits >= 0 { seenCommits.store(commits, ordering: .releasing) }
    }

    /// Returns whether a vault with this version and this last entry of the account may have data that this store
    /// lacks.
    func isBehind(_ newest: (version: Int64, lastEntry: AccountEnd)) -> Bool {
        state.missesEntries || state.isBehind(newest)
    }

    /// Reads the balances again if other writers have made entries before this store's last entry.
    private func catchUpBalances() async throws(VaultError) -> Bool {
        guard state.missesEntries else { return false }
        let balances = CustomerState.byName(try await parts.vault.balances(of: customer))
        // Entries after the last known entry will be detected, because the vault then returns a different last entry.
        state.missesEntries = false
        guard balances != state.balances else { return false }
        state.balances = balances
        publish()
        return true
    }

    /// Publishes the state and wakes the subscribers.
    private func publish() {
        publication.publish(state.snapshot(failingSince: failingSince, at: parts.clock.now))
        parts.work.written.send()
    }

    /// Records that the backend has failed or works again, and publishes the last answers with this information.
    func recordBackendState(failing error: (any Error)? = nil) {
        if let error { parts.report(.backendFailed(error)) }
        let since = error == nil ? nil : failingSince ?? parts.clock.now
        guard since != failingSince else { return }
        failingSince = since
        publication.publish(publication.snapshot.failing(since: since))
        parts.work.written.send()
    }

    // MARK: Balances

    /// Carries out requests together with all waiting requests of other callers.
    func carryOut(_ requests: [LedgerRequest]) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        let ticket = waitingRequests.add(requests)
        return try await serially { () async throws(VaultError) in
            // The first caller carries out all waiting requests, so that they share one durable write.
            if !waitingRequests.hasOutcome(ticket) { await carryOutWaiting() }
            return try waitingRequests.removeOutcome(of: ticket)?.get() ?? []
        }
    }

    private func carryOutWaiting() async {
        let waiting = waitingRequests.removeAll()
        do {
            let results = try await moveInVault(waiting.flatMap(\.requests))
            var start = 0
            for (ticket, requests) in waiting {
                waitingRequests.storeOutcome(ticket, with: .success(Array(results[start..<(start + requests.count)])))
                start += requests.count
            }
        } catch {
            guard waiting.count > 1, error.code == .overflow || error.code == .invalidRequest else {
                for (ticket, _) in waiting { waitingRequests.storeOutcome(ticket, with: .failure(error)) }
                return
            }
            // One of the requests is invalid. Each caller's requests are therefore carried out separately, so that the
            // requests of other callers do not fail.
            for (ticket, requests) in waiting {
                do {
                    waitingRequests.storeOutcome(ticket, with: .success(try await moveInVault(requests)))
                } catch {
                    waitingRequests.storeOutcome(ticket, with: .failure(error))
                }
            }
        }
    }

    private func moveInVault(
        _ requests: [LedgerRequest]
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        let policy = try await currentState().live.resolver.policy.refundPolicy
        let results = try await parts.vault.move(requests, policy: policy)
        guard results.count == requests.count else {
            throw VaultError(.io, "the vault answered \(requests.count) requests with \(results.count) results")
        }
        if let next = state.applying(results, of: requests) {
            state = next
            publish()
        } else {
            // Another process has changed the balances as well. A failure to read the balances is only reported,
            // because the requests were carried out.
            state.isBehind = true
            do {
                _ = try await currentState()
            } catch {
                parts.report(.vaultFailed(error))
            }
        }
        return results
    }

    // MARK: Deliveries and purchases

    /// Stores the state of a delivery; `nil` means that the transaction is finished.
    func recordState(_ key: TransactionKey, as progress: OutboxItem.State?) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            try await parts.vault.markDelivery(of: key, as: progress)
            state.recordState(key, as: progress)
        }
    }

    /// Acquires or renews the lease of this customer's deliveries, and reads the progress that the previous node has
    /// made.
    ///
    /// - Parameter holds: Whether the caller already has the lease, and only renews it.
    ///
    /// - Returns: Whether this node has the lease.
    func leaseDeliveries(_ division: StoreDependencies.DeliveryLease, holds: Bool) async throws(VaultError) -> Bool {
        try await serially { () async throws(VaultError) in
            let other = try await division.vault.leaseDeliveries(of: customer, division.lease, at: parts.clock.now)
            guard other == nil else { return false }
            do throws(VaultError) {
                _ = try await catchUp()
                // The outstanding deliveries are always read, because their progress does not change the version.
                state.unfinished = try await parts.vault.unfinished(of: customer)
            } catch {
                if deliveries.leases == 0 { try? await division.vault.endDeliveries(of: customer, division.lease) }
                throw error
            }
            if !holds { deliveries.leases += 1 }
            return true
        }
    }

    /// Ends the lease, unless another delivery of this node uses it.
    func endDeliveries(_ division: StoreDependencies.DeliveryLease) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            deliveries.leases -= 1
            if deliveries.leases == 0 { try await division.vault.endDeliveries(of: customer, division.lease) }
        }
    }

    /// Credits transactions that were excluded by the policy when they were learned, or that would have overflowed a
    /// balance.
    ///
    /// - Returns: The transactions that would still overflow a balance.
    func credit(_ facts: [VerifiedFact]) async throws(VaultError) -> Set<TransactionKey> {
        guard !facts.isEmpty else { return [] }
        return try await serially { () async throws(VaultError) in
            let uncredited = Set(try await write(StepInput(facts: facts)).uncredited)
            state.credited.formUnion(facts.lazy.compactMap(\.transaction).map(TransactionKey.init))
            state.credited.subtract(uncredited)
            return uncredited
        }
    }

    /// Returns the state of an outstanding delivery; `nil` if the transaction has no outstanding delivery.
    func progress(of key: TransactionKey) -> OutboxItem.State? { state.unfinished.first { $0.key == key }?.state }

    /// Runs work on a transaction, unless another task works on the transaction.
    ///
    /// - Returns: The result of the work; `nil` if another task works on the transaction.
    func delivering<Value>(_ key: TransactionKey, _ work: () async -> Value) async -> Value? {
        guard deliveries.begin(key) else { return nil }
        defer { for waiter in deliveries.end(key) { waiter.resume() } }
        return await work()
    }

    /// Waits until a transaction's delivery has ended; returns at once if no delivery is in progress.
    func awaitDelivery(of key: TransactionKey) async {
        guard deliveries.isInProgress(key) else { return }
        await withCheckedContinuation { deliveries.wait($0, for: key) }
    }

    /// Returns whether a purchase of a product is in progress.
    func isPurchasing(_ id: Product.ID) -> Bool { purchases.contains(id) }
    /// Begins the purchase of a product; returns `false` if a purchase of the product is in progress.
    func beginPurchase(of id: Product.ID) -> Bool { purchases.insert(id).inserted }
    /// Ends the purchase of a product.
    func endPurchase(of id: Product.ID) { purchases.remove(id) }
}
