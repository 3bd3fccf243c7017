import Storekeeper
import StorekeeperDurable

/// A reservation of places in the feed, made before a step knows how many it needs.
///
/// Places must become visible in order; otherwise a reader that continues from a place misses rows with earlier places
/// that are committed later. A row of `ticket` marks places that a step may still write. It is committed separately, in
/// the round trip that begins the step, and deleted in the commit of the step, together with the rows. A reader that
/// sees a row therefore sees the open tickets before it, and readers of the whole feed stop before the first of them.
/// No writer waits for another's places.
///
/// Other nodes remove a ticket whose owner is gone. If the owner comes back, its commit misses the ticket and fails.
struct FeedTicket: Sendable {
    /// The first place.
    let place: Int64
    /// The number of places.
    let count: Int64
    /// The process id of the server's backend in whose transaction the places are used.
    let backend: Int64

    /// The minimum number of places of a ticket.
    static let leastCount: Int64 = 4_096
    /// The age in milliseconds after which a ticket is removed although its owner seems to exist.
    private static let patience: Int64 = 60_000

    /// Returns whether the rows of a step can use its places: there are enough, and they come after all rows of the
    /// step's customers.
    func covers(_ count: Int64, after last: Int64) -> Bool { count <= self.count && last < place }

    // MARK: Statements

    /// A backend serves one step at a time: its other tickets remain from a step that has failed.
    private static let take = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() AND $2::bigint IS NULL), taken AS (
          UPDATE storekeeper.feed SET next = next + $1 WHERE id = 1 RETURNING next - $1 AS place
        )
        INSERT INTO storekeeper.ticket(place, taken, backend)
        SELECT place, clock_timestamp(), coalesce($2, pg_backend_pid()) FROM taken
        WHERE set_config('synchronous_commit', 'off', true) <> '' RETURNING place, backend
        """)
    /// Notifies readers that have waited long.
    private static let releaseTicket = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() RETURNING taken)
        SELECT pg_notify('\(NodeNotification.channel)', $1) FROM back
        WHERE set_config('synchronous_commit', 'off', true) <> '' AND taken < clock_timestamp() - interval '1 second'
        """)
    /// A backend that no longer exists writes nothing; after a restart of the server, process ids are reused.
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
    /// Ends a transaction about tickets, whose result does not matter.
    private static let end = Statement("END")
    /// The place at which readers of the whole feed stop.
    static let lowest = "(SELECT coalesce(min(place), 9223372036854775807) FROM storekeeper.ticket)"

    /// Returns the statements that take a ticket in a separate transaction.
    ///
    /// The ticket need not be on disk: rows that use it come later in the log.
    ///
    /// - Parameter backend: The server process (backend) that will use the ticket; `nil` for the process that takes it.
    static func takeCalls(_ count: Int64, for backend: Int64? = nil) -> [Call] {
        [Call(.begin), Call(take, [.int(count), .int(backend)]), Call(end)]
    }

    /// The index of the ticket's result among those of ``takeCalls(_:for:)``.
    static let takeIndex = 1

    /// Reads a ticket from the result.
    init(_ answer: ResultTable, count: Int64) throws(PostgresFailure) {
        let row = try answer.first { row throws(PostgresFailure) in (place: try row.int(), backend: try row.int()) }
        guard let row else { throw .damaged("the row of the feed is missing") }
        (place, backend, self.count) = (row.place, row.backend, count)
    }

    /// Returns the unused tickets of a connection.
    static let releaseCalls = [Call(.begin), Call(releaseTicket, [.text(NodeNotification.withoutCustomer)]), Call(end)]

    /// Removes tickets whose owners are gone, and notifies all nodes.
    static let removeCalls = [
        Call(.begin), Call(removeTicket, [.int(patience), .text(NodeNotification.withoutCustomer)]), Call(end),
    ]
}
