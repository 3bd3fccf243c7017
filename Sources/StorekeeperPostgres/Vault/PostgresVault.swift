import FoundationEssentials
public import Storekeeper
import StorekeeperDurable

/// A vault in a PostgreSQL database, which any number of servers may share.
///
/// Steps that wait at the same time are carried out together; each customer's steps use one connection of this process,
/// and servers exclude one another by row locks. When a call returns, its writes are as durable as the database makes
/// them: `synchronous_commit` and standbys decide.
public final class PostgresVault {
    /// How a process detects writes of other processes to the database; must be the same for all processes.
    public enum ChangeDetection: Hashable, Sendable {
        /// The database notifies each process (`LISTEN`, `NOTIFY`), with one additional connection.
        case notified
        /// Each process polls for writes: for poolers in transaction mode, and engines without `NOTIFY`.
        case polled(every: Duration)
        /// The process does not detect them: for a single process, or a process without stores.
        case none
    }

    /// Options for opening a vault.
    public struct Options: Sendable {
        /// The vault's rule for tokens.
        public var accountTokens: AccountTokenRule
        /// The maximum number of connections.
        public var connections: Int
        /// The number of connections that write, each for a part of the customers.
        public var writers: Int
        /// The time limit of a round trip.
        public var timeout: Duration
        /// The time limit for finding the result of a commit whose acknowledgement was lost.
        public var patience: Duration
        /// Whether opening creates or migrates the tables, if the user may.
        public var makesSchema: Bool
        /// Whether statements are named; not with a pooler in transaction mode.
        public var namesStatements: Bool
        /// How the process detects writes of other processes.
        public var changeDetection: ChangeDetection

        /// Makes options.
        public init(
            accountTokens: AccountTokenRule = .asIDs, connections: Int = 8, writers: Int = 2,
            timeout: Duration = .seconds(30), patience: Duration = .seconds(30), makesSchema: Bool = true,
            namesStatements: Bool = true,
            changeDetection: ChangeDetection = .notified
        ) {
            self.accountTokens = accountTokens
            self.connections = connections
            self.writers = writers
            self.timeout = timeout
            self.patience = patience
            self.makesSchema = makesSchema
            self.namesStatements = namesStatements
            self.changeDetection = changeDetection
        }
    }

    /// The vault's rule for tokens.
    public var accountTokens: AccountTokenRule { remote.accountTokens }

    /// How durable acknowledged writes are.
    public let durability: Durability

    let remote: RemoteVault<PostgresStorage>
    let storage: PostgresStorage
    let settings: ConnectionSettings
    let changeDetection: ChangeDetection

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq accepts it: `postgres://user@host/database`, `service=…`.
    ///   - options: The options.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a malformed string, `io` for a database that
    ///   cannot be reached or refuses the connection, `notFound`, `schemaTooOld` or `schemaTooNew` if its tables do not
    ///   fit this release.
    public init(_ database: String, options: Options = Options()) async throws(VaultError) {
        do throws(PostgresFailure) {
            settings = try ConnectionSettings(
                database, namesStatements: options.namesStatements, patience: options.timeout)
        } catch {
            throw error.vaultError
        }
        changeDetection = options.changeDetection
        storage = PostgresStorage(
            limit: options.timeout, patience: options.patience, accountTokens: options.accountTokens,
            notifies: options.changeDetection == .notified,
            now: { Instant(Date()) }
        ) { [settings] onConnect in
            ConnectionPool(settings, size: max(options.connections, options.writers + 1), onConnect: onConnect)
        }
        do throws(VaultError) {
            let maker = SchemaCreator(pool: storage.pool)
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

    /// Closes all connections after their present work; later calls are refused.
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

    /// Loads the record of a customer; for an unknown customer, a record of version 0.
    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await remote.load(customer)
    }

    /// Whether a batch with this step was written: for a caller whose call has failed without an answer.
    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await storage.wasWritten(step) }
}
