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
    let configuration: StoreConfiguration
    let vault: any Vault
    let verifier: any TransactionVerifier
    nonisolated let backend: (any StoreBackend)?
    nonisolated let clock: any StoreClock
    let handler: DeliveryHandler?
    private let listener: @Sendable (StoreReport) -> Void

    nonisolated let publication: Publication
    /// Tells those who listen that something was written.
    nonisolated let written: ChangeSignal
    /// Tells the loop of deliveries that something is owed.
    let owing = ChangeSignal()
    /// Tells the loop that reads histories that one is wanted.
    let wanting = ChangeSignal()

    /// What the vault had when it was last read, and what was written since.
    var known: KnownState
    /// Whether ``known`` is what the vault has; otherwise it is read again before it is used.
    var isCurrent = true
    /// The catalog and policy that what was written last goes by.
    var resolver: EntitlementResolver
    /// Since when the backend has failed.
    var failingSince: Instant?
    /// Products named by evidence that could not be believed, each with a piece of it.
    var doubts: [Product.ID: VerifiedEvidence] = [:]
    /// When the whole history was last read, also where doubts kept that from being written down.
    var readAt: Instant?
    var isRunning = false

    /// Transactions owed a delivery whose credits were settled by the policy that holds.
    var settled: Set<TransactionKey> = []
    /// Transactions of which was told that no balance can hold them.
    var toldUncredited: Set<TransactionKey> = []
    /// Transactions whose goods are being handed out, and who waits for that.
    var deliveries: [TransactionKey: [CheckedContinuation<Void, Never>]] = [:]
    /// Requests to move balances that wait to be carried out together.
    var waitingRequests: [(ticket: Int, requests: [LedgerRequest])] = []
    /// What came of requests, until whoever made them takes it.
    var carriedOut: [Int: Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>] = [:]
    var lastTicket = 0
    /// Purchases that are going on, and what came of the last one, by product.
    var purchases: [Product.ID: PurchaseState] = [:]
    /// Transactions learned while purchases were going on.
    var learned: Set<TransactionKey> = []

    private var isWorking = false
    private var line = WaitingLine()

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
            customer: customer, configuration: configuration, vault: vault, verifier: verifier, backend: backend,
            clock: clock, written: ChangeSignal(), deliver: deliver, report: report)
    }

    /// Opens a customer's store that shares with others the signal that something was written.
    static func open(
        customer: CustomerID, configuration: StoreConfiguration, vault: any Vault, verifier: any TransactionVerifier,
        backend: (any StoreBackend)?, clock: any StoreClock, written: ChangeSignal, deliver: DeliveryHandler?,
        report: @escaping @Sendable (StoreReport) -> Void
    ) async throws(VaultError) -> Store {
        let record = try await vault.load(customer)
        return Store(
            customer: customer, configuration: configuration, vault: vault, verifier: verifier, backend: backend,
            clock: clock, written: written, handler: deliver, listener: report, record: record)
    }

    private init(
        customer: CustomerID, configuration: StoreConfiguration, vault: any Vault, verifier: any TransactionVerifier,
        backend: (any StoreBackend)?, clock: any StoreClock, written: ChangeSignal, handler: DeliveryHandler?,
        listener: @escaping @Sendable (StoreReport) -> Void, record: CustomerRecord
    ) {
        self.customer = customer
        self.configuration = configuration
        self.vault = vault
        self.verifier = verifier
        self.backend = backend
        self.clock = clock
        self.written = written
        self.handler = handler
        self.listener = listener
        resolver = EntitlementResolver(catalog: configuration.catalog, policy: configuration.policy)
        known = KnownState(record, resolver: resolver)
        publication = Publication(
            known.snapshot(
                of: customer, doubting: [], failingSince: nil,
                maximumStaleness: configuration.policy.maximumStaleness))
    }

    // MARK: One after the other

    /// Carries out work that reads and writes what is known, after all that was asked for before.
    ///
    /// An actor lets others in while it waits for the vault; this does not. Work that has begun ends, and work that
    /// waits is done, also when the task is cancelled.
    func serially<Value, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if isWorking {
            await withCheckedContinuation { line.append($0) }
        } else {
            isWorking = true
        }
        defer {
            if let next = line.next() { next.resume() } else { isWorking = false }
        }
        return try await work()
    }

    // MARK: What is known

    /// Reads the vault again where that is needed; only inside ``serially(_:)``.
    func restore() async throws(VaultError) {
        guard !isCurrent else { return }
        adopt(try await vault.load(customer))
    }

    /// Puts what the vault has in place of what was known.
    private func adopt(_ record: CustomerRecord) {
        known = KnownState(record, resolver: resolver)
        known.syncedAt = [known.syncedAt, readAt].compactMap { $0 }.max()
        isCurrent = true
        publish()
        if !known.unfinished.isEmpty { owing.send() }
    }

    /// Publishes what is known and wakes those who listen.
    func publish() {
        publication.publish(
            known.snapshot(
                of: customer, doubting: doubts.values, failingSince: failingSince,
                maximumStaleness: configuration.policy.maximumStaleness))
        written.send()
    }

    /// Notes whether the backend answers, and publishes it beside the answers that were published last.
    func note(backendFailure error: (any Error)?) {
        if let error { report(.backendFailed(error)) }
        let since = error == nil ? nil : failingSince ?? clock.now
        guard since != failingSince else { return }
        failingSince = since
        let last = publication.snapshot
        var knowledge = last.knowledge
        knowledge.failingSince = since
        publication.publish(
            StoreSnapshot(
                customer: customer, resolution: last.resolution, balances: last.balances, knowledge: knowledge))
        written.send()
    }

    func report(_ problem: StoreReport.Problem) { listener(StoreReport(at: clock.now, problem)) }
}

/// Those who wait for their turn, first come, first served.
struct WaitingLine: Sendable {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var served = 0

    mutating func append(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    mutating func next() -> CheckedContinuation<Void, Never>? {
        guard served < waiting.count else { return nil }
        defer {
            served += 1
            if served == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                served = 0
            } else if served >= 64, served * 2 >= waiting.count {
                waiting.removeFirst(served)
                served = 0
            }
        }
        return waiting[served]
    }
}
