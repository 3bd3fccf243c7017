import CLibsqlite3
import Storekeeper
import Synchronization

/// Copies the log into the file, on a separate connection alongside the writer.
///
/// By itself, SQLite would do so inside commits, at regular intervals. A checkpoint never waits for readers: pages that
/// they hold up stay in the log for the next checkpoint.
///
/// SQLite up to 3.51.2 can lose commits if a checkpoint coincides with another connection, of this or another process,
/// that restarts the log: the checkpoint then marks pages as copied that it did not copy. With such a version every
/// checkpoint is made while this process holds the write lock, so that no connection can restart the log. From 3.51.3
/// on, and in 3.50.7 and 3.44.6, checkpoints run alongside the writer. Such a checkpoint never reaches the end of the
/// log, and only from there does the log restart. A log that has grown long is therefore checkpointed repeatedly until
/// little is left, and the writer waits for that.
///
/// - SeeAlso: SQLite, "Write-Ahead Logging", sections 3.1, "Automatic Checkpoint", and 11, "The WAL-Reset Bug".
final class Checkpointer: Sendable {
    /// The growth of the log in pages from one checkpoint to the next.
    static let stride = 2_000
    /// The number of pages from which the log counts as long.
    private static let longLog = 8_000
    /// The number of pages after the last checkpoint up to which the rest of the log counts as short.
    static let shortRest = 500
    /// The number of pages from which the writer waits for every checkpoint, because the disk cannot keep up.
    private static let limit = 64_000

    /// Returns whether this SQLite excludes restarts of the log during a checkpoint.
    static func isSafeBesideWriters(_ version: CInt) -> Bool {
        switch version {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: true
        default: version >= 3_051_003
        }
    }

    private let queue: ConnectionQueue
    private let hasConcurrentWriter: Bool
    private let isCheckpointing = Atomic(false)
    // Safe though unchecked: only accessed on the writing connection's queue.
    /// The length of the log at which the next checkpoint begins.
    private nonisolated(unsafe) var due = stride
    /// The length of the log when the last checkpoint began.
    private nonisolated(unsafe) var covered = 0

    /// Opens the connection, and with it the log: later another file may have the same name.
    ///
    /// - Parameter hasConcurrentWriter: Whether checkpoints run while other connections write.
    init(of file: VaultFile, hasConcurrentWriter: Bool) throws(VaultError) {
        self.hasConcurrentWriter = hasConcurrentWriter
        let own = try Connection(to: file, .writing)
        try own.execute("PRAGMA synchronous = NORMAL")
        _ = try own.number("SELECT count(*) FROM sqlite_schema")
        queue = ConnectionQueue(own)
    }

    /// Makes a pass if the log has grown enough; called between transactions, on the queue of the connection that
    /// writes.
    ///
    /// - Parameter connection: The connection that writes, which knows how long the log is.
    /// - Returns: Whether it had.
    func shortenLog(for connection: Connection) -> Bool {
        let pages = connection.logLength.pages
        // The log has restarted.
        if pages < covered { (due, covered) = (Self.stride, 0) }
        guard pages >= due else { return false }
        guard hasConcurrentWriter else {
            covered = pages
            due = pages + Self.stride
            checkpointExclusively(connection)
            return true
        }
        guard !isCheckpointing.load(ordering: .acquiring) || pages >= Self.limit else { return false }
        let isEnd = pages >= Self.longLog && (pages - covered <= Self.shortRest || pages >= Self.limit)
        covered = pages
        if isEnd {
            checkpoint()
            // A reader may hold it up.
            due = pages + Self.stride
        } else {
            due = pages >= Self.longLog ? pages : pages + Self.stride
            isCheckpointing.store(true, ordering: .relaxed)
            queue.async { [self] own in
                _ = try? own.get().checkpointLog()
                isCheckpointing.store(false, ordering: .releasing)
            }
        }
        return true
    }

    /// Pages that cannot be copied now, because of a reader or a disk failure, stay in the log for the next checkpoint.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    private func checkpoint() -> Bool { (try? queue.sync { own in own.checkpointLog() }) ?? false }

    /// Checkpoints while no process writes; called on the writing connection's queue.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    func checkpointExclusively(_ connection: Connection) -> Bool {
        // Waits for other writers as any step does; without the lock nothing is done.
        defer { connection.rollBack() }
        guard (try? connection.begin()) != nil else { return false }
        return checkpoint()
    }

    /// Closes the connection after a running checkpoint.
    func close() { queue.close() }
}
