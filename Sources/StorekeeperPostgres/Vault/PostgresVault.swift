import FoundationEssentials
public import Storekeeper
import StorekeeperDurable

/// A vault in a PostgreSQL database, which any number of servers may share.
///
/// Steps that wait at the same time are written in one transaction. Within a process, all steps about a customer use
/// the same writing connection. Row locks prevent conflicts with the steps of other servers. When a call returns, its
/// writes are as durable as the settings of the database make them, such as `synchronous_commit` and
/// `synchronous_standby_names`.
public final class PostgresVault {
    /// How a process detects the writes of other processes to the database.
    ///
    /// All processes that share a database must use the same value.
    public enum ChangeDetection: Hashable, Sendable {
        /// The database notifies each process (`LISTEN`, `NOTIFY`), with one additional connection.
        case notified
        /// Each process polls for writes.
        ///
        /// Use polling with a pooler in transaction mode, or with a database engine without `NOTIFY`.
        case polled(every: Duration)
        /// The process does not detect writes of other processes.
        ///
        /// Use this value for a single process, or for a process without stores.
        case none
    }

    /// Options for opening a vault.
    public struct Options: Sendable {
        /// The rule that converts account tokens to customers.
        public var accountTokens: AccountTokenRule
        /// The maximum number of connections; at least one more than twice the number of ``writers``.
        public var connections: Int
        /// The number of connections that write; the customers are divided among these connections.
        public var writers: Int
        /// The time limit of a round trip.
        public var timeout: Duration
        /// If the acknowledgement of a commit is lost, the time limit for finding out whether the commit was written.
        public var patience: Duration
        /// Whether opening the vault creates or migrates the tables, if the database user has the permission.
        public var makesSchema: Bool
        /// Whether connections prepare statements by name, so that each statement is prepared only once.
        ///
        /// Set this to `false` for a pooler in transaction mode.
        public var namesStatements: Bool
        /// How the process detects the writes of other processes.
        public var changeDetection: ChangeDetection

        /// Creates options.
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

    /// The rule that converts account tokens to customers.
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
    ///   - database: A connection string in libpq's syntax, such as `postgres://user@host/database` or `service=…`.
    ///   - options: The options.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a malformed string, `io` for a database that
    ///   cannot be reached or refuses the connection, `notFound`, `schemaTooOld` or `schemaTooNew` if this release
    ///   cannot use the tables of the database.
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
            // Each writer may need a second connection for steps that wait for a foreign lock, and any one of them a
            // further connection for a ticket.
            ConnectionPool(settings, size: max(options.connections, 2 * options.writers + 1), onConnect: onConnect)
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

    /// Returns whether an error means that the database cannot be used now, but may be soon: it starts, is overloaded or
    /// cannot be reached.
    package static func isTransient(_ error: VaultError) -> Bool {
        switch (error.cause as? PostgresFailure)?.kind {
        case .unreachable, .lost, .tooSlow, .exhausted, .readOnly: true
        default: false
        }
    }

    /// Closes each connection after its current work.
    ///
    /// Later calls fail.
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

    /// Returns the record of a customer; for an unknown customer, an empty record with the version 0.
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await remote.load(customer)
    }

    /// Returns whether a step was written.
    ///
    /// Call this function after an error that leaves open whether the step was written.
    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await storage.wasWritten(step) }
}
