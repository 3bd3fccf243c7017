/// What a store knows of its customer.
struct KnownState: Sendable {
    /// The version of the customer in the vault.
    var version: Int64
    /// The history and the answers that follow from it.
    var live: LiveResolution
    /// The balances, by name.
    var balances: [ByteText: Balance]
    /// The place of the last entry in the customer's account.
    var lastEntry: Int64
    /// Whether others may have made entries before the last that this store does not know.
    var mayMissEntries = false
    /// Up to when the changes that time brings have been announced, inclusive.
    var evaluatedThrough: Instant?
    /// When the App Store's whole history was last read.
    var syncedAt: Instant?
    /// What is owed a delivery or a `finish`, oldest first.
    var unfinished: [OutboxItem]
    /// The purchases that wait for approval.
    var pending: [PendingPurchase]
    /// Parked evidence that has become the customer's.
    var adoptable: [VerifiedFact]

    init(_ record: CustomerRecord, resolver: EntitlementResolver) {
        version = record.version
        var history = PurchaseHistory()
        _ = history.merge(record.facts.map(\.fact.evidence))
        live = LiveResolution(history: history, resolver: resolver, pending: record.pending)
        balances = Self.byName(record.balances)
        lastEntry = record.lastEntry
        evaluatedThrough = record.evaluatedThrough
        syncedAt = record.syncedAt
        unfinished = record.unfinished
        pending = record.pending
        adoptable = record.adoptable
    }

    static func byName(_ balances: [Balance]) -> [ByteText: Balance] {
        Dictionary(balances.map { (ByteText($0.id), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same, where some products are in doubt.
    ///
    /// Doubts end with the process, so that they are kept out of what the vault is told: events above all.
    func doubting(_ doubts: some Collection<VerifiedEvidence>) -> LiveResolution {
        guard !doubts.isEmpty else { return live }
        var live = live
        _ = live.merge(doubts)
        return live
    }

    /// What is to be published of it.
    func snapshot(
        of customer: CustomerID, doubting doubts: some Collection<VerifiedEvidence>, failingSince: Instant?,
        maximumStaleness: Int64?
    ) -> StoreSnapshot {
        StoreSnapshot(
            customer: customer, resolution: doubting(doubts).resolution,
            balances: balances.sorted { $0.key < $1.key }.map(\.value),
            knowledge: Knowledge(
                syncedAt: syncedAt, failingSince: failingSince, maximumStaleness: maximumStaleness))
    }
}
