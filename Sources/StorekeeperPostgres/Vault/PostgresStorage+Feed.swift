import Storekeeper

// Feeds of all customers; they end before the first place that an open ticket may still use.
extension PostgresStorage {
    /// How long a feed waits for the open tickets.
    private static let patience = Duration.seconds(1)
    private static let tickets = Statement("SELECT place FROM storekeeper.ticket ORDER BY place")

    /// Reads the rows after a place, and waits for the tickets that were open when it began.
    ///
    /// A caller therefore finds everything written before its call. If a ticket stays open longer, its rows and those
    /// after it appear in a later call.
    func readFeed<Row: Sendable>(
        limit count: Int, _ page: () async throws(VaultError) -> [Row]
    ) async throws(VaultError) -> [Row] {
        // Read before the rows: later writers get places after all present rows.
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

    /// Removes tickets whose owners are gone; a user without write permission leaves that to others.
    func removeAbandonedTickets() async {
        let limit = limit
        _ = try? await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(FeedTicket.removeCalls, within: limit)
        }
    }
}
