/// What receivers of notifications ask of a pool.
extension StorePool {
    /// Where the pool writes.
    package nonisolated var vault: any Vault { parts.vault }

    /// The pool's time.
    package nonisolated var clock: any StoreClock { parts.clock }

    /// Takes in facts that were verified, for whomever they belong to, and the notifications that carried them.
    ///
    /// When the call returns, all of it is durable: the notifications are written in the last step, so that one that
    /// counts as seen has left nothing behind.
    ///
    /// - Parameters:
    ///   - facts: What was believed.
    ///   - notifications: The notifications that are done with by it, by UUID.
    /// - Returns: What became of the facts.
    /// - Throws: ``VaultError`` where it could not be written; then it is to be handed over again.
    package nonisolated func receive(
        _ facts: [VerifiedFact], ofNotifications notifications: [ServerNotification.ID]
    ) async throws(VaultError) -> IntakeReport {
        var presented = PresentedEvidence()
        presented.facts = facts
        presented.notifications = notifications
        return try await StoreService(parts, concurrency: 1).distribute(presented, self)
    }
}
