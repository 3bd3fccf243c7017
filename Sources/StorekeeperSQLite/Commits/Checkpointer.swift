import Dispatch
import GRDBSQLite
import Storekeeper
import Synchronization

/// Takes what the log has gathered into the file, on a connection of its own beside the one that writes.
///
/// Left to itself SQLite does so inside every so many commits. A pass never waits for those who read: what they hold
/// up stays in the log for the next pass.
///
/// SQLite up to 3.51.2 can lose commits where a pass meets another connection, of this process or another, that starts
/// the log over at the same instant: the pass then marks as taken what it never took. There every pass is made while
/// this process holds the lock of those who write, so that nobody can start the log over. From 3.51.3 on, and in
/// 3.50.7 and 3.44.6, passes are made beside the writer. Beside a writer no pass comes to the end of the log, and only
/// from its end does the log start over. So a log that has grown long is followed pass by pass until little is left,
/// and for that the writer waits.
///
/// - SeeAlso: SQLite, "Write-Ahead Logging", sections 3.1, "Automatic Checkpoint", and 11, "The WAL-Reset Bug".
final class Checkpointer: Sendable {
    /// How many pages the log grows by from one pass to the next.
    static let stride = 2_000
    /// From how many pages on a log is long.
    private static let long = 8_000
    /// How many pages are little.
    static let little = 500
    /// From how many pages on the writer waits for any pass: then the disk cannot keep up.
    private static let limit = 64_000

    /// Whether this SQLite keeps apart passes and those who start the log over.
    static func isSafeBesideWriters(_ version: CInt) -> Bool {
        switch version {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: true
        default: version >= 3_051_003
        }
    }

    private let lane = DispatchQueue(label: "Storekeeper.checkpoints")
    private let own: PlainConnection
    private let isBesideWriter: Bool
    private let isPassing = Atomic(false)
    // These are safe though unchecked: touched on the queue of the connection that writes only.
    /// At how many pages the next pass begins.
    private nonisolated(unsafe) var due = stride
    /// How many pages there were when the last pass began.
    private nonisolated(unsafe) var covered = 0

    /// Opens the connection, and the log with it: later there may be another file in the place of this one.
    ///
    /// - Parameter isBesideWriter: Whether passes are made while others write.
    init(of file: VaultFile, isBesideWriter: Bool) throws(VaultError) {
        self.isBesideWriter = isBesideWriter
        own = try PlainConnection(file, mayWrite: true)
        try own.run("PRAGMA synchronous = NORMAL")
        _ = try own.number("SELECT count(*) FROM sqlite_schema")
    }

    /// Makes a pass if the log has grown enough; called between transactions, on the queue of the connection that
    /// writes.
    ///
    /// - Parameter connection: The connection that writes, which knows how long the log is.
    /// - Returns: Whether it had.
    func shortenLog(for connection: Connection) -> Bool {
        let pages = connection.logLength.pages
        // The log has started over.
        if pages < covered { (due, covered) = (Self.stride, 0) }
        guard pages >= due else { return false }
        guard isBesideWriter else {
            covered = pages
            due = pages + Self.stride
            checkpointExclusively(connection)
            return true
        }
        guard !isPassing.load(ordering: .acquiring) || pages >= Self.limit else { return false }
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
        return true
    }

    /// What cannot be taken over now, because somebody still reads from the log or the disk fails, stays in the log
    /// for the next pass.
    private func pass() { own.checkpointLog() }

    /// Makes a pass while nobody writes, in this process or another; called on the queue of the connection that writes.
    ///
    /// - Returns: Whether all of the log was taken in.
    @discardableResult
    func checkpointExclusively(_ connection: Connection) -> Bool {
        // Those who write are waited for as for any step; without the lock nothing is done.
        guard (try? connection.begin()) != nil else { return false }
        defer { connection.rollBack() }
        return lane.sync { own.checkpointLog() }
    }

    /// Closes the connection after the pass that runs.
    func close() {
        lane.sync { own.close() }
    }
}
