import FoundationEssentials
public import Storekeeper
import StorekeeperDurable

/// A vault in a PostgreSQL database, which any number of servers share.
///
/// Steps that wait are carried out together; each customer's steps go over one connection of this process, and servers
/// divide themselves by locks of rows. When a call returns, what it wrote is as durable as the database makes it:
/// `synchronous_commit` and standbys decide.
public final class PostgresVault {
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
    public var accountTokens: AccountTokenRule { remote.accountTokens }

    /// How far what was acknowledged is written down.
    public let durability: Durability

    let remote: RemoteVault<PostgresStorage>
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
        remote = RemoteVault(storage, accountTokens: options.accountTokens, queues: options.writers)
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

extension PostgresVault: TransactionalVault {
    package var listsInSteps: Bool { false }
    package var findsStrays: Bool { true }

    package func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await remote.write(footprint(), body) }

    package func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await remote.read(footprint(), body) }

    /// All that is known of a customer; of one that nobody has heard of, a record of version 0.
    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await remote.load(customer)
    }

    /// Whether a batch with this step was written: for a caller who was not told, because the call has failed.
    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await storage.wasWritten(step) }
}
