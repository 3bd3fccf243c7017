import Synchronization

/// The epoch of the feed: the timeline of the server's write-ahead log.
///
/// If a standby that lacks the last commits is promoted, the places of the lost rows are assigned again. A promotion
/// always begins another timeline. The epoch is therefore read on each new connection, before the connection reads any
/// row. The versions of customers follow from it, too: see ``versionFloor``.
final class FeedEpoch: Sendable {
    private let known = Mutex<String?>(nil)

    /// The timeline as eight hexadecimal digits; `nil` if the server does not report it.
    var value: String? { known.withLock { $0 } }

    /// The number below which no customer's version lies in this epoch.
    ///
    /// If a standby that lacks the last commits is promoted, the versions of the lost commits are assigned again. A store
    /// that still has the lost data would mistake the new data for its own.
    var versionFloor: Int64 {
        let timeline = value.flatMap { UInt32($0, radix: 16) } ?? 1
        return Int64(max(timeline, 1) - 1) << 30
    }

    /// The first eight digits of a segment's name are the timeline.
    ///
    /// The control file shows the previous timeline until the first checkpoint after a promotion. On a standby, the
    /// functions are not available.
    private static let timeline = Statement(
        """
        SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE lower(left(pg_walfile_name(pg_current_wal_lsn()), 8)) END
        """)

    /// Reads the epoch from the server of a connection.
    func read(on connection: Connection, within limit: Duration) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            let found: String? =
                try connection.run(Self.timeline, within: limit)
                .first { row throws(PostgresFailure) in try row.optionalText() } ?? nil
            if let found { known.withLock { $0 = found } }
        } catch {
            // Other database engines have no such functions.
            guard error.kind == .rejected else { throw error }
        }
    }
}
