import FoundationEssentials
import GRDB
import GRDBSQLite
import Storekeeper
import StorekeeperDurable

/// Opens the file of a vault: looks what it is, and touches nothing before that is known.
struct VaultOpening {
    let file: VaultFile
    let options: SQLiteVault.Options

    /// A vault that was opened.
    struct Opened {
        /// The file as SQLite was told to take it.
        var file: VaultFile
        var pool: DatabasePool
        /// What goes last of a vault that is only read, and removes the log, if nobody else has the file open.
        var keeper: PlainConnection?
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
        let isThere = try checkKind()
        let mustBeThere = options.isReadOnly || options.creation == .never
        if !isThere, mustBeThere {
            throw VaultError(.notFound, "there is no vault at \(file.path); make one, or name another file")
        }
        let isMade = isThere ? false : try make()
        do throws(VaultError) {
            return try openFile(mustBeVault: mustBeThere)
        } catch {
            // What could not become a vault must not be in the way of the next try.
            if isMade, SystemFile.size(of: file.path) == 0 { SystemFile.remove(file.path) }
            throw error
        }
    }

    // MARK: The path

    /// Looks what is at the path, before anything is opened: to open a pipe is to wait for whoever writes to it.
    ///
    /// - Returns: Whether there is a file.
    private func checkKind() throws(VaultError) -> Bool {
        let kind = SystemFile.kind(of: file.path)
        // Whatever is there is somebody's, also where it is no vault.
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
            throw VaultError(.notAVault, "\(file.path) is a link that leads nowhere; mend it, or name another file")
        case .unknown(let number):
            let cause = SystemFailure(number: number)
            throw VaultError(
                .io, "\(file.path) cannot be reached (\(cause.message)); check the path and its permissions",
                cause: cause)
        }
    }

    /// Makes the file for its owner alone; SQLite gives the files beside it the same permissions.
    ///
    /// - Returns: Whether it was made here.
    private func make() throws(VaultError) -> Bool {
        do throws(VaultError) {
            try file.make()
            return true
        } catch {
            // Somebody else may have made it in between.
            if error.code == .exists, options.creation == .ifMissing { return false }
            throw error
        }
    }

    // MARK: The content

    private func openFile(mustBeVault: Bool) throws(VaultError) -> Opened {
        let mayWrite = !options.isReadOnly || SystemFile.mayWrite(file.path)
        var file = file
        if !mayWrite { file.isStill = try isStill() }
        do throws(VaultError) {
            return try open(file, mayWrite: mayWrite, mustBeVault: mustBeVault)
        } catch {
            // The index of the log needs room, even to read; where there is no log, it can be done without.
            guard error.code == .full, options.isReadOnly, hasNoLog else { throw error }
            file.isStill = true
            return try open(file, mayWrite: false, mustBeVault: mustBeVault)
        }
    }

    private func open(_ file: VaultFile, mayWrite: Bool, mustBeVault: Bool) throws(VaultError) -> Opened {
        // A plain connection changes nothing; a pool would already set the journal of somebody else's database.
        let connection = try PlainConnection(file, mayWrite: mayWrite)
        switch try inspect(connection) {
        case .vault(let schema): try check(schema)
        case .empty where mustBeVault:
            throw VaultError(.notAVault, "\(file.path) is empty; make a vault there, or name another file")
        case .nothing, .empty: break
        }
        let pool: DatabasePool
        do { pool = try openPool(file) } catch { throw file.error(error) }
        guard options.isReadOnly, mayWrite else { return Opened(file: file, pool: pool) }
        // Whoever may only read leaves the log behind. This connection may write, and does not.
        return Opened(file: file, pool: pool, keeper: connection)
    }

    /// Whether all of the vault is in its file.
    private var hasNoLog: Bool {
        let target = SystemFile.target(of: file.path)
        return ["-journal", "-wal"].allSatisfy { SystemFile.size(of: target + $0) ?? 0 == 0 }
    }

    /// Whether a file that may only be read can be read as one that nobody changes.
    private func isStill() throws(VaultError) -> Bool {
        let target = SystemFile.target(of: file.path)
        if let journal = SystemFile.size(of: target + "-journal"), journal > 0 { return false }
        guard let log = SystemFile.size(of: target + "-wal") else { return true }
        // With its index beside it, the log is somebody's who has the vault open, or a crash has left both.
        if SystemFile.size(of: target + "-shm") != nil { return false }
        guard log > 0 else { return true }
        throw VaultError(
            .io,
            "\(file.path) has a log beside it that was not taken in, and may only be read; copy both to where you may"
                + " write")
    }

    /// What is in the file.
    private func inspect(_ connection: PlainConnection) throws(VaultError) -> Found {
        let (id, schema) = (
            try connection.number("PRAGMA application_id"), try connection.number("PRAGMA user_version")
        )
        guard id == Schema.applicationID else {
            let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
            guard isEmpty, id == 0, schema == 0 else {
                throw VaultError(.notAVault, "\(file.path) is a database, but no vault; name another file")
            }
            return .empty
        }
        // To read a view is to run what somebody has written, without end if they like.
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
        // The pool has a choice of its own for connections that only read.
        configuration.prepareDatabase { sqlite3_busy_timeout($0.sqliteConnection, milliseconds) }
        configuration.foreignKeysEnabled = true
        configuration.readonly = options.isReadOnly
        configuration.label = "Storekeeper"
        // A rollback can fail, and that must not end the process.
        configuration.allowsUnsafeTransactions = true
        let pool = try DatabasePool(path: file.location, configuration: configuration)
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
