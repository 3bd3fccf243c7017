import GRDBSQLite
import Storekeeper
import StorekeeperDurable

/// An SQLite connection outside the pool, used by one thread at a time.
final class PlainConnection: Sendable {
    // Safe though unchecked: its owner uses it on one queue, or before and after all other uses.
    private nonisolated(unsafe) var connection: OpaquePointer?
    private let file: VaultFile

    /// Opens an existing file and its log.
    ///
    /// - Parameter mayWrite: Whether SQLite may maintain the log; the tables are not written.
    init(_ file: VaultFile, mayWrite: Bool) throws(VaultError) {
        self.file = file
        let access = mayWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (file.isImmutable ? SQLITE_OPEN_URI : 0)
        let code = sqlite3_open_v2(file.location, &connection, flags, nil)
        guard code == SQLITE_OK else {
            let error = file.error(code: code, of: connection)
            close()
            throw error
        }
        sqlite3_busy_timeout(connection, CInt(clamping: max(0, file.busyTimeout)))
    }

    deinit { close() }

    /// Runs statements without rows.
    func run(_ sql: String) throws(VaultError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw file.error(code: code, of: connection) }
    }

    /// Returns the number in the first column of the first row.
    func number(_ sql: String) throws(VaultError) -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let prepared = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard prepared == SQLITE_OK else { throw file.error(code: prepared, of: connection) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { throw file.error(code: code, of: connection) }
        return sqlite3_column_int64(statement, 0)
    }

    /// Copies as much of the log into the file as possible, without waiting.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    func checkpointLog() -> Bool {
        guard let connection else { return false }
        var (length, taken): (CInt, CInt) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, &length, &taken)
        return code == SQLITE_OK && length == taken
    }

    func close() {
        sqlite3_close_v2(connection)
        connection = nil
    }
}
