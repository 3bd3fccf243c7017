/// What one customer owns, kept durably, and what is owed to them.
///
/// Evidence goes one way: it is verified, merged, committed to the vault, published, delivered, finished, in this
/// order, and nothing is published or acknowledged that the vault has not written down. A failure leaves everything as
/// it was: what a backend does not say takes nothing away, and what the vault did not write comes again.
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
/// Questions that the newest ``snapshot`` can answer need no waiting. Everything that was bought, spent or taken in
/// through a call of the store is in the snapshot when the call returns.
public actor Store {
    /// Hands out the goods of a purchase, and throws where it could not; then it is asked again.
    ///
    /// It may call the store.
    public typealias DeliveryHandler = @Sendable (Delivery) async throws -> Void

    /// Whose store it is.
    public nonisolated let customer: CustomerID
    nonisolated let parts: StoreParts
    nonisolated let publication: Publication

    /// What the vault has written, as far as this store has seen it.
    private var state: CustomerState
    /// Since when the backend has failed.
    private var failingSince: Instant?
    private var deliveries = Deliveries<CheckedContinuation<Void, Never>>()
    private var waitingRequests = WaitingRequests()
    private var purchases = Purchases()
    private var turns = Turns<CheckedContinuation<Void, Never>>()
    private var isRunning = false

    /// Opens a customer's store.
    ///
    /// Reads the vault and nothing else, so that it answers even when the App Store cannot be reached.
    ///
    /// - Parameters:
    ///   - customer: Whose.
    ///   - configuration: What the app sells, and how the store is to behave.
    ///   - vault: Where everything is kept.
    ///   - verifier: Who believes evidence.
    ///   - backend: Where evidence comes from; `nil` where the app hands it over itself, with ``ingest(_:isComplete:)``.
    ///   - clock: The time.
    ///   - deliver: Hands out the goods of each purchase, at least once; `nil` where there is nothing to hand out, for
    ///     instance because the app only asks what is owned.
    ///   - report: Is told what goes wrong; called from the store, so it should be quick.
    /// - Throws: ``VaultError`` where the vault cannot be read.
    public static func open(
        customer: CustomerID, configuration: StoreConfiguration = StoreConfiguration(), vault: any Vault,
        verifier: any TransactionVerifier, backend: (any StoreBackend)? = nil, clock: any StoreClock = WallClock(),
        deliver: DeliveryHandler? = nil, report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws(VaultError) -> Store {
        try await open(
            customer: customer,
            with: StoreParts(
                configuration: configuration, vault: vault, verifier: verifier, backend: backend, clock: clock,
                handler: deliver, listener: report))
    }

    /// Opens a customer's store with parts that it may share with others.
    static func open(customer: CustomerID, with parts: StoreParts) async throws(VaultError) -> Store {
        Store(customer: customer, parts: parts, record: try await parts.vault.load(customer))
    }

    private init(customer: CustomerID, parts: StoreParts, record: CustomerRecord) {
        self.customer = customer
        self.parts = parts
        state = CustomerState(
            record, of: customer, configuration: parts.configuration, accountTokens: parts.vault.accountTokens,
            owesDelivery: parts.handler != nil || parts.backend != nil)
        publication = Publication(state.snapshot(failingSince: nil))
    }

    /// Keeps the store up to date until the task is cancelled; then returns.
    ///
    /// Begins to listen to the backend, then reads the customer's whole history, then goes on listening, so that
    /// nothing falls between. What fails is reported and tried again; one part that hangs does not keep the others:
    /// answers that time changes are recorded at their exact instants, whatever the backend does.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` where another task runs the store.
    public func run() async throws {
        guard !isRunning else { throw StoreError(.alreadyRunning, "the store runs already; cancel that task first") }
        isRunning = true
        defer { isRunning = false }
        await StoreService(parts, concurrency: 1).run(SingleStore(store: self))
    }

    // MARK: One after the other

    /// Carries out work that reads and writes what is known, after all that was asked for before.
    ///
    /// An actor lets others in while it waits for the vault; this does not. Work that has begun ends, and work that
    /// waits is done, also when the task is cancelled.
    func serially<Value, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if !turns.begin() { await withCheckedContinuation { turns.wait($0) } }
        defer { turns.next()?.resume() }
        return try await work()
    }

    /// What is known, once all that was asked for before is done.
    ///
    /// - Throws: ``VaultError`` where the vault has to be read again and cannot be.
    func settledState() async throws(VaultError) -> CustomerState {
        try await serially { () async throws(VaultError) in try await currentState() }
    }

    /// What is known, with what others have written; only inside ``serially(_:)``.
    func currentState() async throws(VaultError) -> CustomerState {
        if state.isBehind { try await reload() }
        return state
    }

    /// Takes over what others have written; only inside ``serially(_:)``.
    func reload() async throws(VaultError) {
        let record = try await parts.vault.load(customer)
        state.replace(with: record)
        publish()
        // Where nodes divide the deliveries, who has written it hands it out, or whoever finds it owed later.
        if !state.unfinished.isEmpty, parts.division == nil { parts.work.owed.add(customer) }
    }

    // MARK: Steps

    /// Learns something: computes the step, commits it, and only then knows it; only inside ``serially(_:)``.
    ///
    /// Where others have written it looks again. On an error nothing has changed.
    @discardableResult
    func write(_ intake: Intake) async throws(VaultError) -> IntakeReport {
        var intake = intake
        for _ in 0..<parts.configuration.commitAttempts {
            if state.isBehind { try await reload() }
            // What the step before was made of is gone by now.
            state.live.fold()
            var step = state.step(intake, at: parts.clock.now)
            guard let batch = step.batch else {
                if step.isDoubting {
                    state = step.next
                    publish()
                }
                return IntakeReport()
            }
            switch try await parts.vault.commit(batch) {
            case .committed(let receipt):
                for key in step.confirm(receipt) { parts.report(.uncredited(key)) }
                for conflict in receipt.putAside.conflicts { parts.report(.conflict(conflict)) }
                state = step.next
                purchases.markKnown(
                    receipt.newFacts.lazy.compactMap { batch.facts[$0].transaction }.map(TransactionKey.init))
                publish()
                return IntakeReport(receipt, of: batch)
            case .stale: state.isBehind = true
            case .divided(let own): intake.own = own
            }
        }
        throw VaultError(.locked, "other processes kept writing about the same customer; try again")
    }

    /// Takes in parked evidence that is known to be the customer's, a page at a time; only inside ``serially(_:)``.
    @discardableResult
    func adoptHeld() async throws(VaultError) -> IntakeReport {
        var total = IntakeReport()
        var page = try await currentState().adoptable
        while !page.isEnd {
            if page.rows.isEmpty, let next = page.next {
                page = try await parts.vault.adoptable(
                    by: customer, after: next, limit: parts.configuration.batchSize)
            }
            state.adoptable = VaultPage(next: page.next)
            if !page.rows.isEmpty { total.add(try await write(Intake(facts: page.rows))) }
            // What was taken in may have bound something, for which earlier rows have waited.
            page = state.adoptable
        }
        return total
    }

    /// Takes over what others have written, if they have; only inside ``serially(_:)``.
    ///
    /// - Returns: Whether they have.
    func catchUp() async throws(VaultError) -> Bool {
        let newest = try await parts.vault.version(of: customer)
        guard state.isBehind(newest) else { return try await catchUpBalances() }
        try await reload()
        try await adoptHeld()
        return true
    }

    /// Whether a vault that has come as far as this may know more.
    func isBehind(_ newest: (version: Int64, lastEntry: AccountEnd)) -> Bool {
        state.missesEntries || state.isBehind(newest)
    }

    /// Takes over balances that others moved before this store made the last entry.
    private func catchUpBalances() async throws(VaultError) -> Bool {
        guard state.missesEntries else { return false }
        let balances = CustomerState.byName(try await parts.vault.balances(of: customer))
        // What comes after the last entry that is known is seen by its place.
        state.missesEntries = false
        guard balances != state.balances else { return false }
        state.balances = balances
        publish()
        return true
    }

    /// Publishes what is known and wakes those who listen.
    private func publish() {
        publication.publish(state.snapshot(failingSince: failingSince))
        parts.work.written.send()
    }

    /// Reports that the backend has failed, or notes that it answers again, and publishes it beside the answers that
    /// were published last.
    func backendAnswered(failing error: (any Error)? = nil) {
        if let error { parts.report(.backendFailed(error)) }
        let since = error == nil ? nil : failingSince ?? parts.clock.now
        guard since != failingSince else { return }
        failingSince = since
        publication.publish(publication.snapshot.failing(since: since))
        parts.work.written.send()
    }

    // MARK: Money

    /// Carries out requests together with all others that wait.
    func carryOut(_ requests: [LedgerRequest]) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        let ticket = waitingRequests.add(requests)
        return try await serially { () async throws(VaultError) in
            // Whoever comes first takes along all who wait, so that they share one durable step.
            if !waitingRequests.isCarriedOut(ticket) { await carryOutWaiting() }
            return try waitingRequests.removeOutcome(of: ticket)?.get() ?? []
        }
    }

    private func carryOutWaiting() async {
        let waiting = waitingRequests.removeAll()
        do {
            let results = try await moveInVault(waiting.flatMap(\.requests))
            var start = 0
            for (ticket, requests) in waiting {
                waitingRequests.carriedOut(ticket, with: .success(Array(results[start..<(start + requests.count)])))
                start += requests.count
            }
        } catch {
            guard waiting.count > 1, error.code == .overflow || error.code == .invalidRequest else {
                for (ticket, _) in waiting { waitingRequests.carriedOut(ticket, with: .failure(error)) }
                return
            }
            // One of them cannot be; the others are not to suffer for it.
            for (ticket, requests) in waiting {
                do {
                    waitingRequests.carriedOut(ticket, with: .success(try await moveInVault(requests)))
                } catch {
                    waitingRequests.carriedOut(ticket, with: .failure(error))
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
            // Others have moved the balances, too. The money is moved whether or not they can be read.
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

    /// Writes down how far a transaction has come; `nil`: it is finished.
    func mark(_ key: TransactionKey, as progress: OutboxItem.State?) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            try await parts.vault.markDelivery(of: key, as: progress)
            state.mark(key, as: progress)
        }
    }

    /// Asks to be the node that hands out this customer's goods, and takes over what the one before has handed out.
    ///
    /// - Parameter holds: Whether whoever asks has the lease already and renews it.
    func leaseDeliveries(_ division: StoreParts.Division, holds: Bool) async throws(VaultError) -> Bool {
        try await serially { () async throws(VaultError) in
            let other = try await division.vault.leaseDeliveries(of: customer, division.lease, at: parts.clock.now)
            guard other == nil else { return false }
            if !holds { deliveries.leases += 1 }
            _ = try await catchUp()
            // How far a transaction has come changes no version.
            state.unfinished = try await parts.vault.unfinished(of: customer)
            return true
        }
    }

    /// Gives the lease back, unless others of this node still hand something out under it.
    func endDeliveries(_ division: StoreParts.Division) async throws(VaultError) {
        try await serially { () async throws(VaultError) in
            deliveries.leases -= 1
            if deliveries.leases == 0 { try await division.vault.endDeliveries(of: customer, division.lease) }
        }
    }

    /// Credits transactions that were learned under a policy that did not let them count, or that found no room.
    ///
    /// - Returns: What still finds no room.
    func credit(_ facts: [VerifiedFact]) async throws(VaultError) -> Set<TransactionKey> {
        guard !facts.isEmpty else { return [] }
        return try await serially { () async throws(VaultError) in
            let uncredited = Set(try await write(Intake(facts: facts)).uncredited)
            state.credited.formUnion(facts.lazy.compactMap(\.transaction).map(TransactionKey.init))
            state.credited.subtract(uncredited)
            return uncredited
        }
    }

    /// How far a transaction has come that is owed something; `nil` where it is not.
    func progress(of key: TransactionKey) -> OutboxItem.State? { state.unfinished.first { $0.key == key }?.state }

    /// Does something about a transaction that nobody else does at the same time.
    ///
    /// - Returns: `nil` where somebody is doing so.
    func delivering<Value>(_ key: TransactionKey, _ work: () async -> Value) async -> Value? {
        guard deliveries.begin(key) else { return nil }
        defer { for waiter in deliveries.end(key) { waiter.resume() } }
        return await work()
    }

    /// Waits until a transaction is not being handed out any more.
    func awaitDelivery(of key: TransactionKey) async {
        guard deliveries.isUnderWay(key) else { return }
        await withCheckedContinuation { deliveries.wait($0, for: key) }
    }

    /// Where the purchase of a product stands, or how the last one ended.
    func purchaseState(of id: Product.ID) -> PurchaseState? { purchases.state(of: id) }
    /// Begins the purchase of a product; `false` where one is going on.
    func beginPurchase(of id: Product.ID) -> Bool { purchases.begin(id) }
    /// Ends the purchase of a product; `nil`: nothing came of it.
    func endPurchase(of id: Product.ID, as state: PurchaseState?) { purchases.end(id, as: state) }
    /// Whether a transaction was learned while the purchases were going on.
    func hasLearned(_ key: TransactionKey) -> Bool { purchases.hasLearned(key) }
}
