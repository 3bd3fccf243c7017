import Storekeeper
import StorekeeperDurable

/// Places of the feed that a step may give to its rows, taken before it knows how many it needs.
///
/// Places are to become visible in their order, or a reader who goes on from one misses what comes late before it. A row
/// of `ticket` says which places somebody may still write: it is committed by itself, in the round trip that begins the
/// step, and goes away in the commit of the step, with the rows. So whoever sees a row sees the tickets before it that
/// are not given back, and readers of the feed of all stop before the first of them. Nobody who writes waits for
/// anybody's places.
///
/// A ticket whose owner is gone is taken away by others. Should the owner come back, its commit misses the ticket, and
/// fails.
struct FeedTicket: Sendable {
    /// The first of its places.
    let place: Int64
    /// How many there are.
    let count: Int64
    /// The server's process in whose transaction they are used.
    let backend: Int64

    /// How many places a ticket has at least.
    static let leastCount: Int64 = 4_096
    /// After how many milliseconds a ticket is taken away although its owner seems to be there.
    private static let patience: Int64 = 60_000

    /// Whether rows of a step may have places of it: they are enough, and behind all that those have whom it is about.
    func serves(_ count: Int64, after last: Int64) -> Bool { count <= self.count && last < place }

    // MARK: Statements

    /// A process of the server serves one step at a time: tickets that it has yet are of one that has ended otherwise.
    private static let take = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() AND $2::bigint IS NULL), taken AS (
          UPDATE storekeeper.feed SET next = next + $1 WHERE id = 1 RETURNING next - $1 AS place
        )
        INSERT INTO storekeeper.ticket(place, taken, backend)
        SELECT place, clock_timestamp(), coalesce($2, pg_backend_pid()) FROM taken
        WHERE set_config('synchronous_commit', 'off', true) <> '' RETURNING place, backend
        """)
    /// Whoever was kept waiting for long is told.
    private static let giveBack = Statement(
        """
        WITH back AS (DELETE FROM storekeeper.ticket WHERE backend = pg_backend_pid() RETURNING taken)
        SELECT pg_notify('\(NodeNews.channel)', $1) FROM back
        WHERE set_config('synchronous_commit', 'off', true) <> '' AND taken < clock_timestamp() - interval '1 second'
        """)
    /// A process that is not there any more writes nothing; the numbers of those of a server that was started anew mean
    /// others.
    private static let takeAway = Statement(
        """
        WITH gone AS (
          SELECT place FROM storekeeper.ticket t WHERE taken < clock_timestamp() - $1 * interval '1 millisecond'
            OR taken < pg_postmaster_start_time()
            OR NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = t.backend)
          FOR UPDATE SKIP LOCKED
        ), away AS (DELETE FROM storekeeper.ticket t USING gone WHERE t.place = gone.place RETURNING 1)
        SELECT pg_notify('\(NodeNews.channel)', $2) FROM away LIMIT 1
        """)
    /// Ends a transaction about tickets, of which nobody needs to know whether it did.
    private static let end = Statement("END")
    /// Where readers of the feed of all stop.
    static let lowest = "(SELECT coalesce(min(place), 9223372036854775807) FROM storekeeper.ticket)"

    /// Takes a ticket in a transaction of its own.
    ///
    /// Nobody waits for it to be on the disk: what is written under it comes later in the log.
    ///
    /// - Parameter backend: Who will use it; `nil`: who takes it, and has no other.
    static func takeCalls(_ count: Int64, for backend: Int64? = nil) -> [Call] {
        [Call(.begin), Call(take, [.int(count), .int(backend)]), Call(end)]
    }

    /// Which of the answers to these is the ticket.
    static let takeIndex = 1

    /// Reads a ticket that was taken.
    init(_ answer: ResultTable, count: Int64) throws(PostgresFailure) {
        let row = try answer.first { row throws(PostgresFailure) in (place: try row.int(), backend: try row.int()) }
        guard let row else { throw .damaged("the row of the feed is not there") }
        (place, backend, self.count) = (row.place, row.backend, count)
    }

    /// Gives back what a connection has taken and not used.
    static let giveBackCalls = [Call(.begin), Call(giveBack, [.text(NodeNews.ofNobody)]), Call(end)]

    /// Takes tickets away whose owners are gone, and tells all nodes.
    static let takeAwayCalls = [Call(.begin), Call(takeAway, [.int(patience), .text(NodeNews.ofNobody)]), Call(end)]
}
