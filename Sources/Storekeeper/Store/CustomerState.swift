/// The known state of a customer: a value from which ``step(_:at:)`` computes the next value.
///
/// Except for the state of this process, such as doubts, it contains only data that the vault has written. If the vault
/// refuses a step, nothing has to be undone.
struct CustomerState: Sendable {
    /// The maximum number of doubtful products, so that fabricated evidence cannot exhaust the memory.
    private static let maximumDoubts = 512

    /// The customer.
    let customer: CustomerID
    /// Whether each new transaction is owed a delivery and a `finish`.
    let owesDelivery: Bool
    /// The tolerated lag of the App Store's clock behind the store's clock.
    let clockTolerance: Duration
    /// The time for which access is trusted after the backend has begun to fail; `nil` means forever.
    let maximumStaleness: Duration?

    // MARK: State of the vault

    /// The version of the customer in the vault.
    var version: Int64 = 0
    /// The history, and the answers that follow from it.
    var live: LiveResolution
    /// The balances, by name.
    var balances: [Balance.ID: Balance] = [:]
    /// The last entry of the customer's account.
    var lastEntry = AccountEnd.none
    /// Whether the account contains entries by other processes that this store has not read.
    var missesEntries = false
    /// The last instant up to which changes caused by time, such as the end of a period, have been announced.
    var evaluatedThrough: Instant?
    /// The instant, as recorded by the vault, at which the App Store's whole history was last read.
    var syncedAt: Instant?
    /// The outstanding deliveries and `finish` calls, oldest first.
    var unfinished: [OutboxItem] = []
    /// The purchases that wait for approval.
    var pending: [PendingPurchase] = []
    /// The first page of the parked evidence that belongs to the customer.
    var adoptable = VaultPage<VerifiedFact>()
    /// Whether other writers have stored data that this state lacks, so that the vault must be read before a step.
    var isBehind = false

    // MARK: State of this process

    /// The products named by evidence that failed verification, each with one piece of this evidence.
    private(set) var doubts: [Product.ID: CheckedEvidence] = [:]
    /// The instant at which the whole history was last read, even if the vault has not recorded it because of doubts.
    var readAt: Instant?
    /// The outstanding transactions that need no further credit under the current policy.
    var credited: Set<TransactionKey> = []
    /// The transactions already reported because they would overflow a balance.
    var reportedUncredited: Set<TransactionKey> = []

    /// Creates the state of a customer from the vault's record.
    init(
        _ record: CustomerRecord, of customer: CustomerID, configuration: StoreConfiguration, owesDelivery: Bool
    ) {
        self.customer = customer
        self.owesDelivery = owesDelivery
        clockTolerance = configuration.clockTolerance
        maximumStaleness = configuration.policy.maximumStaleness
        live = Self.live(
            record, resolver: EntitlementResolver(catalog: configuration.catalog, policy: configuration.policy))
        load(record)
    }

    /// Replaces the state of the vault; the state of this process does not change.
    mutating func replace(with record: CustomerRecord) {
        live = Self.live(record, resolver: live.resolver)
        load(record)
    }

    private static func live(_ record: CustomerRecord, resolver: EntitlementResolver) -> LiveResolution {
        LiveResolution(
            history: PurchaseHistory(verified: record.facts.lazy.map(\.fact)), resolver: resolver,
            pending: record.pending, grants: record.grants)
    }

    /// Takes over all data of a record except the facts.
    private mutating func load(_ record: CustomerRecord) {
        version = record.version
        balances = Self.byName(record.balances)
        lastEntry = record.lastEntry
        missesEntries = false
        evaluatedThrough = record.evaluatedThrough
        syncedAt = record.syncedAt
        unfinished = record.unfinished
        pending = record.pending
        adoptable = record.adoptable
        isBehind = false
    }

    static func byName(_ balances: [Balance]) -> [Balance.ID: Balance] {
        Dictionary(balances.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a vault with this version and this last entry of the account has data that this state lacks.
    func isBehind(_ newest: (version: Int64, lastEntry: AccountEnd)) -> Bool {
        isBehind || newest != (version, lastEntry)
    }

    // MARK: Doubts

    /// Adds evidence that failed verification, for products of the catalog and for a limited number of other products.
    ///
    /// - Returns: Whether a product has become doubtful.
    mutating func admit(_ evidence: [CheckedEvidence]) -> Bool {
        let count = doubts.count
        for piece in evidence {
            guard case .transaction(let result) = piece else { continue }
            let id = result.unsafePayloadValue.productID
            let isKnown = live.resolver.catalog.product(id) != nil
            guard doubts[id] == nil, isKnown || doubts.count < Self.maximumDoubts else { continue }
            doubts[id] = piece
        }
        return doubts.count > count
    }

    /// The history and the answers, including doubtful products.
    ///
    /// The doubts of a process are lost when the process ends. They are therefore never stored, not even as events.
    var doubted: LiveResolution {
        guard !doubts.isEmpty else { return live }
        var live = live
        live.merge(doubts.values)
        return live
    }

    // MARK: Reading

    /// The access that was granted without a purchase.
    var grants: [AccessGrant] { live.resolution.grants }

    /// Returns the instant of the first change that time causes and that is not announced yet.
    func nextWake(at now: Instant) -> Instant? {
        live.resolution.nextChange(after: evaluatedThrough ?? now).flatMap { $0 < .distantFuture ? $0 : nil }
    }

    /// Returns the newest copies of transactions; a transaction that the history does not contain is left out.
    func facts(_ keys: some Sequence<TransactionKey>) -> [TransactionKey: TransactionFact] {
        var facts: [TransactionKey: TransactionFact] = [:]
        for key in keys { facts[key] = live.history.fact(key) }
        return facts
    }

    /// Returns the snapshot to publish.
    ///
    /// - Parameters:
    ///   - failingSince: The instant at which the backend began to fail; `nil` if it works.
    ///   - now: The time of the clock.
    func snapshot(failingSince: Instant?, at now: Instant) -> StoreSnapshot {
        StoreSnapshot(
            customer: customer, resolution: doubted.resolution,
            balances: balances.sorted { $0.key < $1.key }.map(\.value),
            freshness: Freshness(
                syncedAt: [syncedAt, readAt].compactMap { $0 }.max(), failingSince: failingSince,
                maximumStaleness: maximumStaleness), takenAt: now)
    }
}

extension CustomerState {
    /// Returns the state after the vault has carried out requests.
    ///
    /// - Returns: The next state; `nil` if the results do not match this state's balances, because another process has
    ///   changed the balances.
    func applying(
        _ results: [Result<LedgerReceipt, LedgerRefusal>], of requests: [LedgerRequest]
    ) -> CustomerState? {
        var next = self
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let receipt):
                let entry = receipt.entry
                if receipt.isReplay {
                    guard entry.number <= next.lastEntry.number else { return nil }
                    continue
                }
                let name = entry.balance
                let balance = next.balances[name] ?? Balance(id: entry.balance)
                guard entry.number == next.lastEntry.number &+ 1,
                    let moved = try? balance.adding(entry.kind, entry.change), moved.amount == entry.after
                else { return nil }
                next.balances[name] = moved
                next.lastEntry = AccountEnd(entry)
            case .failure(.insufficient(let amount)):
                guard next.balances[request.balance]?.amount ?? 0 == amount else { return nil }
            case .failure(.frozen(let balance)):
                if next.balances[balance].map({ $0.amount >= 0 }) ?? true { return nil }
            case .failure(.keyReused), .failure(.unknownGrant): continue
            }
        }
        return next
    }

    /// Records the state of a delivery; `nil` means that the transaction is finished.
    mutating func recordState(_ key: TransactionKey, as state: OutboxItem.State?) {
        credited.remove(key)
        guard let index = unfinished.firstIndex(where: { $0.key == key }) else { return }
        if let state { unfinished[index].state = state } else { unfinished.remove(at: index) }
    }
}
