import Storekeeper
import StorekeeperDurable

/// A reservation of places in the feed, which is made before the step has computed how many places it needs.
///
/// Rows must become visible in the order of their places. Otherwise a reader that has already passed a place would miss
/// a row that is committed later with an earlier place. Therefore a row of the table `ticket` records the places that a
/// step may still write. The ticket is committed separately, in the round trip that begins the step. The step's own
/// transaction writes the rows and deletes the ticket. Thus a reader that sees a row of the feed also sees all open
/// tickets with earlier places. Readers of the whole feed stop before the first open ticket. Writers do not wait for
/// the places of other writers.
///
/// Other nodes remove a ticket whose owner no longer exists. If the owner still exists, its commit fails because the
/// ticket is missing.
struct FeedTicket: Sendable {
    /// The first reserved place.
    let place: Int64
    /// The number of reserved places.
    let count: Int64
    /// The process id of the server process (backend) that runs the step's transaction.
    let backend: Int64

    /// The minimum number of places of a ticket.
    static let leastCount: Int64 = 4_096
    /// The age in milliseconds after which a ticket is removed, even if the server process that owns it seems to exist.
    private static let patience: Int64 = 60_000

    /// Returns whether the rows of a step can use the places of the ticket.
    ///
    /// The ticket must have enough places, and its places must follow the places of all rows of the step's customers.
    func covers(_ count: Int64, after last: Int64) -> Bool { count <= self.count && last < place }

    // MARK: Statements

    /// Creates a ticket.
    ///
    /// If a backend creates a ticket for itself, its earlier tickets are deleted. A backend runs only one step at a
    /// time, so the earlier tickets belong to a step that has failed.
    private static let take = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() AND $2::bigint IS NULL), taken AS (
          UPDATE storekeeper.feed SET next = next + $1 WHERE id = 1 RETURNING next - $1 AS place
        )
        INSERT INTO storekeeper.ticket(place, taken, backend)
        SELECT place, clock_timestamp(), coalesce($2, pg_backend_pid()) FROM taken
        WHERE set_config('synchronous_commit', 'off', true) <> '' RETURNING place, backend
        """)
    /// Deletes unused tickets.
    ///
    /// Readers are notified only if a ticket is older than one second, because readers still wait for younger tickets
    /// and need no notification.
    private static let releaseTicket = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() RETURNING taken)
        SELECT pg_notify('\(NodeNotification.channel)', $1) FROM back
        WHERE set_config('synchronous_commit', 'off', true) <> '' AND taken < clock_timestamp() - interval '1 second'
        """)
    /// Deletes the tickets of server processes that no longer exist.
    ///
    /// A ticket from before the last start of the server is also deleted, because process ids are reused after a
    /// restart.
    private static let removeTicket = Statement(
        """
        WITH gone AS (
          SELECT place FROM storekeeper.ticket t WHERE taken < clock_timestamp() - $1 * interval '1 millisecond'
            OR taken < pg_postmaster_start_time()
            OR NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = t.backend)
          FOR UPDATE SKIP LOCKED
        ), away AS (DELETE FROM storekeeper.ticket t USING gone WHERE t.place = gone.place RETURNING 1)
        SELECT pg_notify('\(NodeNotification.channel)', $2) FROM away LIMIT 1
        """)
    /// Commits a transaction that creates or deletes only tickets.
    ///
    /// The statement is not declared as a commit, because a ticket that may or may not exist does no harm.
    private static let end = Statement("END")
    /// The SQL text for the first place of all open tickets; readers of the whole feed stop before this place.
    static let lowest = "(SELECT coalesce(min(place), 9223372036854775807) FROM storekeeper.ticket)"

    /// Returns the statements that create a ticket in a separate transaction.
    ///
    /// The commit of the ticket does not wait for the disk, because rows that use the ticket are later in the
    /// write-ahead log.
    ///
    /// - Parameter backend: The server process (backend) that will use the ticket; `nil` for the server process that
    ///   runs these statements.
    static func takeCalls(_ count: Int64, for backend: Int64? = nil) -> [Call] {
        [Call(.begin), Call(take, [.int(count), .int(backend)]), Call(end)]
    }

    /// The index of the result with the ticket among the results of ``takeCalls(_:for:)``.
    static let takeIndex = 1

    /// Reads a ticket from the result of ``takeCalls(_:for:)``.
    init(_ answer: ResultTable, count: Int64) throws(PostgresFailure) {
        let row = try answer.first { row throws(PostgresFailure) in (place: try row.int(), backend: try row.int()) }
        guard let row else { throw .damaged("the row of the feed is missing") }
        (place, backend, self.count) = (row.place, row.backend, count)
    }

    /// The statements that delete the unused tickets of a connection.
    static let releaseCalls = [Call(.begin), Call(releaseTicket, [.text(NodeNotification.withoutCustomer)]), Call(end)]

    /// The statements that delete tickets whose owners no longer exist, and notify all nodes.
    static let removeCalls = [
        Call(.begin), Call(removeTicket, [.int(patience), .text(NodeNotification.withoutCustomer)]), Call(end),
    ]
}
