import CLibsqlite3
import Storekeeper
import Synchronization

/// Copies the write-ahead log into the vault's file, on a separate connection and at the same time as the writer works.
///
/// Without a checkpointer, SQLite would copy the log inside commits, at regular intervals. A checkpoint never waits for
/// readers: pages that cannot be copied because of a reader stay in the log until the next checkpoint.
///
/// SQLite up to 3.51.2 can lose commits if another connection, of this or another process, restarts the log during a
/// checkpoint. The checkpoint then marks pages as copied that it did not copy. With these versions every checkpoint is
/// made while this process holds the write lock, so that no connection can restart the log. From 3.51.3 on, and in
/// 3.50.7 and 3.44.6, checkpoints run while the writer continues. Such a checkpoint does not reach the end of the log,
/// because the writer appends to the log at the same time. The log restarts only after it was copied to its end. A long
/// log is therefore checkpointed repeatedly until only a short rest is left. The writer then waits for the checkpoint
/// of this rest.
///
/// - SeeAlso: SQLite, "Write-Ahead Logging", sections 3.1, "Automatic Checkpoint", and 11, "The WAL-Reset Bug".
final class Checkpointer: Sendable {
    /// The number of pages by which the log grows from one checkpoint to the next.
    static let stride = 2_000
    /// The number of pages at which the log counts as long.
    private static let longLog = 8_000
    /// The maximum number of pages since the last checkpoint that count as a short rest of the log.
    static let shortRest = 500
    /// The number of pages of the log at which the writer waits for every checkpoint, because the disk is too slow for
    /// concurrent checkpoints.
    private static let limit = 64_000

    /// Returns whether a version of SQLite can make checkpoints safely while other connections write.
    static func isSafeBesideWriters(_ version: CInt) -> Bool {
        switch version {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: true
        default: version >= 3_051_003
        }
    }

    private let queue: ConnectionQueue
    private let hasConcurrentWriter: Bool
    private let isCheckpointing = Atomic(false)
    // `nonisolated(unsafe)` is safe, because both properties are accessed only on the writing connection's queue.
    /// The length of the log, in pages, at which the next checkpoint begins.
    private nonisolated(unsafe) var due = stride
    /// The length of the log, in pages, when the last checkpoint began.
    private nonisolated(unsafe) var covered = 0

    /// Opens the connection and the log immediately, because later another file may have the same path.
    ///
    /// - Parameter hasConcurrentWriter: Whether checkpoints run while other connections write.
    init(of file: VaultFile, hasConcurrentWriter: Bool) throws(VaultError) {
        self.hasConcurrentWriter = hasConcurrentWriter
        let own = try Connection(to: file, .writing)
        try own.execute("PRAGMA synchronous = NORMAL")
        _ = try own.number("SELECT count(*) FROM sqlite_schema")
        queue = ConnectionQueue(own)
    }

    /// Makes a checkpoint, or begins one in the background, if the log has grown enough.
    ///
    /// Call this method between transactions, on the queue of the writing connection.
    ///
    /// - Parameter connection: The writing connection, which stores the length of the log.
    /// - Returns: Whether the log had grown enough.
    func shortenLog(for connection: Connection) -> Bool {
        let pages = connection.logLength.pages
        // If the log is shorter than at the last checkpoint, SQLite has restarted the log.
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
            // A reader may have prevented a complete copy, so the next attempt waits until the log has grown.
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

    /// Makes a checkpoint and waits for it.
    ///
    /// Pages that cannot be copied now, because of a reader or a disk failure, stay in the log until the next
    /// checkpoint.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    private func checkpoint() -> Bool { (try? queue.sync { own in own.checkpointLog() }) ?? false }

    /// Makes a checkpoint while this process holds the write lock, so that no connection writes.
    ///
    /// Call this method on the queue of the writing connection.
    ///
    /// - Returns: Whether the whole log was copied.
    @discardableResult
    func checkpointExclusively(_ connection: Connection) -> Bool {
        // Beginning a transaction waits for other writers, as for any step. Without the lock, no checkpoint is made.
        defer { connection.rollBack() }
        guard (try? connection.begin()) != nil else { return false }
        return checkpoint()
    }

    /// Closes the connection, after any checkpoint that is still running.
    func close() { queue.close() }
}
