import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

// Notifications between the nodes that share a database, and the division of work among the nodes.
extension PostgresVault: SharedVault {
    package var sharing: (any SharedVault)? { self }
    package var feedEpoch: String? { storage.epoch.value }
    package var connectionUse: (busy: Int, waiting: Int)? { storage.pool.use }

    /// The maximum duration of one wait for notifications; after each wait, the loop checks whether its task was
    /// cancelled.
    private static let patience = Duration.milliseconds(200)
    /// The interval at which the process asks the server whether it would hear a notification.
    ///
    /// A connection to a server that hangs, or whose network was cut, looks like a connection without notifications.
    private static let interval = Duration.seconds(1)
    /// The time limit for the server's answer.
    private static let limit = Duration.seconds(2)
    /// The interval at which tickets of writers that have ended without writing are removed.
    private static let removalInterval = Duration.seconds(5)
    private static let listen = Statement("LISTEN \(NodeNotification.channel)")
    private static let progress = Statement(
        "SELECT number, (SELECT min(place) FROM storekeeper.ticket) FROM storekeeper.head WHERE id = 1")

    package var reportLifetime: Duration? {
        switch changeDetection {
        case .none: nil
        case .polled(let interval): interval + Self.interval + Self.limit
        case .notified: Self.interval + Self.limit
        }
    }

    package func observeWrites(
        _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError) {
        switch changeDetection {
        case .none: while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        case .polled(let interval): try await poll(every: interval, heard)
        case .notified: try await observeNotifications(heard)
        }
    }

    /// Polls for writes, and removes the tickets of writers that have ended without writing.
    private func poll(
        every interval: Duration, _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError) {
        var known: [Int64?]?
        while !Task.isCancelled {
            storage.beginToRemoveAbandonedTickets()
            let start = ContinuousClock.now
            let now: [Int64?] = try await asVault { () async throws(PostgresFailure) in
                try await storage.pool.run { [storage] connection throws(PostgresFailure) in
                    // A pooler may have connected to another server.
                    try storage.epoch.read(on: connection, within: storage.limit)
                    let epoch = storage.epoch.versionFloor
                    return try connection.run(Self.progress, within: storage.limit)
                        .first { row throws(PostgresFailure) in [epoch, try row.int(), try row.optionalInt()] } ?? []
                }
            }
            await heard(known == now ? .nothing : .missed, start)
            known = now
            try? await Task.sleep(for: interval)
        }
    }

    private func observeNotifications(
        _ heard: @Sendable (ExternalWrite, ContinuousClock.Instant) async -> Void
    ) async throws(VaultError) {
        // Notifications need a separate connection, because this connection waits all the time.
        // A server that does not answer it in time is given up, because until then the node does not hear the others.
        let connection = ConnectionThread(settings, setupLimit: Self.limit) {
            [storage] connection throws(PostgresFailure) in
            storage.headers.invalidateWritten()
            try storage.epoch.read(on: connection, within: Self.limit)
        }
        defer { connection.close() }
        var lastRemoval = ContinuousClock.now
        // The writes that were acknowledged before this instant were reported.
        var known = lastRemoval
        try await asVault { () async throws(PostgresFailure) in
            try await connection.run { connection throws(PostgresFailure) in
                try connection.listen(Self.listen, within: Self.limit)
            }
        }
        await heard(.missed, known)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            if now - lastRemoval >= Self.removalInterval {
                storage.beginToRemoveAbandonedTickets()
                lastRemoval = now
            }
            let texts: [String]
            do throws(PostgresFailure) {
                // Many notifications that wait to be read do not make this connection unusable.
                if now - known >= Self.interval {
                    // The server sends the notifications of all earlier commits before its answer.
                    texts = try await connection.runAnew { [storage] connection throws(PostgresFailure) in
                        try storage.epoch.read(on: connection, within: Self.limit)
                        return try connection.notifications(within: .zero).map(\.payload)
                    }
                    known = now
                } else {
                    texts = try await connection.runAnew { connection throws(PostgresFailure) in
                        try connection.notifications(within: Self.patience).map(\.payload)
                    }
                }
            } catch {
                return
            }
            await heard(Self.report(texts, to: storage.node), known)
        }
    }

    /// Returns what notifications report to a node.
    private static func report(_ texts: [String], to node: [UInt8]) -> ExternalWrite {
        let told = texts.map { NodeNotification($0) }
        if told.contains(nil) { return .missed }
        let others = told.compactMap { $0 }.filter { $0.node != node }
        let customers = others.reduce(into: Set()) { $0.formUnion($1.customers) }
        return others.isEmpty ? .nothing : .written { customers.contains(RowID.of($0)) }
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
