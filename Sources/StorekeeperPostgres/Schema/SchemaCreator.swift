import Storekeeper

/// Migrates a database to the schema of a release.
///
/// All missing migrations run in one transaction, so that they are applied completely or not at all. Only one node at a
/// time can acquire the lock for this transaction. Other nodes continue to work during the migration. A statement that
/// waits for the lock of a table blocks all later statements about this table. Therefore such a statement stops waiting
/// after ``lockPatience``, and the whole transaction is tried again.
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
    private static let readEncoding = Statement("SELECT current_setting('server_encoding')")
    private static let hasVersion = Statement("SELECT to_regclass('storekeeper.schema_version') IS NOT NULL")

    let pool: ConnectionPool
    /// The migrations of this release.
    var steps = Schema.steps
    /// The time limit for all attempts together, which is long enough to create an index on a large table.
    var limit: Duration = .seconds(600)
    /// The maximum time that a statement waits for other sessions to release a table.
    var lockPatience: Duration = .seconds(2)

    /// The version of the schema that this release writes.
    private var version: Int64 { Int64(Schema.first + steps.count - 1) }

    /// Returns the schema state of the database; `nil` if the database contains no vault.
    func state() async throws(VaultError) -> SchemaState? {
        try await asVault { () async throws(PostgresFailure) in
            try await pool.run { [limit] connection throws(PostgresFailure) in
                try Self.state(connection, limit)
            }
        }
    }

    /// Applies the missing migrations.
    ///
    /// - Parameter mustBeNew: Whether an existing vault is an error. In this case, the existing vault stays unchanged.
    /// - Returns: The version of the previous schema; `nil` if the database contained no vault.
    /// - Throws: ``VaultError`` with `schemaTooNew` if a newer release has made an incompatible change; with `exists`
    ///   if `mustBeNew` is `true` and the database contains a vault.
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
                    // Another session uses the tables, or creates the same tables at the same time. A faulty migration
                    // may cause the same errors as a concurrent creation, so the number of attempts is limited.
                    let isWorthAnother =
                        error.kind == .conflict || error.kind == .blocked || error.isFromConcurrentCreation && tries < 5
                    guard isWorthAnother, !Task.isCancelled, ContinuousClock.now + wait < end else { throw error }
                }
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, .seconds(2))
            }
        }
        guard let found else { return nil }
        if mustBeNew { throw VaultError(.exists, "the database already contains a vault; name another database") }
        if found.version < Schema.first || found.version > version { try check(found) }
        return found.version
    }

    /// Returns whether this release has steps that follow a schema.
    private func canMigrate(_ state: SchemaState) -> Bool { (Int64(Schema.first)..<version).contains(state.version) }

    /// Throws an error if this release cannot use the tables in their current state.
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
        if state.version < Schema.first {
            throw VaultError(
                .schemaTooOld,
                "the vault has schema \(state.version), and the first release has schema \(Schema.first); export it"
                    + " with the revision that wrote it, and import the export into a new vault")
        }
        if state.version < version {
            throw VaultError(
                .schemaTooOld,
                "an older release has written the vault (schema \(state.version)); bring it up to date with"
                    + " 'storekeeper vault init --if-missing'")
        }
    }

    private static func state(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) -> SchemaState? {
        let has = try connection.run(hasVersion, within: limit).first { row throws(PostgresFailure) in try row.bool() }
        guard has == true else { return nil }
        return try connection.run(readVersion, within: limit).first { row throws(PostgresFailure) in
            SchemaState(version: try row.int(), oldest: try row.int())
        }
    }

    /// Throws an error if a database cannot store every text.
    private static func checkEncoding(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) {
        let encoding = try connection.run(readEncoding, within: limit).first { row throws(PostgresFailure) in
            try row.text()
        }
        guard let encoding, encoding != "UTF8" else { return }
        throw PostgresFailure(
            .badSettings,
            "the database has the encoding \(encoding), which cannot store every text; create one with ENCODING 'UTF8' "
                + "TEMPLATE template0")
    }

    /// Applies the missing migrations, and rolls back after an error.
    ///
    /// - Returns: The previous state; `nil` if the database contained no vault.
    private func make(_ connection: Connection, mustBeNew: Bool) throws(PostgresFailure) -> SchemaState? {
        if let known = try Self.state(connection, limit), mustBeNew || !canMigrate(known) { return known }
        do throws(PostgresFailure) {
            return try makeInTransaction(connection, mustBeNew: mustBeNew)
        } catch {
            if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
            throw error
        }
    }

    private func makeInTransaction(_ connection: Connection, mustBeNew: Bool) throws(PostgresFailure) -> SchemaState? {
        // The transaction waits until other migrations end. It waits only briefly for sessions that use the tables for
        // other purposes.
        let patience = Statement("SET LOCAL lock_timeout = \(Int64(max(1, lockPatience / .milliseconds(1))))")
        _ = try connection.run(
            [Call(.begin), Call(Self.lock), Call(patience), Call(Self.makeSchema), Call(Self.makeVersion)],
            within: limit)
        let known = try connection.run(Self.readVersion, within: limit).first { row throws(PostgresFailure) in
            SchemaState(version: try row.int(), oldest: try row.int())
        }
        // Another node may have migrated the database while this node waited.
        if let known, mustBeNew || !canMigrate(known) {
            _ = try connection.run(.rollback, within: limit)
            return known
        }
        if known == nil { try Self.checkEncoding(connection, limit) }
        for step in steps.dropFirst(known.map { Int(clamping: $0.version) - Schema.first + 1 } ?? 0) {
            _ = try connection.run(step.statements.map { Call(Statement($0)) }, within: limit)
        }
        let oldest = Int64(steps.last?.oldest ?? 0)
        _ = try connection.run(
            [Call(Self.writeVersion, [.int(version), .int(oldest)]), Call(.commit)], within: limit)
        return known
    }
}

extension PostgresFailure {
    /// Whether the error suggests a concurrent change of the database's catalog, such as a schema that another session
    /// has created, or a row that two transactions have changed.
    fileprivate var isFromConcurrentCreation: Bool {
        if case .duplicateKey = kind { return true }
        return sqlState == "42P06" || message.contains("concurrently updated")
    }
}
