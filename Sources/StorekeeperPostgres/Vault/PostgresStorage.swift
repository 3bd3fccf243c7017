import FoundationEssentials
import Storekeeper
import StorekeeperDurable
import Synchronization

/// A database as the storage of a vault.
///
/// A step first reserves places in the feed with a ticket that readers of the feed can see; see ``FeedTicket``. Then
/// the step locks its customers in the order of their keys, and reads rows. Two rules protect rows that do not belong
/// to the locked customers. First, primary keys are unique. Second, the row of a chain or token has a stamp, which is
/// compared again under a lock when the step writes a binding, parks evidence or erases a customer.
final class PostgresStorage: RemoteStorage {
    let pool: ConnectionPool
    let headers = HeaderCache()
    /// The time limit of a round trip.
    let limit: Duration
    /// If the acknowledgement of a commit is lost, the time limit for finding out whether the commit was written.
    let patience: Duration
    let accountTokens: AccountTokenRule
    let now: @Sendable () -> Instant
    /// Whether other nodes are notified of writes.
    let notifies: Bool
    /// The id of this process in notifications.
    let node = NodeNotification.randomNode()
    /// The number of places in the feed that a step reserves.
    ///
    /// The number grows when a step needs more places.
    let placesOfTickets = Atomic(FeedTicket.leastCount)
    /// Whether a task removes abandoned tickets.
    let isRemovingTickets = Atomic(false)
    /// The epoch of the feed.
    let epoch: FeedEpoch
    private let knownKey = Mutex<ErasureKey?>(nil)

    /// Creates the storage of a vault.
    ///
    /// - Parameters:
    ///   - makePool: Creates the pool. Its argument is a closure that the pool calls for each new connection.
    ///   - limit: The time limit of a round trip.
    ///   - patience: If the acknowledgement of a commit is lost, the time limit for finding out whether the commit was
    ///     written.
    init(
        limit: Duration, patience: Duration, accountTokens: AccountTokenRule, notifies: Bool,
        now: @escaping @Sendable () -> Instant,
        _ makePool: (_ onConnect: @escaping @Sendable (Connection) throws(PostgresFailure) -> Void) -> ConnectionPool
    ) {
        let epoch = FeedEpoch()
        self.epoch = epoch
        pool = makePool { [headers] connection throws(PostgresFailure) in
            headers.invalidateWritten()
            try epoch.read(on: connection, within: limit)
        }
        self.limit = limit
        self.patience = patience
        self.accountTokens = accountTokens
        self.notifies = notifies
        self.now = now
    }

    func begin(
        _ footprint: Footprint, isReadOnly: Bool, lockLimit: Duration?, insteadOf former: PostgresSession?
    ) async throws(VaultError) -> (session: PostgresSession, found: LoadedRows) {
        try await PostgresSession.begin(
            footprint, isReadOnly: isReadOnly, lockLimit: lockLimit, insteadOf: former, in: self)
    }

    func isBlocked(_ error: VaultError) -> Bool { (error.cause as? PostgresFailure)?.kind == .blocked }

    /// Creates another ticket for a step that is in progress.
    ///
    /// The call uses a connection in addition to the step's connection. A connection is available sooner or later,
    /// because the pool has more connections than sessions that write.
    func takeTicket(_ count: Int64, for backend: Int64?) async throws(PostgresFailure) -> FeedTicket {
        let (limit, places) = (limit, max(count, FeedTicket.leastCount))
        placesOfTickets.max(places, ordering: .relaxed)
        return try await pool.run { connection throws(PostgresFailure) in
            let tables = try connection.run(FeedTicket.takeCalls(places, for: backend), within: limit)
            return try FeedTicket(tables[FeedTicket.takeIndex], count: places)
        }
    }

    // MARK: Erasures

    private static let makeKey = Statement(
        "INSERT INTO storekeeper.erasure_secret VALUES(1, $1) ON CONFLICT (id) DO NOTHING")
    private static let readKey = Statement("SELECT secret FROM storekeeper.erasure_secret")
    private static let allErasures = Statement(
        "SELECT place, at, reason, facts, entries, salt, digest, proof FROM storekeeper.erasure ORDER BY place")

    /// Returns the secret for hashing the names of erased customers; `nil` if the secret is missing, or if the database
    /// user may not read it.
    func knownErasureKey() async throws(VaultError) -> ErasureKey? {
        if let known = knownKey.withLock({ $0 }) { return known }
        let keys: [[UInt8]]
        do throws(VaultError) {
            keys = try await list(Self.readKey, []) { row throws(PostgresFailure) in try row.bytes() }
        } catch {
            guard (error.cause as? PostgresFailure)?.sqlState == "42501" else { throw error }
            return nil
        }
        return try keys.first.map { bytes throws(VaultError) in try cacheKey(bytes) }
    }

    private func cacheKey(_ bytes: [UInt8]) throws(VaultError) -> ErasureKey {
        guard bytes.count == ErasureKey.length else {
            throw VaultError(.corrupt, "the secret of the vault's erasures is damaged")
        }
        let key = ErasureKey(bytes: bytes)
        knownKey.withLock { $0 = key }
        return key
    }

    /// Returns the secret for hashing the names of erased customers.
    ///
    /// Creates the secret if it does not exist.
    func erasureKey() async throws(VaultError) -> ErasureKey {
        if let known = try await knownErasureKey() { return known }
        let (limit, draft) = (limit, ErasureKey.random().bytes)
        let key = try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                let tables = try connection.run(
                    [Call(.begin), Call(Self.makeKey, [.bytes(draft)]), Call(Self.readKey), Call(.commit)],
                    within: limit)
                return try tables[2].first { row throws(PostgresFailure) in try row.bytes() }
            }
        }
        return try cacheKey(key ?? [])
    }

    private static let readMarkKey = Statement("SELECT secret FROM storekeeper.mark_key WHERE is_own")

    /// Returns the vault's own secret for hashing the marks of erased customers; `nil` if the secret was deleted.
    func markKey() async throws(VaultError) -> MarkKey? {
        try await list(Self.readMarkKey, []) { row throws(PostgresFailure) in MarkKey(secret: try row.bytes()) }.first
    }

    /// Returns the erasures of a customer.
    func rowsOfErasures(about customer: CustomerID) async throws(VaultError) -> [Erasure] {
        let rows: [(erasure: Erasure, salt: [UInt8], digest: [UInt8])] = try await list(Self.allErasures, []) {
            row throws(PostgresFailure) in
            let (place, at, reason) = (try row.int(), try row.instant(), try row.text())
            let (facts, entries) = (try row.int(), try row.int())
            let (salt, digest, proof) = (try row.bytes(), try row.bytes(), try row.bytes())
            return (
                Erasure(
                    place: FeedPlace(place), at: at, reason: reason, facts: Int(clamping: facts),
                    entries: Int(clamping: entries), proof: proof.hexadecimal), salt, digest
            )
        }
        // A call that only reads does not create a secret.
        guard !rows.isEmpty, let key = try await knownErasureKey() else { return [] }
        return rows.filter { $0.digest == key.digest(of: customer.rawValue, salt: $0.salt) }.map(\.erasure)
    }

    // MARK: Querying

    /// Runs one query outside of any step.
    func list<Row: Sendable>(
        _ statement: Statement, _ arguments: [Argument],
        _ read: @escaping @Sendable (inout RowReader) throws(PostgresFailure) -> Row
    ) async throws(VaultError) -> [Row] {
        let limit = limit
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                try connection.run(statement, arguments, within: limit).map(read)
            }
        }
    }
}

extension Statement {
    /// Begins a transaction that reads one snapshot of the database without blocking writers.
    static let beginReading = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}
