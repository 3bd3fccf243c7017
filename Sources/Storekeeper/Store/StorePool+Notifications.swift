import Synchronization

/// The pool's interface for receivers of notifications.
extension StorePool {
    /// The vault of the pool.
    package nonisolated var vault: any TransactionalVault { parts.vault }

    /// The signal that is sent when data was written to the vault.
    package nonisolated var written: ChangeSignal { parts.work.written }

    /// Since when the vault has reported the writes of other processes without interruption; `nil` while it does not.
    package nonisolated var subscribedSince: Instant? { parts.work.reports.withLock { $0.since } }

    /// How long ago the stores in memory last contained all writes of other processes, if that is longer than the vault
    /// permits; `nil` if the stores can be trusted.
    ///
    /// Meanwhile, the pool reads a customer's version from the vault before it lends the customer's store.
    package nonisolated var excessiveAge: Duration? { parts.excessiveAge }

    /// The lease by which the processes that use the vault divide work; `nil` if only one process uses the vault.
    package nonisolated var wakeLease: WakeLease? { parts.lease }

    /// The clock of the pool.
    package nonisolated var clock: any StoreClock { parts.clock }

    /// Stores verified facts for their owners, and records the notifications that contained these facts.
    ///
    /// When the call returns, everything is durable. The notifications are recorded in the last write, so that all
    /// facts of a recorded notification are stored.
    ///
    /// - Parameters:
    ///   - facts: The verified facts.
    ///   - notifications: The UUIDs of the notifications whose facts are all stored once these facts are stored.
    /// - Returns: The result for the facts.
    /// - Throws: ``VaultError`` if the facts or the notifications could not be written; the call must then be repeated.
    package nonisolated func receive(
        _ facts: [VerifiedFact], ofNotifications notifications: [ServerNotification.ID]
    ) async throws(VaultError) -> IngestReport {
        var presented = VerificationBatch()
        presented.facts = facts
        presented.notifications = notifications
        return try await StoreService(parts, concurrency: 1).distribute(presented, self)
    }
}
