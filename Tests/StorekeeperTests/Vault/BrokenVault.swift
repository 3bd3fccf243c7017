import Storekeeper

/// A vault in memory that does not do what it should: each closure may bend what goes in or comes out.
struct BrokenVault: Vault {
    let base = InMemoryVault()
    var onBatch: @Sendable (CommitBatch) -> [CommitBatch] = { [$0] }
    var onRequests: @Sendable ([LedgerRequest]) -> [LedgerRequest] = { $0 }
    var onRecord: @Sendable (CustomerRecord) -> CustomerRecord = { $0 }
    var onFacts: @Sendable ([StoredFact]) throws(VaultError) -> [StoredFact] = { (facts) throws(VaultError) in facts }
    var onEntries: @Sendable ([LedgerEntry]) -> [LedgerEntry] = { $0 }
    var onBalances: @Sendable ([Balance]) -> [Balance] = { $0 }
    var onHolders: @Sendable ([BindingSubject: CustomerID]) -> [BindingSubject: CustomerID] = { $0 }
    var onState: @Sendable (OutboxItem.State?) -> OutboxItem.State? = { $0 }
    var onClaim: @Sendable (CustomerID?) -> CustomerID? = { $0 }
    var onReport: @Sendable (IntegrityReport) -> IntegrityReport = { $0 }
    var onParked: @Sendable (VaultPage<ParkedFact>) -> VaultPage<ParkedFact> = { $0 }
    var onOwed: @Sendable ([CustomerID]) -> [CustomerID] = { $0 }
    var onLease: @Sendable (WakeLease) -> WakeLease = { $0 }
    var onStep: @Sendable (Bool) -> Bool = { $0 }
    var erases = true

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        onRecord(try await base.load(customer))
    }
    func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await base.version(of: customer)
    }
    func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await base.customers(after: previous, limit: limit)
    }
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? { try await base.nextWake() }
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await base.leaseWake(onLease(lease), at: now)
    }
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        var outcome = CommitOutcome.stale(version: 0)
        for piece in onBatch(batch) { outcome = try await base.commit(piece) }
        return outcome
    }
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        onStep(try await base.wasWritten(step))
    }
    func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await base.owners(of: facts)
    }
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        onParked(try await base.parked(after: place, limit: limit))
    }
    func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await base.adoptable(by: customer, after: place, limit: limit)
    }
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        onHolders(try await base.holders(of: subjects))
    }
    func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await base.chains(originalID: originalID)
    }
    func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await base.bindings(of: customer)
    }
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        onClaim(try await base.claim(subject, for: customer, at: instant))
    }
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await base.move(onRequests(requests), policy: policy)
    }
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        onBalances(try await base.balances(of: customer))
    }
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        onEntries(try await base.entries(after: place, of: customer, limit: limit))
    }
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact] {
        try onFacts(try await base.facts(after: place, of: customer, limit: limit))
    }
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoreEvent] {
        try await base.events(after: place, of: customer, limit: limit)
    }
    func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await base.unfinished(of: customer)
    }
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        onOwed(try await base.customersOwed(after: previous, limit: limit))
    }
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await base.markDelivery(of: key, as: onState(state))
    }
    func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID>
    {
        try await base.seenNotifications(among: uuids)
    }
    func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? { try await base.cursor(of: backend) }
    func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await base.setCursor(cursor, of: backend)
    }
    func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        if erases { return try await base.erase(customer, reason: reason, at: instant) }
        return Erasure(place: .start, at: instant, reason: reason, facts: 0, entries: 0, proof: "none")
    }
    func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await base.erasures(of: customer)
    }
    func checkIntegrity() async throws(VaultError) -> IntegrityReport { onReport(try await base.checkIntegrity()) }
}
