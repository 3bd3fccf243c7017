import GRDB
import GRDBSQLite
import Storekeeper
import StorekeeperDurable

/// A connection as steps use it, with its prepared statements and the rows that steps have looked up.
///
/// It belongs to the queue of its connection. The session of the writing connection lives as long as its vault:
/// looked-up rows stay valid until a transaction is rolled back or another connection writes to the file; then they are
/// discarded.
final class Connection {
    let file: VaultFile
    let headers: HeaderCache
    let accountTokens: AccountTokenRule
    let handle: OpaquePointer?
    private let database: Database
    private let memory = ArgumentMemory()
    // Frequently accessed state is exempt from exclusivity checks: each access ends before anything else is called, and
    // all are on one queue.
    /// By the number of their statement.
    @exclusivity(unchecked) private var statements: [OpaquePointer?] = []
    /// The connection's cache owns the statements; these references keep them in it.
    private var owned: [GRDB.Statement] = []

    // As above: each access ends before anything else is called.
    @exclusivity(unchecked) var customers = Remembered<CustomerID, CachedCustomer>()
    @exclusivity(unchecked) var chains = ChainLookupCache()
    /// The headers that this transaction has added.
    var newHeaders: [(id: Int64, segment: CompactJWS.HeaderSegment)] = []
    /// Whether there is parked evidence; `nil` if not looked up yet.
    var hasParked: Bool?
    /// Whether there are marks of erased customers; `nil` if not looked up yet.
    var hasMarks: Bool?
    /// The sequence number and the end of the chain; `nil` if not looked up yet.
    @exclusivity(unchecked) var head: ChainHead?
    /// The same as stored in the file.
    var writtenHead: ChainHead?
    /// SQLite's `data_version`, which changes when another connection writes; `nil` before the first transaction.
    var dataVersion: Int64?
    let logLength = LogLength()
    private var isWatchingLog = false

    init(
        _ database: Database, file: VaultFile, headers: HeaderCache, accountTokens: AccountTokenRule = .asIDs
    ) {
        self.database = database
        self.file = file
        self.headers = headers
        self.accountTokens = accountTokens
        handle = database.sqliteConnection
    }

    deinit {
        if isWatchingLog { sqlite3_wal_hook(handle, nil, nil) }
        // The arguments point to this connection's memory, and the statements stay in the connection's cache.
        for statement in owned { sqlite3_clear_bindings(statement.sqliteStatement) }
    }

    /// Records the length of the log after each commit; replaces SQLite's own checkpoints.
    func watchLog() {
        isWatchingLog = true
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
        let raw = try bound(statement, bind)
        defer { release(raw, to: mark) }
        let code = sqlite3_step(raw)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
        return sqlite3_changes64(handle)
    }

    /// Returns the first row; `nil` if there is none.
    func first<Value>(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void = { _ in },
        _ read: (inout RowReader) throws(VaultError) -> Value
    ) throws(VaultError) -> Value? {
        let mark = memory.used
        let raw = try bound(statement, bind)
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

    /// All rows.
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
        let raw = try bound(statement, bind)
        defer { release(raw, to: mark) }
        while true {
            let code = sqlite3_step(raw)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            var row = RowReader(raw: raw)
            try body(&row)
        }
    }

    /// The id of the last inserted row.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The number of rows that this connection has ever changed.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }
    /// Whether the transaction is still open: SQLite ends it by itself after some errors.
    var isInsideTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file was removed or replaced since it was opened.
    var isFileMoved: Bool {
        var moved: CInt = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    private func bound(_ statement: Statement, _ bind: (inout ArgumentBinder) -> Void) throws(VaultError)
        -> OpaquePointer
    {
        let known = statement.number < statements.count ? statements[statement.number] : nil
        let raw = if let known { known } else { try prepare(statement) }
        var binder = ArgumentBinder(raw: raw, memory: memory)
        bind(&binder)
        guard binder.code == SQLITE_OK else { throw failure(binder.code) }
        assert(binder.isComplete, "a parameter has no value: \(statement.sql)")
        return raw
    }

    private func prepare(_ statement: Statement) throws(VaultError) -> OpaquePointer {
        let cached: GRDB.Statement
        do { cached = try database.cachedStatement(sql: statement.sql) } catch { throw file.error(error) }
        owned.append(cached)
        if statement.number >= statements.count {
            statements += Array(repeating: nil, count: statement.number + 1 - statements.count)
        }
        statements[statement.number] = cached.sqliteStatement
        return cached.sqliteStatement
    }

    /// The arguments stay until the next ones replace them.
    private func release(_ raw: OpaquePointer, to mark: Int) {
        sqlite3_reset(raw)
        memory.used = mark
    }

    private func failure(_ code: CInt) -> VaultError {
        let extended = sqlite3_extended_errcode(handle)
        return file.error(code: extended & 0xFF == code & 0xFF ? extended : code, of: handle)
    }

    /// Discards looked-up rows, after rows were deleted.
    func forget() {
        customers.removeAll()
        chains.removeAll()
        hasParked = nil
        hasMarks = nil
    }

    /// Discards all rows that another connection's transaction, or one that was rolled back, may have invalidated.
    func forgetAll() {
        forget()
        newHeaders = []
        head = nil
        writtenHead = nil
        dataVersion = nil
    }
}

/// What was looked up.
struct Remembered<Key: Hashable, Value: AnyObject> {
    /// Limits the memory for vaults with millions of rows; dropped rows are looked up again.
    private static var limit: Int { 4_096 }

    private var values: [Key: Value] = [:]
    /// The last row that was requested: a step requests the same row several times in succession.
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

/// The chains that a step has looked up, including unknown ones.
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

/// What a connection knows of a customer.
final class CachedCustomer {
    /// The customer's number in other tables.
    let number: Int64
    // Touched on the queue of the connection alone, one access after the other.
    /// What is noted.
    @exclusivity(unchecked) var row: CustomerRow
    /// The salt of the hashes about the customer, which prevents guessing.
    let salt: [UInt8]
    // As above.
    /// The balances that were looked up; a customer has a few.
    @exclusivity(unchecked) var balances: [Balance] = []
    // As above.
    /// The number of the account's last entry; `nil` if not looked up yet.
    @exclusivity(unchecked) var lastNumber: Int64?

    init(number: Int64, row: CustomerRow, salt: [UInt8], lastNumber: Int64? = nil) {
        self.number = number
        self.row = row
        self.salt = salt
        self.lastNumber = lastNumber
    }
}

/// What a connection knows of a chain.
final class KnownChain {
    let id: ChainID
    // Touched on the queue of the connection alone, one access after the other.
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
