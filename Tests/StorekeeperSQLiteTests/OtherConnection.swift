import CLibsqlite3
import Testing

@testable import StorekeeperSQLite

/// A connection to a vault's file that does not belong to the vault, such as the connection of another program.
final class OtherConnection {
    private var connection: OpaquePointer?

    init(to path: String) throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
            throw UnexpectedResult("\(path) cannot be opened")
        }
        _ = try number("SELECT count(*) FROM sqlite_schema")
    }

    deinit { sqlite3_close_v2(connection) }

    /// Begins a transaction, which keeps its snapshot of the file.
    func begin() throws {
        try run("BEGIN")
        _ = try number("SELECT count(*) FROM ledger")
    }

    func end() throws { try run("COMMIT") }

    func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            throw UnexpectedResult("\(sql): \(String(cString: sqlite3_errmsg(connection)))")
        }
    }

    func number(_ sql: String) throws -> Int64 { try #require(Int64(try text(sql))) }

    /// Returns the first value of the first row as text.
    func text(_ sql: String) throws -> String {
        String(decoding: try #require(try rows(sql).first?.first), as: UTF8.self)
    }

    /// Returns the values of all rows as bytes, either of a text or of a blob.
    func rows(_ sql: String) throws -> [[[UInt8]]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        var rows: [[[UInt8]]] = []
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        while code == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    let start = sqlite3_column_blob(statement, column)
                    let count = sqlite3_column_bytes(statement, column)
                    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
                })
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else {
            throw UnexpectedResult("\(sql): \(String(cString: sqlite3_errmsg(connection)))")
        }
        return rows
    }
}

extension SQLiteVault {
    /// Uses the writing connection between two transactions.
    func onWriter<Outcome>(_ body: (Connection) throws -> Outcome) throws -> Outcome {
        try #require(writer).sync { connection in Result { try body(connection) } }.get()
    }
}
