/// The pool's interface for receivers of notifications.
extension StorePool {
    /// The vault of the pool.
    package nonisolated var vault: any Vault { parts.vault }

    /// Signals that something was written to the vault.
    package nonisolated var written: ChangeSignal { parts.work.written }

    /// The lease by which processes over the vault divide work; `nil` if only one process uses it.
    package nonisolated var wakeLease: WakeLease? { parts.lease }

    /// The clock of the pool.
    package nonisolated var clock: any StoreClock { parts.clock }

    /// Takes in verified facts for their owners, and the notifications that carried them.
    ///
    /// When the call returns, everything is durable. The notifications are recorded in the last step, so that all facts
    /// of a recorded one are written.
    ///
    /// - Parameters:
    ///   - facts: The verified facts.
    ///   - notifications: The notifications that are completed, by UUID.
    /// - Returns: The result for the facts.
    /// - Throws: ``VaultError`` if they could not be written; the call must then be repeated.
    package nonisolated func receive(
        _ facts: [VerifiedFact], ofNotifications notifications: [ServerNotification.ID]
    ) async throws(VaultError) -> IngestReport {
        var presented = VerificationBatch()
        presented.facts = facts
        presented.notifications = notifications
        return try await StoreService(parts, concurrency: 1).distribute(presented, self)
    }
}
