import CLibsqlite3
import Storekeeper
import StorekeeperDurable

/// Opens the file of a vault, after checking the kind and the content of the file.
struct VaultOpening {
    let file: VaultFile
    let options: SQLiteVault.Options

    /// An opened vault.
    struct Opened {
        /// The file, including whether SQLite reads it as immutable.
        var file: VaultFile
        var readers: Readers
        var foreignCommits: ForeignCommits
        /// The writing connection; `nil` if the vault is read-only.
        var writer: ConnectionQueue?
        /// The connection that a read-only vault closes last.
        ///
        /// While this connection is open, no other process removes the log. Closing this connection removes the log if
        /// the process may write to the file and no other process has the file open.
        var readOnlyConnection: ConnectionQueue?
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
            // If this call created the file but could not make a vault, the empty file is removed, so that the next
            // attempt can create it.
            if isMade, SystemFile.size(of: file.path) == 0 { SystemFile.remove(file.path) }
            throw error
        }
    }

    /// Whether opening must fail if a vault already exists at the path.
    private var mustBeNew: Bool { options.creation == .new && !options.isReadOnly }

    private var existsError: VaultError {
        VaultError(.exists, "\(file.path) already exists; open it, or name another file")
    }

    // MARK: The path

    /// Checks the kind of the file at the path before the file is opened, because opening a pipe would wait for a
    /// writer.
    ///
    /// - Returns: Whether a file exists at the path.
    private func checkKind() throws(VaultError) -> Bool {
        let kind = SystemFile.kind(of: file.path)
        // An existing file is never replaced, even if it is not a vault. An empty file may become a vault, because it
        // has no content to lose.
        let isEmpty = kind == .nothing || kind == .file && SystemFile.size(of: file.path) == 0
        if mustBeNew, !isEmpty { throw existsError }
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

    /// Creates an empty file that only its owner may read and write; SQLite creates other files next to the file with
    /// the same permissions.
    ///
    /// - Returns: Whether this call created the file.
    private func make() throws(VaultError) -> Bool {
        do throws(VaultError) {
            try file.make()
            return true
        } catch {
            // Another process may have created the file since the check.
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
            // SQLite's index of the log, `-shm`, needs disk space even for reading. Without a log, the index is not
            // needed, and the file can be read as immutable.
            guard error.code == .full, options.isReadOnly, hasNoLog else { throw error }
            file.isImmutable = true
            return try open(file, mayWrite: false, mustBeVault: mustBeVault)
        }
    }

    private func open(_ file: VaultFile, mayWrite: Bool, mustBeVault: Bool) throws(VaultError) -> Opened {
        let connection = try Connection(to: file, mayWrite ? .writing : .reading)
        switch try inspect(connection) {
        case .vault where mustBeNew: throw existsError
        case .vault(let schema): try check(schema)
        case .empty where mustBeVault:
            throw VaultError(.notAVault, "\(file.path) is empty; create a vault there, or name another file")
        case .empty: try file.restrictToOwner()
        case .nothing: break
        }
        let (headers, rule) = (HeaderCache(), options.accountTokens)
        let opened = SystemFile.identity(of: file.path)
        let openReader: @Sendable () throws(VaultError) -> Connection = { () throws(VaultError) -> Connection in
            let connection = try Connection(to: file, .reading, headers: headers, accountTokens: rule)
            // A connection that is opened later must not read a file that has replaced the opened file.
            guard SystemFile.identity(of: file.path) == opened else { throw file.moved }
            return connection
        }
        let readers = Readers(of: file, open: openReader)
        let foreignCommits = ForeignCommits(of: file, open: openReader)
        guard options.isReadOnly else {
            let writer = try Connection(to: file, .writing, headers: headers, accountTokens: rule)
            try prepare(writer)
            if options.checksAtOpen { try checkStructure(through: writer) }
            return Opened(
                file: file, readers: readers, foreignCommits: foreignCommits, writer: ConnectionQueue(writer))
        }
        if options.checksAtOpen { try checkStructure(through: connection) }
        // While this connection is open, a writing process that closes the file does not remove the log and the index
        // of the log. Without these files, a process without write permission could no longer read the vault.
        return Opened(
            file: file, readers: readers, foreignCommits: foreignCommits,
            readOnlyConnection: ConnectionQueue(connection))
    }

    /// Whether no log exists next to the file, so that the file contains the whole vault.
    private var hasNoLog: Bool {
        let target = SystemFile.target(of: file.path)
        return ["-journal", "-wal"].allSatisfy { SystemFile.size(of: target + $0) ?? 0 == 0 }
    }

    /// Returns whether a read-only file can be read as immutable.
    private func isImmutable() throws(VaultError) -> Bool {
        let target = SystemFile.target(of: file.path)
        if let journal = SystemFile.size(of: target + "-journal"), journal > 0 { return false }
        guard let log = SystemFile.size(of: target + "-wal") else { return true }
        // If the index of the log also exists, the log belongs to a process that has the vault open, or remains from a
        // crash.
        if SystemFile.size(of: target + "-shm") != nil { return false }
        guard log > 0 else { return true }
        throw VaultError(
            .io,
            "\(file.path) is read-only and has a write-ahead log that was not applied; copy both to a writable "
                + "folder")
    }

    /// Returns whether the file is empty or contains a vault, and the schema of the vault.
    private func inspect(_ connection: Connection) throws(VaultError) -> Found {
        let (id, schema) = (
            try connection.number("PRAGMA application_id"), try connection.number("PRAGMA user_version")
        )
        guard id == Schema.applicationID, schema >= 0 else {
            let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
            guard isEmpty, id == 0, schema == 0 else {
                throw VaultError(.notAVault, "\(file.path) is a database, but not a vault; name another file")
            }
            return .empty
        }
        if !options.isReadOnly { try checkForTriggers(connection) }
        try checkViews(connection)
        return .vault(schema: Int(clamping: schema))
    }

    /// Throws an error if the file has a trigger or a view, which could change what is written.
    ///
    /// A vault that is only read may have them: they are not run, and the integrity check reports them.
    private func checkForTriggers(_ connection: Connection) throws(VaultError) {
        let found = try connection.number("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')")
        guard found == 0 else {
            throw VaultError(
                .notAVault,
                "\(file.path) contains triggers or views that another program added; see 'storekeeper vault verify', and "
                    + "remove them or restore a backup")
        }
    }

    private static let views = Statement("SELECT name FROM sqlite_schema WHERE type = 'view'")

    /// Throws an error if the file has a virtual table, or a view with the name of one of the vault's tables.
    ///
    /// Reading such a view would run SQL that someone else may have written, possibly without end.
    ///
    /// A view with another name is never read; the integrity check reports it.
    private func checkViews(_ connection: Connection) throws(VaultError) {
        let virtualTables = "SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'"
        var isStrange = try connection.number(virtualTables) > 0
        let views = try connection.all(Self.views, { _ in }, { $0.text() })
        // The names of the vault's tables are determined only if the file has views, which is rare.
        if !isStrange, !views.isEmpty { isStrange = try SchemaCheck(file: file).hasTable(anyOf: views) }
        guard !isStrange else {
            throw VaultError(
                .notAVault, "\(file.path) contains views instead of tables; restore a backup")
        }
    }

    private func check(_ schema: Int) throws(VaultError) {
        if schema > Schema.version {
            throw VaultError(
                .schemaTooNew,
                "\(file.path) has schema \(schema), and this release knows schemas up to \(Schema.version); use a newer"
                    + " release")
        }
        if schema < Schema.version {
            throw VaultError(
                .schemaTooOld,
                "\(file.path) has schema \(schema), and the first release has schema \(Schema.version); export it with"
                    + " the revision that wrote it, and import the export into a new vault")
        }
    }

    private func checkStructure(through connection: Connection) throws(VaultError) {
        let answer = try connection.value(of: "PRAGMA quick_check(1)") { $0.text() }
        guard answer == "ok" else {
            throw VaultError(
                .corrupt, "\(file.path) is damaged (\(answer)); stop writing to it and restore a backup")
        }
    }

    /// Prepares the writing connection.
    private func prepare(_ writer: Connection) throws(VaultError) {
        // SQLite opens a write-protected file as read-only without reporting an error.
        guard sqlite3_db_readonly(writer.handle, "main") == 0 else { throw writer.failure(SQLITE_READONLY) }
        let journal = try writer.value(of: "PRAGMA journal_mode = WAL") { $0.text() }
        guard journal == "wal" else {
            throw file.error(code: SQLITE_ERROR, message: "the journal mode stays \(journal)")
        }
        let word = options.synchronous == .full ? "FULL" : "NORMAL"
        try writer.execute("PRAGMA synchronous = \(word)")
        try writer.execute("PRAGMA foreign_keys = ON")
        // Deleted data must be overwritten and not left in free pages, above all after an erasure.
        try writer.execute("PRAGMA secure_delete = ON")
        writer.watchLog()
        try makeTables(writer)
    }

    /// Creates the tables in an empty file, atomically.
    private func makeTables(_ writer: Connection) throws(VaultError) {
        /// Whether the file has tables, which another process may also have created since the file was inspected.
        func hasTables() throws(VaultError) -> Bool {
            let schema = Int(clamping: try writer.number("PRAGMA user_version"))
            guard schema > 0 else { return false }
            if mustBeNew { throw existsError }
            try check(schema)
            return true
        }
        guard try !hasTables() else { return }
        do throws(VaultError) {
            try writer.begin()
            // Another process may have created the tables while this process waited for the lock.
            if try !hasTables() {
                try writer.execute(Schema.tables)
                try writer.execute("PRAGMA application_id = \(Schema.applicationID)")
                try writer.execute("PRAGMA user_version = \(Schema.version)")
            }
            try writer.commit()
        } catch {
            writer.rollBack()
            throw error
        }
    }
}
