/// What is known of a customer: a value that a ``step(_:at:)`` makes the next one of.
///
/// Nothing is in it that the vault has not written, but for what it never writes: doubts. So a step that the vault
/// refuses leaves nothing to be taken back.
struct CustomerState: Sendable {
    /// How many products may come into doubt at most, so that made-up evidence cannot fill the memory.
    private static let maximumDoubts = 512

    /// Whose.
    let customer: CustomerID
    /// What tokens say of whose purchases are.
    let accountTokens: AccountTokenRule
    /// Whether each new transaction is owed a delivery and a `finish`.
    let owesDelivery: Bool
    /// By how much the App Store's clock may be behind ours, in milliseconds.
    let clockTolerance: Duration
    /// For how long, in milliseconds, access is trusted after the App Store has stopped answering; `nil`: for ever.
    let maximumStaleness: Duration?

    // MARK: What the vault has

    /// The version of the customer in the vault.
    var version: Int64 = 0
    /// The history and the answers that follow from it.
    var live: LiveResolution
    /// The balances, by name.
    var balances: [Balance.ID: Balance] = [:]
    /// Where the customer's account ends.
    var lastEntry = AccountEnd.none
    /// Whether others have made entries before the last that this store does not know.
    var missesEntries = false
    /// Up to when the changes that time brings have been announced, inclusive.
    var evaluatedThrough: Instant?
    /// When the App Store's whole history was last read and written down.
    var syncedAt: Instant?
    /// What is owed a delivery or a `finish`, oldest first.
    var unfinished: [OutboxItem] = []
    /// The purchases that wait for approval.
    var pending: [PendingPurchase] = []
    /// Parked evidence that has become the customer's: the first page of it.
    var adoptable = VaultPage<VerifiedFact>()
    /// Whether others have written what is not known here, so that the vault is to be read before the next step.
    var isBehind = false

    // MARK: What only this process knows

    /// Products named by evidence that could not be believed, each with a piece of it.
    private(set) var doubts: [Product.ID: CheckedEvidence] = [:]
    /// When the whole history was last read, also where doubts kept that from being written down.
    var readAt: Instant?
    /// Transactions owed a delivery that were credited under the policy that holds, as far as they are to be.
    var credited: Set<TransactionKey> = []
    /// Transactions of which was told that no balance can hold them.
    var toldUncredited: Set<TransactionKey> = []

    /// Makes the state of a customer that a vault has.
    init(
        _ record: CustomerRecord, of customer: CustomerID, configuration: StoreConfiguration,
        accountTokens: AccountTokenRule, owesDelivery: Bool
    ) {
        self.customer = customer
        self.accountTokens = accountTokens
        self.owesDelivery = owesDelivery
        clockTolerance = configuration.clockTolerance
        maximumStaleness = configuration.policy.maximumStaleness
        live = Self.live(
            record, resolver: EntitlementResolver(catalog: configuration.catalog, policy: configuration.policy))
        load(record)
    }

    /// Puts what the vault has in place of what was known; what only this process knows stays.
    mutating func replace(with record: CustomerRecord) {
        live = Self.live(record, resolver: live.resolver)
        load(record)
    }

    private static func live(_ record: CustomerRecord, resolver: EntitlementResolver) -> LiveResolution {
        var history = PurchaseHistory()
        _ = history.merge(record.facts.map(\.fact.evidence))
        return LiveResolution(history: history, resolver: resolver, pending: record.pending)
    }

    /// Takes over what a record says beside the facts.
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

    /// Whether a vault that has come as far as this may know what is not known here.
    func isBehind(_ newest: (version: Int64, lastEntry: AccountEnd)) -> Bool {
        isBehind || newest != (version, lastEntry)
    }

    // MARK: Doubts

    /// Adds doubtful evidence: about products that somebody knows, and only so many others.
    ///
    /// - Returns: Whether there is any that was not there before.
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

    /// The history and the answers, where some products are in doubt.
    ///
    /// Doubts end with the process, so that they are kept out of what the vault is told: events above all.
    var doubted: LiveResolution {
        guard !doubts.isEmpty else { return live }
        var live = live
        live.merge(doubts.values)
        return live
    }

    // MARK: Reading

    /// When an answer changes next of which nothing was announced yet.
    func nextWake(at now: Instant) -> Instant? {
        live.resolution.nextChange(after: evaluatedThrough ?? now).flatMap { $0 < .distantFuture ? $0 : nil }
    }

    /// The newest copies of transactions, of those that are known.
    func facts(_ keys: some Sequence<TransactionKey>) -> [TransactionKey: TransactionFact] {
        var facts: [TransactionKey: TransactionFact] = [:]
        for key in keys { facts[key] = live.history.fact(key) }
        return facts
    }

    /// What is to be published.
    ///
    /// - Parameter failingSince: Since when the backend has failed.
    func snapshot(failingSince: Instant?) -> StoreSnapshot {
        StoreSnapshot(
            customer: customer, resolution: doubted.resolution,
            balances: balances.sorted { $0.key < $1.key }.map(\.value),
            freshness: Freshness(
                syncedAt: [syncedAt, readAt].compactMap { $0 }.max(), failingSince: failingSince,
                maximumStaleness: maximumStaleness))
    }
}
