import Synchronization

/// The dependencies of a store.
struct StoreDependencies: Sendable {
    /// The settings of the store; the verifier decides which environments the policy accepts.
    var configuration: StoreConfiguration
    let vault: any TransactionalVault
    let verifier: any TransactionVerifier
    let backend: (any StoreBackend)?
    let clock: any StoreClock
    /// The handler that delivers the content of purchases.
    let handler: Store.DeliveryHandler?
    /// The lease by which this node divides work with other processes that use the same vault; `nil` if only this
    /// process uses the vault.
    var lease: WakeLease?
    /// The closure that receives the store's reports of problems.
    let listener: @Sendable (StoreReport) -> Void
    /// The queued work; shared by the stores of a pool.
    let work = StoreWork()

    init(
        configuration: StoreConfiguration, vault: any Vault, verifier: any TransactionVerifier,
        backend: (any StoreBackend)?, clock: any StoreClock, handler: Store.DeliveryHandler?,
        lease: WakeLease? = nil, listener: @escaping @Sendable (StoreReport) -> Void
    ) {
        self.configuration = configuration
        self.configuration.policy = configuration.policy.accepting(verifier.environments)
        self.vault = vault.implementation.vault
        self.verifier = verifier
        self.backend = backend
        self.clock = clock
        self.handler = handler
        self.lease = lease
        self.listener = listener
    }

    /// A vault and a lease by which nodes divide deliveries.
    struct DeliveryLease: Sendable {
        let vault: any SharedVault
        let lease: WakeLease
    }

    /// The vault that divides deliveries among nodes, with this node's lease; `nil` if deliveries are not divided.
    var division: DeliveryLease? {
        guard let lease, let vault = vault.sharing else { return nil }
        return DeliveryLease(vault: vault, lease: lease)
    }

    /// Reports to the App Store that the content of a transaction was delivered; does nothing without a backend.
    ///
    /// - Returns: `false` if the report failed and must be repeated.
    func finish(_ item: OutboxItem) async -> Bool {
        guard let backend else { return true }
        let grant = DurableGrant(item)
        do {
            try await clock.within(configuration.callDeadline) { try await backend.finish(grant) }
            return true
        } catch let refusal as FinishRefusal {
            // The App Store would refuse each retry, and the content was delivered, so the finish is not retried.
            report(.finishRefused(item.key, refusal.reason))
            return true
        } catch {
            report(.finishFailed(item.key, error))
            return false
        }
    }

    /// Parks evidence for its owner, or until a customer claims it, and records notifications.
    func park(
        _ facts: [VerifiedFact], notifications: [ServerNotification.ID] = []
    ) async throws(VaultError) -> IngestReport {
        guard !facts.isEmpty || !notifications.isEmpty else { return IngestReport() }
        let batch = CommitBatch(
            for: .owner(primary: nil), at: clock.now, facts: facts, notifications: notifications)
        guard case .committed(let receipt) = try await vault.commit(batch) else { return IngestReport() }
        return IngestReport(receipt, of: batch)
    }

    /// How long ago the stores in memory last contained all writes of other processes, if that is longer than the vault
    /// permits; `nil` if the stores can be trusted.
    var excessiveAge: Duration? {
        guard let lifetime = vault.sharing?.reportLifetime else { return nil }
        let age = ContinuousClock.now - work.reports.withLock { $0.current }
        return age > lifetime ? age : nil
    }

    // MARK: Reports

    func report(_ problem: StoreReport.Problem) { listener(StoreReport(at: clock.now, problem)) }

    /// Reports each piece of evidence that failed verification.
    func reportFailures(of presented: VerificationBatch) {
        for failure in presented.failures { report(.unverified(failure.error, productID: failure.productID)) }
    }

    /// Reports the number of pieces of evidence that were parked without an owner.
    func reportUnclaimed(_ intake: IngestReport) {
        if intake.unclaimed > 0 { report(.unclaimed(intake.unclaimed)) }
    }
}

/// The customers for whom work is queued, and the signal that data was written.
final class StoreWork: Sendable {
    /// The signal that is sent when data was written; it wakes subscribers and the loop that announces changes caused
    /// by time.
    let written = ChangeSignal()
    /// Customers with outstanding deliveries.
    let owed = CustomerQueue()
    /// Customers whose history must be read.
    let unread = CustomerQueue()
    /// Customers whose stores lack writes of other processes.
    let outdated = CustomerQueue()
    /// The owners of recently written chains, so that most items of a stream need no query to the vault.
    let owners = OwnerCache()
    /// What is known of the writes of other processes.
    let reports = Mutex(ExternalReports())
}

/// How far the stores in memory contain the writes of other processes.
struct ExternalReports: Sendable {
    /// Since when the vault has reported the writes of other processes without interruption; `nil` while it does not.
    var since: Instant?
    /// The instant up to which the stores in memory contain all acknowledged writes.
    ///
    /// The first value is the instant before any store was read from the vault.
    private(set) var current = ContinuousClock.now
    /// Whether a report could not be applied, so that the next one must be treated as ``ExternalWrite/missed``.
    private(set) var isIncomplete = false
    /// A number that grows with each report that other processes may have written.
    private(set) var count = 0
    /// The customers whose stores lack reported writes, each with the value of ``count`` at the last such report.
    ///
    /// These stores must read the vault before they answer. A store that cannot do so does not make the other stores
    /// unusable.
    private(set) var outdated: [CustomerID: Int] = [:]

    /// Begins a report that other processes may have written; call it before the stores in memory are listed.
    mutating func begin() { count += 1 }

    /// Records that the stores of customers lack reported writes.
    mutating func mark(_ customers: [CustomerID]) {
        count += 1
        for customer in customers { outdated[customer] = count }
    }

    /// Records that a store has read the writes that were reported up to a value of ``count``.
    mutating func unmark(_ customer: CustomerID, upTo number: Int) {
        if outdated[customer] == number { outdated[customer] = nil }
    }

    /// Records that a report was applied to the stores in memory, or that this has failed.
    mutating func end(upTo instant: ContinuousClock.Instant, isApplied: Bool) {
        isIncomplete = !isApplied
        if isApplied { current = instant }
    }
}
