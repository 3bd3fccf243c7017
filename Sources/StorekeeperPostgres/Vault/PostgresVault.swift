public import Storekeeper
import StorekeeperDurable
import FoundationEssentials

/// A vault in a PostgreSQL database, which any number of servers share.
///
/// Steps that wait are carried out together; each customer's steps go over one connection of this process, and servers
/// divide themselves by locks of rows. When a call returns, what it wrote is as durable as the database makes it:
/// `synchronous_commit` and standbys decide.
public final class PostgresVault: Vault {
    /// How a vault is opened.
    public struct Options: Sendable {
        /// What tokens say of whose purchases are.
        public var accountTokens: AccountTokenRule
        /// How many connections there are at most.
        public var connections: Int
        /// How many of them write, each for customers of its own.
        public var writers: Int
        /// How long a round trip may take.
        public var timeout: Duration
        /// Whether the tables are made, or brought to the schema of this release, where the user may.
        public var makesSchema: Bool
        /// Whether statements get names; not behind a pooler that hands out connections by transaction.
        public var namesStatements: Bool

        /// Makes options.
        public init(
            accountTokens: AccountTokenRule = .asIDs, connections: Int = 8, writers: Int = 2,
            timeout: Duration = .seconds(30), makesSchema: Bool = true, namesStatements: Bool = true
        ) {
            self.accountTokens = accountTokens
            self.connections = connections
            self.writers = writers
            self.timeout = timeout
            self.makesSchema = makesSchema
            self.namesStatements = namesStatements
        }
    }

    /// What tokens say of whose purchases are.
    public var accountTokens: AccountTokenRule { far.accountTokens }

    let far: FarVault<PostgresStorage>
    private let storage: PostgresStorage

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq takes it: `postgres://user@host/database`, `service=…`.
    ///   - options: How it is opened.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a string that cannot be read, `io` for a database that
    ///   cannot be reached or refuses, `notFound`, `schemaTooOld` or `schemaTooNew` for one whose tables are not those
    ///   of this release.
    public init(_ database: String, options: Options = Options()) async throws(VaultError) {
        let settings: ConnectionSettings
        do throws(PostgresFailure) {
            settings = try ConnectionSettings(database, namesStatements: options.namesStatements)
        } catch {
            throw error.vaultError
        }
        let pool = ConnectionPool(settings, size: max(options.connections, options.writers + 1))
        do throws(VaultError) {
            let maker = SchemaMaker(pool: pool)
            if options.makesSchema { try await maker.make() } else { try SchemaMaker.check(try await maker.version()) }
        } catch {
            pool.close()
            throw error
        }
        storage = PostgresStorage(
            pool, limit: options.timeout, accountTokens: options.accountTokens,
            now: { Instant(Date()) })
        far = FarVault(storage, accountTokens: options.accountTokens, lanes: options.writers)
    }

    /// Ends all connections once what they do is done; calls that come later are refused.
    public func close() { storage.pool.close() }
}

extension PostgresVault {
    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord { try await far.load(customer) }

    public func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await far.version(of: customer)
    }

    public func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await far.customers(after: previous, limit: limit)
    }

    public func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? { try await far.nextWake() }

    public func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await far.leaseWake(lease, at: now)
    }

    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome { try await far.commit(batch) }

    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await far.wasWritten(step) }

    public func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await far.owners(of: facts)
    }

    public func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await far.parked(after: place, limit: limit)
    }

    public func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await far.adoptable(by: customer, after: place, limit: limit)
    }

    public func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await far.holders(of: subjects)
    }

    public func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await far.chains(originalID: originalID)
    }

    public func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await far.bindings(of: customer)
    }

    public func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await far.claim(subject, for: customer, at: instant)
    }

    public func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await far.move(requests, policy: policy)
    }

    public func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await far.balances(of: customer)
    }

    public func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await far.entries(after: place, of: customer, limit: limit)
    }

    public func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await far.facts(after: place, of: customer, limit: limit)
    }

    public func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await far.events(after: place, of: customer, limit: limit)
    }

    public func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await far.unfinished(of: customer)
    }

    public func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await far.customersOwed(after: previous, limit: limit)
    }

    public func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await far.markDelivery(of: key, as: state)
    }

    public func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await far.cursor(of: backend)
    }

    public func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await far.setCursor(cursor, of: backend)
    }

    public func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await far.erase(customer, reason: reason, at: instant)
    }

    public func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await far.erasures(of: customer)
    }

    public func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await far.checkIntegrity() }

    public func checkIntegrity(containing head: String) async throws(VaultError) -> IntegrityReport {
        try await storage.checkIntegrity(containing: [UInt8](hexadecimal: head) ?? [])
    }
}

extension PostgresVault: SteppedVault {
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await far.write(body) }

    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await far.read(body) }
}
