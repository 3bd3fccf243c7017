import Storekeeper

/// Brings a database to the schema that this release writes.
///
/// All steps that are missing run in one transaction, under a lock that lets one node at a time do it, so that a step is
/// there whole or not at all.
struct SchemaMaker {
    private static let lock = Statement("SELECT pg_advisory_xact_lock(6012451843)")
    private static let makeSchema = Statement("CREATE SCHEMA IF NOT EXISTS storekeeper")
    private static let makeVersion = Statement(
        "CREATE TABLE IF NOT EXISTS storekeeper.schema_version(id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL)"
    )
    private static let readVersion = Statement("SELECT version FROM storekeeper.schema_version")
    private static let writeVersion = Statement(
        """
        INSERT INTO storekeeper.schema_version VALUES(1, $1) ON CONFLICT (id) DO UPDATE SET version = excluded.version
        """)
    private static let hasVersion = Statement("SELECT to_regclass('storekeeper.schema_version') IS NOT NULL")

    let pool: ConnectionPool
    /// How long a step may take: an index on a large table takes long.
    var limit: Duration = .seconds(600)

    /// The schema of the database; `nil` where there is none.
    func version() async throws(VaultError) -> Int64? {
        try await asVault { () async throws(PostgresFailure) in
            try await pool.run { [limit] connection throws(PostgresFailure) in
                try Self.version(connection, limit)
            }
        }
    }

    /// Makes what is missing.
    ///
    /// - Parameter mustBeNew: Whether a vault that is there already is left as it is.
    /// - Returns: The schema that was there before; `nil` where there was none.
    /// - Throws: ``VaultError`` with `schemaTooNew` for a database that a newer release has written, `exists` where there
    ///   must be none.
    @discardableResult func make(mustBeNew: Bool = false) async throws(VaultError) -> Int64? {
        let found = try await asVault { () async throws(PostgresFailure) in
            try await pool.run { [limit] connection throws(PostgresFailure) in
                if let known = try Self.version(connection, limit), mustBeNew || known >= Int64(Schema.version) {
                    return known as Int64?
                }
                do throws(PostgresFailure) {
                    return try Self.make(connection, limit, mustBeNew: mustBeNew)
                } catch {
                    if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
                    throw error
                }
            }
        }
        guard let found else { return nil }
        if mustBeNew { throw VaultError(.exists, "the database holds a vault already; name another database") }
        if found > Schema.version { try Self.check(found) }
        return found
    }

    static func check(_ version: Int64?) throws(VaultError) {
        guard let version else {
            throw VaultError(.notFound, "the database holds no vault; make one with the owner's role")
        }
        if version > Schema.version {
            throw VaultError(
                .schemaTooNew, "a newer release has written the vault (schema \(version)); install that one")
        }
        if version < Schema.version {
            throw VaultError(
                .schemaTooOld, "an older release has written the vault (schema \(version)); bring it up to date first")
        }
    }

    private static func version(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) -> Int64? {
        let has = try connection.run(hasVersion, within: limit).first { row throws(PostgresFailure) in try row.bool() }
        guard has == true else { return nil }
        return try connection.run(readVersion, within: limit).first { row throws(PostgresFailure) in try row.int() }
    }

    /// - Returns: The schema that was there before; `nil` where there was none.
    private static func make(
        _ connection: Connection, _ limit: Duration, mustBeNew: Bool
    ) throws(PostgresFailure) -> Int64? {
        _ = try connection.run(
            [Call(.begin), Call(lock), Call(makeSchema), Call(makeVersion)], within: limit)
        let known =
            try connection.run(readVersion, within: limit)
            .first { row throws(PostgresFailure) in try row.int() } ?? 0
        // Somebody else may have made it while we waited.
        guard known < Int64(Schema.version), known == 0 || !mustBeNew else {
            _ = try connection.run(.rollback, within: limit)
            return known
        }
        for step in Schema.steps.dropFirst(Int(clamping: known)) {
            _ = try connection.run(step.map { Call(Statement($0)) }, within: limit)
        }
        _ = try connection.run(
            [Call(writeVersion, [.int(Int64(Schema.version))]), Call(.commit)], within: limit)
        return known == 0 ? nil : known
    }
}
