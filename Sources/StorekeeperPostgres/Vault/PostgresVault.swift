import FoundationEssentials
public import Storekeeper
import StorekeeperDurable

/// A vault in a PostgreSQL database, which any number of servers share.
///
/// Steps that wait are carried out together; each customer's steps go over one connection of this process, and servers
/// divide themselves by locks of rows. When a call returns, what it wrote is as durable as the database makes it:
/// `synchronous_commit` and standbys decide.
public final class PostgresVault: Vault {
    /// How a process hears what others write to the database; the same for all of them.
    public enum News: Hashable, Sendable {
        /// The database tells each (`LISTEN`, `NOTIFY`), with one connection more.
        case notified
        /// Each looks again and again whether anything was written: for poolers that hand out connections by transaction,
        /// and engines without `NOTIFY`.
        case polled(every: Duration)
        /// Not at all: for a process that is alone, or that holds no stores.
        case none
    }

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
        /// How long a database is asked what became of a commit whose answer was lost with the connection.
        public var patience: Duration
        /// Whether the tables are made, or brought to the schema of this release, where the user may.
        public var makesSchema: Bool
        /// Whether statements get names; not behind a pooler that hands out connections by transaction.
        public var namesStatements: Bool
        /// How the process hears what others write.
        public var news: News

        /// Makes options.
        public init(
            accountTokens: AccountTokenRule = .asIDs, connections: Int = 8, writers: Int = 2,
            timeout: Duration = .seconds(30), patience: Duration = .seconds(30), makesSchema: Bool = true,
            namesStatements: Bool = true,
            news: News = .notified
        ) {
            self.accountTokens = accountTokens
            self.connections = connections
            self.writers = writers
            self.timeout = timeout
            self.patience = patience
            self.makesSchema = makesSchema
            self.namesStatements = namesStatements
            self.news = news
        }
    }

    /// What tokens say of whose purchases are.
    public var accountTokens: AccountTokenRule { far.accountTokens }

    /// How far what was acknowledged is written down.
    public let durability: Durability

    let far: FarVault<PostgresStorage>
    let storage: PostgresStorage
    let settings: ConnectionSettings
    let news: News

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq takes it: `postgres://user@host/database`, `service=…`.
    ///   - options: How it is opened.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a string that cannot be read, `io` for a database that
    ///   cannot be reached or refuses, `notFound`, `schemaTooOld` or `schemaTooNew` for one whose tables are not those
    ///   of this release.
    public init(_ database: String, options: Options = Options()) async throws(VaultError) {
        do throws(PostgresFailure) {
            settings = try ConnectionSettings(
                database, namesStatements: options.namesStatements, patience: options.timeout)
        } catch {
            throw error.vaultError
        }
        news = options.news
        storage = PostgresStorage(
            limit: options.timeout, patience: options.patience, accountTokens: options.accountTokens,
            notifies: options.news == .notified,
            now: { Instant(Date()) }
        ) { [settings] onConnect in
            ConnectionPool(settings, size: max(options.connections, options.writers + 1), onConnect: onConnect)
        }
        do throws(VaultError) {
            let maker = SchemaMaker(pool: storage.pool)
            if options.makesSchema { try await maker.make() } else { try maker.check(try await maker.state()) }
        } catch {
            storage.pool.close()
            throw error
        }
        far = FarVault(storage, accountTokens: options.accountTokens, lanes: options.writers)
        do throws(VaultError) {
            durability = try await storage.durability()
        } catch {
            storage.pool.close()
            throw error
        }
    }

    /// Ends all connections once what they do is done; calls that come later are refused.
    public func close() { storage.pool.close() }
}

extension PostgresVault {
    /// All that is known of a customer; of one that nobody has heard of, a record of version 0.
    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord { try await far.load(customer) }

    /// The version of a customer and where their account ends, to see whether others have written.
    public func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await far.version(of: customer)
    }

    /// The versions of many customers and where their accounts end, with one question.
    public func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)] {
        try await far.versions(of: customers)
    }

    /// Customers in order of id, for going through all of them.
    public func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await far.customers(after: previous, limit: limit)
    }

    /// The customer whose answers change first by time alone, and when; `nil` where none do.
    public func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? { try await far.nextWake() }

    /// Gives a node the customer whose answers change first by time alone, once that is due, for a while.
    public func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await far.leaseWake(lease, at: now)
    }

    /// Writes a batch.
    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome { try await far.commit(batch) }

    /// Whether a batch with this step was written: for whoever was not told, because the call has failed.
    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await storage.wasWritten(step) }

    /// Whose facts are, by the same rule as a commit: to find the customer for whom to write.
    public func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await far.owners(of: facts)
    }

    /// What is parked, oldest first.
    public func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await far.parked(after: place, limit: limit)
    }

    /// What is parked and would be the customer's if it was committed for them now, oldest first.
    public func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await far.adoptable(by: customer, after: place, limit: limit)
    }

    /// The customers to whom chains and tokens belong; those of nobody are left out.
    public func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await far.holders(of: subjects)
    }

    /// The chains with an original transaction id that the vault has heard of, bound, parked or neither.
    public func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await far.chains(originalID: originalID)
    }

    /// What belongs to a customer, oldest first.
    public func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await far.bindings(of: customer)
    }

    /// Makes a chain or token a customer's.
    public func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await far.claim(subject, for: customer, at: instant)
    }

    /// Carries out requests, in order; one that is refused changes nothing and does not stop the next.
    public func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await far.move(requests, policy: policy)
    }

    /// The balances of a customer, by name.
    public func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await far.balances(of: customer)
    }

    /// Entries in order.
    public func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await far.entries(after: place, of: customer, limit: limit)
    }

    /// Facts in the order in which they were learned; see ``entries(after:of:limit:)``.
    public func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await far.facts(after: place, of: customer, limit: limit)
    }

    /// Events in the order in which they were written; see ``entries(after:of:limit:)``.
    public func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await far.events(after: place, of: customer, limit: limit)
    }

    /// What a customer is owed, a delivery or a `finish`, oldest first.
    public func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await far.unfinished(of: customer)
    }

    /// The customers who are owed a delivery or a `finish`, each once; see ``customers(after:limit:)``.
    public func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await far.customersOwed(after: previous, limit: limit)
    }

    /// Notes that the app has handed out the goods of a transaction, or, with `nil`, that it is finished.
    public func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await far.markDelivery(of: key, as: state)
    }

    /// Which of some notifications, by UUID, are done with: those that a batch has named.
    public func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await far.seenNotifications(among: uuids)
    }

    /// How far a backend's stream has been read; `nil` where it never was.
    public func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await far.cursor(of: backend)
    }

    /// Notes how far a backend's stream has been read.
    public func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await far.setCursor(cursor, of: backend)
    }

    /// Takes out everything about a customer and keeps the proof that it was done.
    public func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await far.erase(customer, reason: reason, at: instant)
    }

    /// The erasures of a customer, for whoever knows the id to ask for.
    public func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await far.erasures(of: customer)
    }

    /// Checks what only the vault itself can: that what it holds is what it wrote.
    public func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await far.checkIntegrity() }

    /// The same, and checks that a link is still there that ``/Storekeeper/IntegrityReport/head`` has told of once.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for what is no head.
    public func checkIntegrity(containing head: String) async throws(VaultError) -> IntegrityReport {
        guard let bytes = [UInt8](hexadecimal: head), bytes.count == 32 else {
            throw VaultError(.invalidRequest, "a head has 64 hexadecimal digits; give one that a report has told")
        }
        return try await storage.checkIntegrity(containing: bytes)
    }
}

extension PostgresVault: SteppedVault {
    package var findsStrays: Bool { true }

    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await far.write(body) }

    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await far.read(body) }
}
