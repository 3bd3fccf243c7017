import Storekeeper

// Lists of what happened to all, which end before the first place that somebody may still write.
extension PostgresStorage {
    /// For how long a list waits for the tickets that there are.
    private static let patience = Duration.seconds(1)
    private static let tickets = Statement("SELECT place FROM storekeeper.ticket ORDER BY place")

    /// Lists what follows on a place, and waits for those who were about to write when it began.
    ///
    /// So whoever has written before asks, and finds what they wrote. Of who writes longer than that, and whatever was
    /// written behind them meanwhile, a later list tells.
    func feed<Row: Sendable>(
        limit count: Int, _ page: () async throws(VaultError) -> [Row]
    ) async throws(VaultError) -> [Row] {
        // Asked before the rows: who writes from now on has places behind all that is there.
        guard let last = try await openTickets().last else { return try await page() }
        let end = ContinuousClock.now + Self.patience
        var wait = Duration.milliseconds(1)
        while true {
            let isLast = ContinuousClock.now >= end
            if isLast { await takeTicketsAway() }
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

    /// Takes tickets away whose owners are gone; whoever may not write leaves it to others.
    func takeTicketsAway() async {
        let limit = limit
        _ = try? await pool.run { connection throws(PostgresFailure) in
            _ = try connection.run(FeedTicket.takeAwayCalls, within: limit)
        }
    }
}
