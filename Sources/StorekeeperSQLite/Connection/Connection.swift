import CLibsqlite3
import Storekeeper
import StorekeeperDurable

/// A connection to a file, with its prepared statements and a cache of rows.
///
/// A connection belongs to one ``ConnectionQueue``. The writing connection discards its cached rows when a transaction
/// is rolled back, and when another connection has written to the file.
final class Connection {
    /// The ways in which a connection may use its file.
    enum Access {
        case reading
        /// Reading and writing a file, which must exist.
        case writing
        /// Reading and writing a database in memory instead of the file.
        case memory
    }

    let file: VaultFile
    let headers: HeaderCache
    let accountTokens: AccountTokenRule
    let handle: OpaquePointer?
    private let memory = ArgumentMemory()
    /// The row that is written or read.
    let row = RowBuffer()
    /// The key of the question that is asked.
    let keys = RowBuffer()
    // Frequently accessed state is exempt from exclusivity checks. This is safe, because all accesses are on one queue,
    // and no other code runs during an access.
    /// The prepared statements, by the number of the statement.
    @exclusivity(unchecked) private var statements: [OpaquePointer?] = []

    // Unchecked access to `customers` and `chains` is safe for the same reason: no other code runs during an access.
    @exclusivity(unchecked) var customers = Remembered<CustomerID, CachedCustomer>()
    @exclusivity(unchecked) var chains = ChainLookupCache()
    /// The headers that the current transaction has added.
    var newHeaders: [(id: Int64, segment: CompactJWS.HeaderSegment)] = []
    /// Whether the vault contains parked evidence; `nil` if not looked up yet.
    var hasParked: Bool?
    /// Whether the vault contains marks of erased customers; `nil` if not looked up yet.
    var hasMarks: Bool?
    /// The last sequence number and the end of the hash chain; `nil` if not read yet.
    @exclusivity(unchecked) var head: ChainHead?
    /// The value of ``head`` that is stored in the file; `nil` if not read yet.
    var writtenHead: ChainHead?
    /// SQLite's `data_version`, which changes when another connection writes; `nil` before the first transaction.
    var dataVersion: Int64?
    let logLength = LogLength()

    init(
        to file: VaultFile, _ access: Access, headers: HeaderCache = HeaderCache(),
        accountTokens: AccountTokenRule = .asIDs
    ) throws(VaultError) {
        self.file = file
        self.headers = headers
        self.accountTokens = accountTokens
        let mode =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
            }
        var handle: OpaquePointer?
        // SQLite's own mutex is not needed, because the connection's queue excludes other threads.
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (file.isImmutable ? SQLITE_OPEN_URI : 0)
        let code = sqlite3_open_v2(access == .memory ? ":memory:" : file.location, &handle, flags, nil)
        self.handle = handle
        guard code == SQLITE_OK else { throw failure(code) }
        // A vault has no triggers and views. Those of a file that somebody else has changed must not run, now or if
        // they are added later; nor may its schema call functions that are not harmless.
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        ] as [(CInt, CInt)] {
            let code = storekeeper_configure(handle, option, value)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        sqlite3_busy_timeout(handle, CInt(clamping: max(0, file.busyTimeout)))
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Registers a function that records the length of the log after each commit; the registration turns off SQLite's
    /// automatic checkpoints.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { length, _, _, pages in
                guard let length else { return SQLITE_OK }
                Unmanaged<LogLength>.fromOpaque(length).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(logLength).toOpaque())
    }

    /// Runs a statement and discards its rows.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func run(_ statement: Statement, _ bind: (inout ArgumentBinder) -> Void = { _ in }) throws(VaultError) -> Int64 {
        let mark = memory.used
        let raw = try bound(statement, bind, from: mark)
        defer { release(raw, to: mark) }
        let code = sqlite3_step(raw)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
        return sqlite3_changes64(handle)
    }

    /// Returns the value that a function reads from the first row; `nil` if no row exists.
    func first<Value>(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void = { _ in },
        _ read: (inout RowReader) throws(VaultError) -> Value
    ) throws(VaultError) -> Value? {
        let mark = memory.used
        let raw = try bound(statement, bind, from: mark)
        defer { release(raw, to: mark) }
        let code = sqlite3_step(raw)
        switch code {
        case SQLITE_ROW:
            var row = RowReader(raw: raw)
            return try read(&row)
        case SQLITE_DONE: return nil
        default: throw failure(code)
        }
    }

    /// Returns the values that a function reads from all rows.
    func all<Value>(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void = { _ in },
        _ read: (inout RowReader) throws(VaultError) -> Value
    ) throws(VaultError) -> [Value] {
        var values: [Value] = []
        try forEach(statement, bind) { row throws(VaultError) in values.append(try read(&row)) }
        return values
    }

    /// Calls a function for each row.
    func forEach(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void = { _ in },
        _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        let mark = memory.used
        let raw = try bound(statement, bind, from: mark)
        defer { release(raw, to: mark) }
        while true {
            let code = sqlite3_step(raw)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            var row = RowReader(raw: raw)
            try body(&row)
        }
    }

    /// Runs statements that are used only once, and discards their rows.
    func execute(_ sql: String) throws(VaultError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Returns the value that a function reads from the first row of a statement that is used only once.
    func value<Value>(of sql: String, _ read: (inout RowReader) -> Value) throws(VaultError) -> Value {
        let raw = try compile(sql, flags: 0)
        defer { sqlite3_finalize(raw) }
        let code = sqlite3_step(raw)
        guard code == SQLITE_ROW else { throw failure(code) }
        var row = RowReader(raw: raw)
        return read(&row)
    }

    func number(_ sql: String) throws(VaultError) -> Int64 { try value(of: sql) { $0.int() } }

    /// Copies as much of the log into the file as possible, without waiting.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    func checkpointLog() -> Bool {
        var (length, taken): (CInt, CInt) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &length, &taken)
        return code == SQLITE_OK && length == taken
    }

    /// The id of the last inserted row.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The number of rows that this connection has changed since it was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }
    /// The counters of the work that all statements of this connection have done so far.
    var work: StatementWork {
        statements.reduce(into: StatementWork()) { work, statement in
            guard let statement else { return }
            work.scanned += Int64(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
            work.operations += Int64(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
        }
    }
    /// Whether a transaction is still open; after some errors SQLite ends the transaction by itself.
    var isInsideTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file was removed or replaced since it was opened.
    var isFileMoved: Bool {
        var moved: CInt = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    private func bound(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void, from mark: Int
    ) throws(VaultError) -> OpaquePointer {
        let known = statement.number < statements.count ? statements[statement.number] : nil
        let raw = if let known { known } else { try prepare(statement) }
        var binder = ArgumentBinder(raw: raw, memory: memory)
        bind(&binder)
        guard binder.code == SQLITE_OK else {
            release(raw, to: mark)
            throw failure(binder.code)
        }
        assert(binder.isComplete, "a parameter has no value: \(statement.sql)")
        return raw
    }

    private func prepare(_ statement: Statement) throws(VaultError) -> OpaquePointer {
        let raw = try compile(statement.sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        if statement.number >= statements.count {
            statements += Array(repeating: nil, count: statement.number + 1 - statements.count)
        }
        statements[statement.number] = raw
        return raw
    }

    private func compile(_ sql: String, flags: UInt32) throws(VaultError) -> OpaquePointer {
        var raw: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &raw, nil)
        guard code == SQLITE_OK, let raw else { throw failure(code) }
        return raw
    }

    /// Resets a statement and releases the memory of its arguments.
    ///
    /// The arguments remain bound until new arguments replace them.
    private func release(_ raw: OpaquePointer, to mark: Int) {
        sqlite3_reset(raw)
        memory.used = mark
    }

    func failure(_ code: CInt) -> VaultError {
        file.error(code: code, message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no message")
    }

    /// Discards the cached rows, which is necessary after rows were deleted from the file.
    func forget() {
        customers.removeAll()
        chains.removeAll()
        hasParked = nil
        hasMarks = nil
    }

    /// Discards all cached data that a rollback, or a transaction of another connection, may have made invalid.
    func forgetAll() {
        forget()
        newHeaders = []
        head = nil
        writtenHead = nil
        dataVersion = nil
    }
}

/// Counters of the work that statements have done, as SQLite reports it.
struct StatementWork: Hashable, Sendable {
    /// The number of rows that were read in full table scans, without an index.
    var scanned: Int64 = 0
    /// The number of operations of SQLite's virtual machine, which executes a few operations for each row.
    var operations: Int64 = 0
}

/// A cache of looked-up rows.
struct Remembered<Key: Hashable, Value: AnyObject> {
    /// The maximum number of rows, which limits the memory for vaults with millions of rows; dropped rows are looked up
    /// again when needed.
    private static var limit: Int { 4_096 }

    private var values: [Key: Value] = [:]
    /// The row that was requested last, stored separately because a step often requests the same row several times in
    /// succession.
    private(set) var last: Value?

    subscript(key: Key) -> Value? {
        mutating get {
            last = values[key]
            return last
        }
        set {
            if values.count >= Self.limit { removeAll() }
            values[key] = newValue
            last = newValue
        }
    }

    mutating func removeAll() {
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
        last = nil
    }
}

/// The chains that a step has looked up, including chains that are not stored.
///
/// Most steps use one chain.
struct ChainLookupCache {
    private var last: KnownChain?
    private var others: [ChainID: KnownChain] = [:]

    subscript(id: ChainID) -> KnownChain? { last?.id == id ? last : others[id] }

    mutating func add(_ chain: KnownChain) {
        if let last { others[last.id] = last }
        last = chain
    }

    mutating func removeAll() {
        last = nil
        if !others.isEmpty { others = [:] }
    }
}

/// The cached data of a customer, for one connection.
final class CachedCustomer {
    /// The customer's number in other tables.
    let number: Int64
    // The missing exclusivity checks are safe, because all accesses are on the connection's queue and do not overlap.
    /// The customer's row.
    @exclusivity(unchecked) var row: CustomerRow
    /// The salt of the customer's hashes, without which guessed values cannot be compared with the hashes.
    let salt: [UInt8]
    // The missing checks are safe for the same reason as for `row`.
    /// The balances that were looked up so far; a customer has only a few balances.
    @exclusivity(unchecked) var balances: [Balance] = []
    // The missing checks are safe for the same reason as for `row`.
    /// The account's last entry; `nil` if not looked up yet.
    @exclusivity(unchecked) var lastEntry: AccountEnd?

    init(number: Int64, row: CustomerRow, salt: [UInt8], lastEntry: AccountEnd? = nil) {
        self.number = number
        self.row = row
        self.salt = salt
        self.lastEntry = lastEntry
    }
}

/// The cached data of a chain, for one connection.
final class KnownChain {
    let id: ChainID
    // The missing exclusivity checks are safe, because all accesses are on the connection's queue and do not overlap.
    /// The chain's number in other tables; `nil` if the chain is unknown.
    @exclusivity(unchecked) var number: Int64?
    @exclusivity(unchecked) var holder: CustomerID?
    @exclusivity(unchecked) var token: (token: [UInt8], signedAt: Instant)?

    init(_ id: ChainID) { self.id = id }
}

/// The length of the log in pages, as of the writing connection's last commit.
final class LogLength {
    var pages = 0
}
