import FoundationEssentials
import Synchronization

@testable import Storekeeper

/// Tables in memory that count the ownership look-ups of each subject.
struct CountingTables: VaultTables {
    private final class Counts: Sendable {
        let counts = Mutex<[String: Int]>([:])
    }

    private var base: MemoryTables
    private let counts = Counts()

    init(_ base: MemoryTables) { self.base = base }

    /// The number of look-ups of each subject.
    var lookups: [String: Int] { counts.counts.withLock { $0 } }

    private func count(_ subject: String) { counts.counts.withLock { $0[subject, default: 0] += 1 } }

    var accountTokens: AccountTokenRule { base.accountTokens }

    func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID? {
        switch subject {
        case .chain(let chain): count("chain \(chain.originalID)")
        case .token(let token): count("token \(token)")
        }
        return try base.holder(of: subject)
    }
    func holders(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> [CustomerID] {
        count("info \(originalID)")
        return try base.holders(environment: environment, originalID: originalID)
    }
    func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] { try base.chains(originalID: originalID) }
    func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? { try base.token(of: chain) }

    // MARK: Uncounted calls

    func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? { try base.customer(id) }
    mutating func setCustomer(_ row: CustomerRow) throws(VaultError) { try base.setCustomer(row) }
    func versionFloor() throws(VaultError) -> Int64 { try base.versionFloor() }
    func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        try base.customers(after: previous, limit: limit)
    }
    func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? { try base.earliestWake() }
    func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        try base.wakes(after: previous, limit: limit)
    }
    mutating func setLease(_ hold: HeldWakeLease, of customer: CustomerID, at now: Instant) throws(VaultError) {
        try base.setLease(hold, of: customer, at: now)
    }
    mutating func bind(_ subject: BindingSubject, to customer: CustomerID, at instant: Instant) throws(VaultError) {
        try base.bind(subject, to: customer, at: instant)
    }
    mutating func release(_ subject: BindingSubject, of customer: CustomerID) throws(VaultError) {
        try base.release(subject, of: customer)
    }
    func bindings(of customer: CustomerID) throws(VaultError) -> [Binding] { try base.bindings(of: customer) }
    mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int { try base.countAttempt(on: subject, by: claimant, at: instant) }
    func attempts(on subject: BindingSubject) throws(VaultError) -> Int { try base.attempts(on: subject) }
    mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        try base.insert(fact, learnedAt: learnedAt)
    }
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) throws(VaultError) -> [StoredFact] {
        try base.facts(after: place, of: customer, limit: limit)
    }
    func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] { try base.copies(of: key) }
    mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        try base.park(fact, claimant: claimant)
    }
    func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        try base.parked(after: place, limit: limit)
    }
    func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> { try base.parked(heldBy: customer, after: place, limit: limit) }
    func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        try base.parked(under: subjects, limit: limit)
    }
    func parked(of chain: ChainID, after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        try base.parked(of: chain, after: place, limit: limit)
    }
    func parked(broughtBy claimant: CustomerID, limit: Int) throws(VaultError) -> [ParkedFact] {
        try base.parked(broughtBy: claimant, limit: limit)
    }
    mutating func forgetClaimant(_ claimant: CustomerID) throws(VaultError) { try base.forgetClaimant(claimant) }
    mutating func unpark(_ fact: VerifiedFact) throws(VaultError) { try base.unpark(fact) }
    mutating func append(_ entry: LedgerDraft) throws(VaultError) -> LedgerEntry { try base.append(entry) }
    func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd { try base.lastEntry(of: customer) }
    func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        try base.balance(id, of: customer)
    }
    mutating func insertMarks(_ marks: ErasedMarks) throws(VaultError) { try base.insertMarks(marks) }
    func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool { try base.isMarked(mark) }
    mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        try base.setBalance(balance, of: customer)
    }
    mutating func addOutstandingDelivery(_ item: OutboxItem) throws(VaultError) -> Bool {
        try base.addOutstandingDelivery(item)
    }
    func unfinished(of customer: CustomerID) throws(VaultError) -> [OutboxItem] { try base.unfinished(of: customer) }
    func customersOwed(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        try base.customersOwed(after: previous, limit: limit)
    }
    mutating func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) throws(VaultError) {
        try base.markDelivery(of: key, as: state)
    }
    func isWritten(_ step: StepID) throws(VaultError) -> Bool { try base.isWritten(step) }
    mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) { try base.insert(step: step, at: instant, forgettingBefore: limit) }
    mutating func removeParked(_ fact: VerifiedFact) throws(VaultError) { try base.removeParked(fact) }
    mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int { try base.removeFacts(of: chain) }
    mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int { try base.removeRenewalInfos(environment: environment, originalID: originalID) }
    mutating func unbind(_ subject: BindingSubject) throws(VaultError) { try base.unbind(subject) }
    mutating func removeAttempts(on subject: BindingSubject) throws(VaultError) {
        try base.removeAttempts(on: subject)
    }
    mutating func removeDeliveries(of customer: CustomerID) throws(VaultError) {
        try base.removeDeliveries(of: customer)
    }
    mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        try base.closeErasure(of: customer, facts: facts, reason: reason, at: instant)
    }
    func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] { try base.erasures(of: customer) }
    func webhookSummaries() throws(VaultError) -> [WebhookSummary] { try base.webhookSummaries() }

    // MARK: Rows

    var keys: RowBuffer { base.keys }
    var cells: RowBuffer { base.cells }

    func read(
        _ table: TableShape, _ key: RowKeyCells?, _ extent: RowExtent,
        _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError) { try base.read(table, key, extent, body) }
    func read(
        _ list: RowList, limit: Int, _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError) { try base.read(list, limit: limit, body) }
    mutating func remove(_ table: TableShape, _ key: RowKeyCells) throws(VaultError) -> Int {
        try base.remove(table, key)
    }
    mutating func remove(_ rows: OldRows) throws(VaultError) { try base.remove(rows) }
    mutating func insert(_ row: RowBuffer, into table: TableShape) throws(VaultError) -> Bool {
        try base.insert(row, into: table)
    }
    mutating func set(_ row: RowBuffer, in table: TableShape) throws(VaultError) { try base.set(row, in: table) }
    mutating func update(_ row: RowBuffer, in table: TableShape) throws(VaultError) { try base.update(row, in: table) }
    mutating func nextPlace() throws(VaultError) -> FeedPlace { try base.nextPlace() }
}
