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
    /// - Throws: ``VaultError`` with `schemaTooNew` for a database that a newer release has written.
    func make() async throws(VaultError) {
        let found = try await asVault { () async throws(PostgresFailure) in
            try await pool.run { [limit] connection throws(PostgresFailure) in
                if let known = try Self.version(connection, limit), known >= Int64(Schema.version) { return known }
                do throws(PostgresFailure) {
                    return try Self.make(connection, limit)
                } catch {
                    if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
                    throw error
                }
            }
        }
        try Self.check(found)
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

    private static func make(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) -> Int64 {
        _ = try connection.run(
            [Call(.begin), Call(lock), Call(makeSchema), Call(makeVersion)], within: limit)
        let known =
            try connection.run(readVersion, within: limit)
            .first { row throws(PostgresFailure) in try row.int() } ?? 0
        guard known < Int64(Schema.version) else {
            _ = try connection.run(.rollback, within: limit)
            return known
        }
        for step in Schema.steps.dropFirst(Int(clamping: known)) {
            _ = try connection.run(step.map { Call(Statement($0)) }, within: limit)
        }
        _ = try connection.run(
            [Call(writeVersion, [.int(Int64(Schema.version))]), Call(.commit)], within: limit)
        return Int64(Schema.version)
    }
}
