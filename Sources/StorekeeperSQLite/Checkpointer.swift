import Dispatch
import GRDBSQLite
import Storekeeper
import Synchronization

/// Takes what the log has gathered into the file, on a connection of its own beside the one that writes.
///
/// Left to itself SQLite does so inside every so many commits, and all who wait for that commit wait for it, too.
/// Beside a writer no pass comes to the end of the log, and only from its end does the log start over. So a log that
/// has grown long is followed pass by pass until little is left, and for that the writer waits.
///
/// - SeeAlso: SQLite, "Write-Ahead Logging", section 3.1, "Automatic Checkpoint".
final class Checkpointer: Sendable {
    /// How many pages the log grows by from one pass to the next.
    private static let stride = 2_000
    /// From how many pages on a log is long.
    private static let long = 8_000
    /// How many pages are little.
    private static let little = 500
    /// From how many pages on the writer waits for any pass: then the disk cannot keep up.
    private static let limit = 64_000

    private let lane = DispatchQueue(label: "Storekeeper.checkpoints")
    // Safe though unchecked: touched on the lane only, but by `init` and `deinit`, when nobody else can.
    private nonisolated(unsafe) var connection: OpaquePointer?
    private let isPassing = Atomic(false)
    // These are safe though unchecked: touched on the queue of the connection that writes only.
    /// At how many pages the next pass begins.
    private nonisolated(unsafe) var due = stride
    /// How many pages there were when the last pass began.
    private nonisolated(unsafe) var covered = 0

    /// Opens the connection, and the log with it: later there may be another file in the place of this one.
    init(of file: VaultFile) throws(VaultError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var code = sqlite3_open_v2(file.path, &connection, flags, nil)
        if code == SQLITE_OK { sqlite3_busy_timeout(connection, CInt(clamping: file.busyTimeout)) }
        if code == SQLITE_OK {
            code = sqlite3_exec(
                connection, "PRAGMA synchronous = NORMAL; SELECT count(*) FROM sqlite_schema", nil, nil, nil)
        }
        guard code == SQLITE_OK else {
            let error = file.error(code: code, of: connection)
            sqlite3_close_v2(connection)
            throw error
        }
    }

    deinit { sqlite3_close_v2(connection) }

    /// Makes a pass if the log has grown enough; called between transactions, on the queue of the connection that
    /// writes.
    ///
    /// - Parameter pages: How long the log is.
    func keepShort(logOf pages: Int) {
        // The log has started over.
        if pages < covered { (due, covered) = (Self.stride, 0) }
        guard pages >= due, !isPassing.load(ordering: .acquiring) || pages >= Self.limit else { return }
        let isEnd = pages >= Self.long && (pages - covered <= Self.little || pages >= Self.limit)
        covered = pages
        if isEnd {
            lane.sync { pass() }
            // Somebody who reads may hold it up.
            due = pages + Self.stride
        } else {
            due = pages >= Self.long ? pages : pages + Self.stride
            isPassing.store(true, ordering: .relaxed)
            lane.async {
                self.pass()
                self.isPassing.store(false, ordering: .releasing)
            }
        }
    }

    /// What cannot be taken over now, because somebody still reads from the log or the disk fails, stays in the log
    /// for the next pass.
    private func pass() {
        guard let connection else { return }
        _ = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Returns after the pass that runs; called on the queue of the connection that writes, where no other can begin.
    ///
    /// While one runs SQLite refuses every other way to empty the log.
    func finishPass() { lane.sync {} }

    /// Closes the connection after the pass that runs.
    func close() {
        lane.sync {
            sqlite3_close_v2(connection)
            connection = nil
        }
    }
}
