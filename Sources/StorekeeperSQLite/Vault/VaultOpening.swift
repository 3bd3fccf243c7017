import FoundationEssentials
import GRDB
import GRDBSQLite
import Storekeeper
import StorekeeperDurable

/// Opens the file of a vault; determines what the file is before changing anything.
struct VaultOpening {
    let file: VaultFile
    let options: SQLiteVault.Options

    /// An opened vault.
    struct Opened {
        /// The file, with the mode in which SQLite reads it.
        var file: VaultFile
        var pool: DatabasePool
        /// The last connection to close of a read-only vault; it removes the log if no other process has the file open.
        var readOnlyConnection: PlainConnection?
    }

    private enum Found: Equatable {
        case nothing
        case empty
        case vault(schema: Int)
    }

    func open() throws(VaultError) -> Opened {
        guard !file.path.utf8.contains(0), !file.path.isEmpty else {
            throw VaultError(.notFound, "the path of a vault is empty or contains a zero byte; name a file")
        }
        let exists = try checkKind()
        let mustBeThere = options.isReadOnly || options.creation == .never
        if !exists, mustBeThere {
            throw VaultError(.notFound, "there is no vault at \(file.path); create one, or name another file")
        }
        let isMade = exists ? false : try make()
        do throws(VaultError) {
            return try openFile(mustBeVault: mustBeThere)
        } catch {
            // A file that could not become a vault must not block the next attempt.
            if isMade, SystemFile.size(of: file.path) == 0 { SystemFile.remove(file.path) }
            throw error
        }
    }

    // MARK: The path

    /// Checks what is at the path before opening it, because opening a pipe would wait for a writer.
    ///
    /// - Returns: Whether there is a file.
    private func checkKind() throws(VaultError) -> Bool {
        let kind = SystemFile.kind(of: file.path)
        // An existing path is never replaced, even if it is not a vault.
        if options.creation == .new, !options.isReadOnly, kind != .nothing {
            throw VaultError(.exists, "there is something at \(file.path) already; open it, or name another file")
        }
        switch kind {
        case .nothing: return false
        case .file: return true
        case .folder: throw VaultError(.notAVault, "\(file.path) is a folder; name the file of a vault")
        case .special:
            throw VaultError(.notAVault, "\(file.path) is a pipe, a socket or a device; name the file of a vault")
        case .danglingLink:
            throw VaultError(.notAVault, "\(file.path) is a broken link; repair it, or name another file")
        case .unknown(let number):
            let cause = SystemFailure(number: number)
            throw VaultError(
                .io, "\(file.path) cannot be reached (\(cause.message)); check the path and its permissions",
                cause: cause)
        }
    }

    /// Creates the file for its owner alone; SQLite gives the files next to it the same permissions.
    ///
    /// - Returns: Whether this call created it.
    private func make() throws(VaultError) -> Bool {
        do throws(VaultError) {
            try file.make()
            return true
        } catch {
            // Another process may have created it in between.
            if error.code == .exists, options.creation == .ifMissing { return false }
            throw error
        }
    }

    // MARK: The content

    private func openFile(mustBeVault: Bool) throws(VaultError) -> Opened {
        let mayWrite = !options.isReadOnly || SystemFile.mayWrite(file.path)
        var file = file
        if !mayWrite { file.isImmutable = try isImmutable() }
        do throws(VaultError) {
            return try open(file, mayWrite: mayWrite, mustBeVault: mustBeVault)
        } catch {
            // The index of the log needs space even for reading; without a log, the index is not needed.
            guard error.code == .full, options.isReadOnly, hasNoLog else { throw error }
            file.isImmutable = true
            return try open(file, mayWrite: false, mustBeVault: mustBeVault)
        }
    }

    private func open(_ file: VaultFile, mayWrite: Bool, mustBeVault: Bool) throws(VaultError) -> Opened {
        // A plain connection changes nothing; a pool would already set the journal mode of a foreign database.
        let connection = try PlainConnection(file, mayWrite: mayWrite)
        switch try inspect(connection) {
        case .vault(let schema): try check(schema)
        case .empty where mustBeVault:
            throw VaultError(.notAVault, "\(file.path) is empty; create a vault there, or name another file")
        case .nothing, .empty: break
        }
        let pool: DatabasePool
        do { pool = try openPool(file) } catch { throw file.error(error) }
        guard options.isReadOnly, mayWrite else { return Opened(file: file, pool: pool) }
        // A read-only connection leaves the log behind. This connection may write, and does not.
        return Opened(file: file, pool: pool, readOnlyConnection: connection)
    }

    /// Whether the file contains the whole vault.
    private var hasNoLog: Bool {
        let target = SystemFile.target(of: file.path)
        return ["-journal", "-wal"].allSatisfy { SystemFile.size(of: target + $0) ?? 0 == 0 }
    }

    /// Returns whether a read-only file can be read as immutable.
    private func isImmutable() throws(VaultError) -> Bool {
        let target = SystemFile.target(of: file.path)
        if let journal = SystemFile.size(of: target + "-journal"), journal > 0 { return false }
        guard let log = SystemFile.size(of: target + "-wal") else { return true }
        // If its index exists, too, the log belongs to a process that has the vault open, or remains from a crash.
        if SystemFile.size(of: target + "-shm") != nil { return false }
        guard log > 0 else { return true }
        throw VaultError(
            .io,
            "\(file.path) has a write-ahead log that was not applied, and may only be read; copy both to a writable "
                + "folder")
    }

    /// Returns what the file contains.
    private func inspect(_ connection: PlainConnection) throws(VaultError) -> Found {
        let (id, schema) = (
            try connection.number("PRAGMA application_id"), try connection.number("PRAGMA user_version")
        )
        guard id == Schema.applicationID else {
            let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
            guard isEmpty, id == 0, schema == 0 else {
                throw VaultError(.notAVault, "\(file.path) is a database, but not a vault; name another file")
            }
            return .empty
        }
        // Reading a view runs SQL that others may have written, possibly without end.
        let strange = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL%'"
        guard try connection.number(strange) == 0 else {
            throw VaultError(
                .notAVault, "\(file.path) holds views in place of tables, as no vault does; restore a backup")
        }
        return .vault(schema: Int(schema))
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

    private func openPool(_ file: VaultFile) throws -> DatabasePool {
        var configuration = Configuration()
        let milliseconds = CInt(clamping: max(0, options.busyTimeout))
        configuration.busyMode = .timeout(TimeInterval(milliseconds) / 1000)
        // The pool has its own setting for read-only connections.
        configuration.prepareDatabase { sqlite3_busy_timeout($0.sqliteConnection, milliseconds) }
        configuration.foreignKeysEnabled = true
        configuration.readonly = options.isReadOnly
        configuration.label = "Storekeeper"
        // A rollback can fail, and that must not end the process.
        configuration.allowsUnsafeTransactions = true
        let pool = try DatabasePool(path: file.location, configuration: configuration)
        if !options.isReadOnly {
            try pool.writeWithoutTransaction { database in
                // Set only now, because the pool applies its own setting while it opens.
                let word = options.synchronous == .full ? "FULL" : "NORMAL"
                try database.execute(sql: "PRAGMA synchronous = \(word)")
                // Deleted data, above all by an erasure, is overwritten and not left in free pages.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                try migrateToCurrent(database)
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

    /// Migrates the file from its schema to this release's, atomically.
    private func migrateToCurrent(_ database: Database) throws {
        func schema() throws -> Int { try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 }
        guard try schema() < Schema.version else { return }
        try database.inTransaction(.immediate) {
            // Another process may have migrated it while this one waited for the lock.
            let known = try schema()
            try check(known)
            for step in Schema.steps.dropFirst(known) {
                try database.execute(sql: step.sql)
                try step.rest?(Connection(database, file: file, headers: HeaderCache()))
            }
            if known < Schema.version {
                try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
            }
            return .commit
        }
    }
}
