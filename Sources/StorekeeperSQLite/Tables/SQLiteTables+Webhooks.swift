package import Storekeeper

extension SQLiteTables {
    private static let counts = Statement(
        """
        SELECT (SELECT count(*) FROM (SELECT 1 FROM webhook_queue WHERE webhook = ?1 LIMIT ?2)),
          (SELECT count(*) FROM (SELECT 1 FROM webhook_queue WHERE webhook = ?1 AND failures > 0 LIMIT ?2)),
          (SELECT min(failing) FROM webhook_queue WHERE webhook = ?1),
          (SELECT count(*) FROM (SELECT 1 FROM webhook_parked WHERE webhook = ?1 LIMIT ?2))
        """)

    /// Returns summaries of the webhooks, by name.
    package func webhookSummaries() throws(VaultError) -> [WebhookSummary] {
        var summaries: [WebhookSummary] = []
        for row in try all(of: WebhookRow.self) {
            let summary = try connection.first(Self.counts) {
                $0.text(row.name)
                $0.int(WebhookSummary.countLimit)
            } _: { counts in
                WebhookSummary(
                    name: row.name, state: row.state, waiting: Int(clamping: counts.int()),
                    failing: Int(clamping: counts.int()), failingSince: counts.optionalInstant(),
                    parked: Int(clamping: counts.int()))
            }
            if let summary { summaries.append(summary) }
        }
        return summaries
    }
}
