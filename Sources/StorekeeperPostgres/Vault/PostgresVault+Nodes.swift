import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

// Notifications between the nodes that share a database, and the division of work among the nodes.
extension PostgresVault: SharedVault {
    package var sharing: (any SharedVault)? { self }
    package var connectionUse: (busy: Int, waiting: Int)? { storage.pool.use }

    /// The maximum duration of one wait for notifications; after each wait, the loop checks whether its task was
    /// cancelled.
    private static let patience = Duration.milliseconds(200)
    private static let listen = Statement("LISTEN \(NodeNotification.channel)")
    /// The number of waits for notifications between two checks for abandoned tickets.
    private static let turns = 25
    private static let progress = Statement(
        "SELECT number, (SELECT min(place) FROM storekeeper.ticket) FROM storekeeper.head WHERE id = 1")

    package func observeWrites(_ heard: @Sendable (ExternalWrite) async -> Void) async throws(VaultError) {
        switch changeDetection {
        case .none: while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        case .polled(let interval): try await poll(every: interval, heard)
        case .notified: try await observeNotifications(heard)
        }
    }

    /// Polls for writes, and removes the tickets of writers that have ended without writing.
    private func poll(
        every interval: Duration, _ heard: @Sendable (ExternalWrite) async -> Void
    ) async throws(VaultError) {
        var known: [Int64?] = []
        while !Task.isCancelled {
            await storage.removeAbandonedTickets()
            let now =
                try await storage.list(Self.progress, []) { row throws(PostgresFailure) in
                    [try row.int(), try row.optionalInt()]
                }.first ?? []
            if known != now { await heard(.missed) }
            known = now
            try? await Task.sleep(for: interval)
        }
    }

    private func observeNotifications(_ heard: @Sendable (ExternalWrite) async -> Void) async throws(VaultError) {
        // Notifications need a separate connection, because this connection waits all the time.
        let connection = ConnectionThread(settings)
        defer { connection.close() }
        let (limit, patience) = (storage.limit, Self.patience)
        try await asVault { () async throws(PostgresFailure) in
            try await connection.run { connection throws(PostgresFailure) in
                try connection.listen(Self.listen, within: limit)
            }
        }
        await heard(.missed)
        for turn in 1... {
            if Task.isCancelled { break }
            if turn.isMultiple(of: Self.turns) { await storage.removeAbandonedTickets() }
            let texts: [String]
            do throws(PostgresFailure) {
                texts = try await connection.run { connection throws(PostgresFailure) in
                    try connection.notifications(within: patience).map(\.payload)
                }
            } catch {
                return
            }
            let told = texts.map { NodeNotification($0) }
            guard !told.contains(nil) else {
                await heard(.missed)
                continue
            }
            let others = told.compactMap { $0 }.filter { $0.node != storage.node }
            let customers = others.reduce(into: Set()) { $0.formUnion($1.customers) }
            if !others.isEmpty { await heard(.written { customers.contains(RowID.of($0)) }) }
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
