import Storekeeper
import Synchronization

// The feeds about all customers. A feed ends before the first place of an open ticket, because rows with the places of
// the ticket may still be written.
extension PostgresStorage {
    /// The maximum time that a reader of a feed waits for open tickets.
    private static let patience = Duration.seconds(1)
    private static let tickets = Statement("SELECT place FROM storekeeper.ticket ORDER BY place")

    /// Reads a page of a feed, and waits for the tickets that were open when the call began.
    ///
    /// Therefore a caller finds all rows that were written before its call. If a ticket stays open longer than
    /// ``patience``, its rows and all later rows are returned by a later call.
    func readFeed<Row: Sendable>(
        limit count: Int, _ page: () async throws(VaultError) -> [Row]
    ) async throws(VaultError) -> [Row] {
        // Tickets that are opened after this read do not matter, because their places follow the places of all existing
        // rows.
        guard let last = try await openTickets().last else { return try await page() }
        let end = ContinuousClock.now + Self.patience
        var wait = Duration.milliseconds(1)
        while true {
            let isLast = ContinuousClock.now >= end
            if isLast { await removeAbandonedTickets() }
            let first = try await openTickets().first
            let rows = try await page()
            if rows.count >= count || (first ?? .max) > last || isLast { return rows }
            do { try await Task.sleep(for: wait) } catch { return rows }
            wait = min(wait * 2, .milliseconds(50))
        }
    }

    private func openTickets() async throws(VaultError) -> [Int64] {
        try await list(Self.tickets, []) { row throws(PostgresFailure) in try row.int() }
    }

    /// Begins to remove tickets whose owners no longer exist, and returns without waiting, because all connections may be
    /// in use.
    func beginToRemoveAbandonedTickets() {
        guard !isRemovingTickets.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task {
            await removeAbandonedTickets()
            isRemovingTickets.store(false, ordering: .releasing)
        }
    }

    /// Removes tickets whose owners no longer exist.
    ///
    /// Errors are ignored, because a database user without write permission cannot remove tickets, and other nodes will
    /// remove these tickets.
    func removeAbandonedTickets() async {
        let limit = limit
        _ = try? await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(FeedTicket.removeCalls, within: limit)
        }
    }
}
