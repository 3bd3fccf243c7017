import Foundation
import Storekeeper
import StorekeeperPostgres
import Synchronization

/// Several nodes over one database, asked in turn, as if they were one vault.
final class Fleet: Vault {
    let nodes: [PostgresVault]
    let accountTokens: AccountTokenRule
    private let next = Atomic<Int>(0)

    init(_ database: String, nodes: Int, options: PostgresVault.Options) async throws(VaultError) {
        accountTokens = options.accountTokens
        var made: [PostgresVault] = []
        for _ in 0..<nodes { made.append(try await PostgresVault(database, options: options)) }
        self.nodes = made
    }

    func close() { for node in nodes { node.close() } }

    private var node: PostgresVault { nodes[next.add(1, ordering: .relaxed).newValue % nodes.count] }

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord { try await node.load(customer) }
    func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await node.version(of: customer)
    }
    func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await node.customers(after: previous, limit: limit)
    }
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? { try await node.nextWake() }
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await node.leaseWake(lease, at: now)
    }
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome { try await node.commit(batch) }
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await node.wasWritten(step) }
    func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await node.owners(of: facts)
    }
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await node.parked(after: place, limit: limit)
    }
    func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await node.adoptable(by: customer, after: place, limit: limit)
    }
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await node.holders(of: subjects)
    }
    func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await node.chains(originalID: originalID)
    }
    func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await node.bindings(of: customer)
    }
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? { try await node.claim(subject, for: customer, at: instant) }
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await node.move(requests, policy: policy)
    }
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await node.balances(of: customer)
    }
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] { try await node.entries(after: place, of: customer, limit: limit) }
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact] {
        try await node.facts(after: place, of: customer, limit: limit)
    }
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoreEvent] {
        try await node.events(after: place, of: customer, limit: limit)
    }
    func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await node.unfinished(of: customer)
    }
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await node.customersOwed(after: previous, limit: limit)
    }
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await node.markDelivery(of: key, as: state)
    }
    func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID>
    {
        try await node.seenNotifications(among: uuids)
    }
    func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? { try await node.cursor(of: backend) }
    func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await node.setCursor(cursor, of: backend)
    }
    func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure { try await node.erase(customer, reason: reason, at: instant) }
    func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await node.erasures(of: customer)
    }
    func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await node.checkIntegrity() }
    func checkIntegrity(containing head: String) async throws(VaultError) -> IntegrityReport {
        try await node.checkIntegrity(containing: head)
    }
}
