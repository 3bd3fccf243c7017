import GRDB
import GRDBSQLite
import Storekeeper

/// A connection as steps use it: its prepared statements, and what the steps have looked up.
///
/// It lives on the queue of its connection. The one that writes lives as long as its vault: what was looked up stays
/// true until a transaction is undone or somebody else writes to the file, and then it is forgotten.
final class Session {
    let file: VaultFile
    let headers: HeaderShelf
    let connection: OpaquePointer?
    private let database: Database
    private let memory = ArgumentMemory()
    /// By the number of their query.
    private var statements: [OpaquePointer?] = []
    /// The connection's cache owns the statements; these references keep them from leaving it.
    private var owned: [Statement] = []

    var customers = Remembered<CustomerID, NumberedCustomer>()
    var balances = Remembered<BalanceKey, Balance>()
    /// The chains that were looked up; `nil` for those that nobody has heard of.
    var chains = Remembered<ChainID, ChainRow?>()
    /// Headers that this transaction has added.
    var newHeaders: [(id: Int64, segment: CompactJWS.HeaderSegment)] = []
    /// Whether anything is parked; `nil` before anybody has looked.
    var hasParked: Bool?
    /// The numbers and the chain of entries; `nil` before anybody has asked.
    var books: Books?
    /// The same as they are in the file.
    var writtenBooks: Books?
    /// What SQLite counts up when another connection writes; `nil` before the first transaction.
    var dataVersion: Int64?

    init(_ database: Database, file: VaultFile, headers: HeaderShelf) {
        self.database = database
        self.file = file
        self.headers = headers
        connection = database.sqliteConnection
    }

    /// Runs a statement whose rows nobody wants.
    ///
    /// - Returns: How many rows it has changed.
    @discardableResult
    func run(_ query: Query, _ bind: (inout Binder) -> Void = { _ in }) throws(VaultError) -> Int64 {
        let mark = memory.used
        let raw = try statement(query, bind)
        defer { release(raw, to: mark) }
        let code = sqlite3_step(raw)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
        return sqlite3_changes64(connection)
    }

    /// The first row, or `nil` where there is none.
    func first<Value>(
        _ query: Query, _ bind: (inout Binder) -> Void = { _ in },
        _ read: (inout Row) throws(VaultError) -> Value
    ) throws(VaultError) -> Value? {
        let mark = memory.used
        let raw = try statement(query, bind)
        defer { release(raw, to: mark) }
        let code = sqlite3_step(raw)
        switch code {
        case SQLITE_ROW:
            var row = Row(raw: raw)
            return try read(&row)
        case SQLITE_DONE: return nil
        default: throw failure(code)
        }
    }

    /// All rows.
    func all<Value>(
        _ query: Query, _ bind: (inout Binder) -> Void = { _ in },
        _ read: (inout Row) throws(VaultError) -> Value
    ) throws(VaultError) -> [Value] {
        var values: [Value] = []
        try forEach(query, bind) { row throws(VaultError) in values.append(try read(&row)) }
        return values
    }

    /// Goes through all rows.
    func forEach(
        _ query: Query, _ bind: (inout Binder) -> Void = { _ in },
        _ body: (inout Row) throws(VaultError) -> Void
    ) throws(VaultError) {
        let mark = memory.used
        let raw = try statement(query, bind)
        defer { release(raw, to: mark) }
        while true {
            let code = sqlite3_step(raw)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            var row = Row(raw: raw)
            try body(&row)
        }
    }

    /// The row that was added last.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(connection) }
    /// How many rows this connection has ever changed.
    var totalChanges: Int64 { sqlite3_total_changes64(connection) }
    /// Whether the transaction is still there: SQLite ends it by itself after some errors.
    var isInsideTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    /// Whether the file was removed or replaced since it was opened.
    var isFileMoved: Bool {
        var moved: CInt = 0
        return sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    private func statement(_ query: Query, _ bind: (inout Binder) -> Void) throws(VaultError) -> OpaquePointer {
        let known = query.number < statements.count ? statements[query.number] : nil
        let raw = if let known { known } else { try prepare(query) }
        var binder = Binder(raw: raw, memory: memory)
        bind(&binder)
        guard binder.code == SQLITE_OK else {
            sqlite3_clear_bindings(raw)
            throw failure(binder.code)
        }
        assert(binder.isComplete, "a parameter has no value: \(query.text)")
        return raw
    }

    private func prepare(_ query: Query) throws(VaultError) -> OpaquePointer {
        let statement: Statement
        do { statement = try database.cachedStatement(sql: query.text) } catch { throw file.error(error) }
        owned.append(statement)
        if query.number >= statements.count {
            statements += Array(repeating: nil, count: query.number + 1 - statements.count)
        }
        statements[query.number] = statement.sqliteStatement
        return statement.sqliteStatement
    }

    /// Forgets the arguments, too: they point to this session's memory, and the statement stays in the cache.
    private func release(_ raw: OpaquePointer, to mark: Int) {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
        memory.used = mark
    }

    private func failure(_ code: CInt) -> VaultError {
        let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no message"
        let extended = sqlite3_extended_errcode(connection)
        return file.error(code: extended & 0xFF == code & 0xFF ? extended : code, message: message)
    }

    /// Forgets what was looked up, after rows were taken out.
    func forget() {
        customers = Remembered()
        balances = Remembered()
        chains = Remembered()
        hasParked = nil
    }

    /// Forgets all that a transaction of somebody else, or one that was undone, may have made untrue.
    func forgetAll() {
        forget()
        newHeaders = []
        books = nil
        writtenBooks = nil
        dataVersion = nil
    }
}

/// What was looked up, the last of it without a search: a step asks for the same a few times in a row.
struct Remembered<Key: Hashable, Value> {
    /// A vault of millions must not fill the memory; what was dropped is looked up again.
    private static var limit: Int { 4_096 }

    private var values: [Key: Value] = [:]
    private var last: (key: Key, value: Value)?

    subscript(key: Key) -> Value? {
        mutating get {
            if let last, last.key == key { return last.value }
            guard let value = values[key] else { return nil }
            last = (key, value)
            return value
        }
        set {
            if values.count >= Self.limit { values.removeAll(keepingCapacity: true) }
            values[key] = newValue
            last = newValue.map { (key, $0) }
        }
    }
}

/// What a session knows of a customer: the number that stands for them in other tables, and what is noted.
final class NumberedCustomer: Sendable {
    let number: Int64
    let row: CustomerRow

    init(number: Int64, row: CustomerRow) {
        self.number = number
        self.row = row
    }
}

/// Which balance it is, of the customer with a number.
struct BalanceKey: Hashable {
    let customer: Int64
    let name: String
}

/// What a session knows of a chain.
struct ChainRow {
    let id: Int64
    var holder: CustomerID?
    var token: (token: [UInt8], signedAt: Instant)?
}
