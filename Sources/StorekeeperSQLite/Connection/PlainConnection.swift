import GRDBSQLite
import Storekeeper
import StorekeeperDurable

/// A connection of SQLite beside those of the pool, used by one thread at a time.
final class PlainConnection: Sendable {
    // Safe though unchecked: whoever has it uses it on one queue, or before and after all others do.
    private nonisolated(unsafe) var connection: OpaquePointer?
    private let file: VaultFile

    /// Opens the file, which must be there, and its log.
    ///
    /// - Parameter mayWrite: Whether SQLite may keep the log in order; nothing is written to the tables.
    init(_ file: VaultFile, mayWrite: Bool) throws(VaultError) {
        self.file = file
        let access = mayWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (file.isStill ? SQLITE_OPEN_URI : 0)
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

    /// The number in the first column of the first row.
    func number(_ sql: String) throws(VaultError) -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let prepared = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard prepared == SQLITE_OK else { throw file.error(code: prepared, of: connection) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { throw file.error(code: code, of: connection) }
        return sqlite3_column_int64(statement, 0)
    }

    /// Takes what can be taken from the log into the file, and waits for nobody.
    ///
    /// - Returns: Whether nothing is left in the log that the file does not have.
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
