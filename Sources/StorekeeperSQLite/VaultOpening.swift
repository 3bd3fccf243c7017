import FoundationEssentials
import GRDB
import GRDBSQLite
import Storekeeper

/// Opens the file of a vault: looks what it is, and touches nothing before that is known.
struct VaultOpening {
    let file: VaultFile
    let options: SQLiteVault.Options

    private enum Found: Equatable {
        case nothing
        case empty
        case vault(schema: Int)
    }

    func open() throws(VaultError) -> DatabasePool {
        guard !file.path.utf8.contains(0), !file.path.isEmpty else {
            throw VaultError(.notFound, "the path of a vault is empty or contains a zero byte; name a file")
        }
        // Whatever is there is somebody's, also where it is no vault.
        if options.creation == .new, FileManager.default.fileExists(atPath: file.path) {
            throw VaultError(.exists, "there is a file at \(file.path) already; open it, or name another file")
        }
        let found = try look()
        switch found {
        case .nothing where options.isReadOnly || options.creation == .never:
            throw VaultError(.notFound, "there is no vault at \(file.path); make one, or name another file")
        case .empty where options.isReadOnly || options.creation == .never:
            throw VaultError(.notAVault, "\(file.path) is empty; make a vault there, or name another file")
        case .vault(let schema): try check(schema)
        case .nothing, .empty: break
        }
        do {
            return try openPool()
        } catch {
            throw file.error(error)
        }
    }

    /// What is at the path.
    private func look() throws(VaultError) -> Found {
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory) else { return .nothing }
        guard !isDirectory else {
            throw VaultError(.notAVault, "\(file.path) is a folder; name the file of a vault")
        }
        var connection: OpaquePointer?
        // A plain connection changes nothing; a pool would already set the journal of somebody else's database.
        let flags = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(file.path, &connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        defer { sqlite3_close_v2(connection) }
        guard code == SQLITE_OK else { throw failure(code, connection) }
        sqlite3_busy_timeout(connection, CInt(clamping: options.busyTimeout))
        let (id, schema) = (
            try number("PRAGMA application_id", connection), try number("PRAGMA user_version", connection)
        )
        if id == Schema.applicationID { return .vault(schema: Int(schema)) }
        let isEmpty = try number("SELECT count(*) FROM sqlite_schema", connection) == 0
        guard isEmpty, id == 0, schema == 0 else {
            throw VaultError(.notAVault, "\(file.path) is a database, but no vault; name another file")
        }
        return .empty
    }

    private func number(_ sql: String, _ connection: OpaquePointer?) throws(VaultError) -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let prepared = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard prepared == SQLITE_OK else { throw failure(prepared, connection) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { throw failure(code, connection) }
        return sqlite3_column_int64(statement, 0)
    }

    private func failure(_ code: CInt, _ connection: OpaquePointer?) -> VaultError {
        file.error(code: code, of: connection)
    }

    private func check(_ schema: Int) throws(VaultError) {
        if schema > Schema.version {
            throw VaultError(
                .schemaTooNew,
                "\(file.path) has schema \(schema), and this release knows schemas up to \(Schema.version); use a newer"
                    + " release")
        }
        if schema < Schema.version, options.isReadOnly {
            throw VaultError(
                .schemaTooOld,
                "\(file.path) has schema \(schema), and this release reads schema \(Schema.version); open it once for"
                    + " writing to bring it up to date")
        }
    }

    private func openPool() throws -> DatabasePool {
        var configuration = Configuration()
        let milliseconds = CInt(clamping: max(0, options.busyTimeout))
        configuration.busyMode = .timeout(TimeInterval(milliseconds) / 1000)
        // The pool has a choice of its own for connections that only read.
        configuration.prepareDatabase { sqlite3_busy_timeout($0.sqliteConnection, milliseconds) }
        configuration.foreignKeysEnabled = true
        configuration.readonly = options.isReadOnly
        configuration.label = "Storekeeper"
        // A rollback can fail, and that must not end the process.
        configuration.allowsUnsafeTransactions = true
        let pool = try DatabasePool(path: file.path, configuration: configuration)
        if !options.isReadOnly {
            try pool.writeWithoutTransaction { database in
                // Only now: the pool has set its own choice while it was opening.
                let word = options.synchronous == .full ? "FULL" : "NORMAL"
                try database.execute(sql: "PRAGMA synchronous = \(word)")
                // What is taken out, by an erasure above all, is overwritten and not left in free pages.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                try bringUpToDate(database)
            }
        }
        if options.checksAtOpen {
            let answers = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
            guard answers == ["ok"] else {
                throw VaultError(
                    .corrupt,
                    "\(file.path) is damaged (\(answers.first ?? "no answer")); stop writing to it and restore a backup"
                )
            }
        }
        return pool
    }

    /// Takes the file from its schema to this release's, all or nothing.
    private func bringUpToDate(_ database: Database) throws {
        func schema() throws -> Int { try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 }
        guard try schema() < Schema.version else { return }
        try database.inTransaction(.immediate) {
            // Somebody else may have done it while we waited for the lock.
            let known = try schema()
            try check(known)
            for step in Schema.steps.dropFirst(known) {
                try database.execute(sql: step.sql)
                try step.rest?(Session(database, file: file, headers: HeaderShelf()))
            }
            if known < Schema.version {
                try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
            }
            return .commit
        }
    }
}
