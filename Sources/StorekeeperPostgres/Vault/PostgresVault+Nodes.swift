import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

// What the nodes over one database tell each other, and how they divide what only one is to do.
extension PostgresVault: SharedVault {
    /// How long a question for news goes on before it is looked whether somebody still wants any.
    private static let patience = Duration.milliseconds(200)
    private static let listen = Statement("LISTEN \(NodeNews.channel)")
    private static let nextPlace = Statement("SELECT next FROM storekeeper.feed WHERE id = 1")

    package func hear(_ heard: @Sendable (VaultNews) async -> Void) async throws(VaultError) {
        switch news {
        case .none: while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        case .polled(let interval): try await poll(every: interval, heard)
        case .notified: try await hearNotifications(heard)
        }
    }

    /// Looks again and again whether a place of the feed was taken.
    private func poll(
        every interval: Duration, _ heard: @Sendable (VaultNews) async -> Void
    ) async throws(VaultError) {
        var known: Int64?
        while !Task.isCancelled {
            let place = try await storage.list(Self.nextPlace, []) { row throws(PostgresFailure) in try row.int() }
                .first
            if known != place { await heard(.missed) }
            known = place
            try? await Task.sleep(for: interval)
        }
    }

    private func hearNotifications(_ heard: @Sendable (VaultNews) async -> Void) async throws(VaultError) {
        // One of its own: it waits all the time.
        let connection = ConnectionThread(settings)
        defer { connection.close() }
        let (limit, patience) = (storage.limit, Self.patience)
        try await asVault { () async throws(PostgresFailure) in
            try await connection.run { connection throws(PostgresFailure) in
                try connection.listen(Self.listen, within: limit)
            }
        }
        await heard(.missed)
        while !Task.isCancelled {
            let texts: [String]
            do throws(PostgresFailure) {
                texts = try await connection.run { connection throws(PostgresFailure) in
                    try connection.notifications(within: patience).map(\.payload)
                }
            } catch {
                return
            }
            let told = texts.map { NodeNews($0) }
            guard !told.contains(nil) else {
                await heard(.missed)
                continue
            }
            let customers = told.compactMap { $0 }.filter { $0.node != storage.node }
                .reduce(into: Set()) { $0.formUnion($1.customers) }
            if !customers.isEmpty { await heard(.written { customers.contains(RowID.of($0)) }) }
        }
    }

    package func leaseDeliveries(
        of customer: CustomerID, _ lease: WakeLease, at now: Instant
    ) async throws(VaultError) -> Instant? {
        try await storage.leaseDeliveries(of: customer, lease, at: now)
    }

    package func endDeliveries(of customer: CustomerID, _ lease: WakeLease) async throws(VaultError) {
        try await storage.endDeliveries(of: customer, lease)
    }
}
