import Storekeeper

/// Migrates a database to the schema of a release.
///
/// All missing steps run in one transaction, under a lock that admits one node at a time, so that a step is applied
/// completely or not at all. Other nodes continue meanwhile. A statement that waits for a table would block those that
/// come after it, so it gives up soon, and everything is retried.
struct SchemaCreator {
    private static let lock = Statement("SELECT pg_advisory_xact_lock(6012451843)")
    private static let makeSchema = Statement("CREATE SCHEMA IF NOT EXISTS storekeeper")
    private static let makeVersion = Statement(
        """
        CREATE TABLE IF NOT EXISTS storekeeper.schema_version(
          id integer PRIMARY KEY CHECK (id = 1),
          version bigint NOT NULL,
          oldest bigint NOT NULL
        )
        """)
    private static let readVersion = Statement("SELECT version, oldest FROM storekeeper.schema_version")
    private static let writeVersion = Statement(
        """
        INSERT INTO storekeeper.schema_version VALUES(1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, oldest = excluded.oldest
        """)
    private static let hasVersion = Statement("SELECT to_regclass('storekeeper.schema_version') IS NOT NULL")

    let pool: ConnectionPool
    /// The steps that the release knows.
    var steps = Schema.steps
    /// The time limit for all attempts together: an index on a large table takes long.
    var limit: Duration = .seconds(600)
    /// How long a statement waits for other sessions to release a table.
    var lockPatience: Duration = .seconds(2)

    /// The schema that the release writes.
    private var version: Int64 { Int64(steps.count) }

    /// Returns the database's schema state; `nil` if it has no tables.
    func state() async throws(VaultError) -> SchemaState? {
        try await asVault { () async throws(PostgresFailure) in
            try await pool.run { [limit] connection throws(PostgresFailure) in
                try Self.state(connection, limit)
            }
        }
    }

    /// Applies the missing steps.
    ///
    /// - Parameter mustBeNew: Whether an existing vault is an error and stays unchanged.
    /// - Returns: The previous schema; `nil` if there was none.
    /// - Throws: ``VaultError`` with `schemaTooNew` if a newer release has made an incompatible change, `exists` for an
    ///   existing vault if `mustBeNew`.
    @discardableResult func make(mustBeNew: Bool = false) async throws(VaultError) -> Int64? {
        let found = try await asVault { () async throws(PostgresFailure) in
            let end = ContinuousClock.now + limit
            var (wait, tries) = (Duration.milliseconds(20), 0)
            while true {
                tries += 1
                do throws(PostgresFailure) {
                    return try await pool.run { [self] connection throws(PostgresFailure) in
                        try make(connection, mustBeNew: mustBeNew)
                    }
                } catch {
                    // Other sessions use the tables, or create the same ones by other means. What looks like the second
                    // may also be a faulty step.
                    let isWorthAnother = error.kind == .conflict || error.isFromConcurrentCreation && tries < 5
                    guard isWorthAnother, !Task.isCancelled, ContinuousClock.now + wait < end else { throw error }
                }
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, .seconds(2))
            }
        }
        guard let found else { return nil }
        if mustBeNew { throw VaultError(.exists, "the database already contains a vault; name another database") }
        if found.version > version { try check(found) }
        return found.version
    }

    /// Checks whether the release can use the tables as they are.
    func check(_ state: SchemaState?) throws(VaultError) {
        guard let state else {
            throw VaultError(.notFound, "the database contains no vault; create one with the owner's role")
        }
        if state.oldest > version {
            throw VaultError(
                .schemaTooNew,
                "a newer release has written the vault (schema \(state.version), for releases from schema "
                    + "\(state.oldest) on; this release has \(version)); install the newer release")
        }
        if state.version < version {
            throw VaultError(
                .schemaTooOld,
                "an older release has written the vault (schema \(state.version)); bring it up to date first")
        }
    }

    private static func state(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) -> SchemaState? {
        let has = try connection.run(hasVersion, within: limit).first { row throws(PostgresFailure) in try row.bool() }
        guard has == true else { return nil }
        return try connection.run(readVersion, within: limit).first { row throws(PostgresFailure) in
            SchemaState(version: try row.int(), oldest: try row.int())
        }
    }

    /// - Returns: The previous state; `nil` if there was none.
    private func make(_ connection: Connection, mustBeNew: Bool) throws(PostgresFailure) -> SchemaState? {
        if let known = try Self.state(connection, limit), mustBeNew || known.version >= version { return known }
        do throws(PostgresFailure) {
            return try makeInTransaction(connection, mustBeNew: mustBeNew)
        } catch {
            if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
            throw error
        }
    }

    private func makeInTransaction(_ connection: Connection, mustBeNew: Bool) throws(PostgresFailure) -> SchemaState? {
        // Waits for other migrations to end, but only briefly for other uses of the tables.
        let patience = Statement("SET LOCAL lock_timeout = \(Int64(max(1, lockPatience / .milliseconds(1))))")
        _ = try connection.run(
            [Call(.begin), Call(Self.lock), Call(patience), Call(Self.makeSchema), Call(Self.makeVersion)],
            within: limit)
        let known = try connection.run(Self.readVersion, within: limit).first { row throws(PostgresFailure) in
            SchemaState(version: try row.int(), oldest: try row.int())
        }
        // Another node may have migrated while this one waited.
        if let known, mustBeNew || known.version >= version {
            _ = try connection.run(.rollback, within: limit)
            return known
        }
        for step in steps.dropFirst(Int(clamping: known?.version ?? 0)) {
            _ = try connection.run(step.statements.map { Call(Statement($0)) }, within: limit)
        }
        let oldest = Int64(steps.last?.oldest ?? 0)
        _ = try connection.run(
            [Call(Self.writeVersion, [.int(version), .int(oldest)]), Call(.commit)], within: limit)
        return known
    }
}

extension PostgresFailure {
    /// Whether the error suggests a concurrent change of the catalog: a schema created meanwhile, a row changed by two
    /// transactions.
    fileprivate var isFromConcurrentCreation: Bool {
        if case .duplicateKey = kind { return true }
        return sqlState == "42P06" || message.contains("concurrently updated")
    }
}
