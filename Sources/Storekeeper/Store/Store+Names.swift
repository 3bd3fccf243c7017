/// Members for `StorekeeperKit`, which offers a store with StoreKit's own names.
extension Store {
    /// The clock of the store.
    package nonisolated var clock: any StoreClock { parts.clock }

    /// The verifier of the store.
    package nonisolated var verifier: any TransactionVerifier { parts.verifier }

    /// The transactions whose delivery is outstanding, oldest first.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    package var unfinishedTransactions: [Transaction] {
        get async throws(VaultError) {
            let state = try await stateAfterPendingWork()
            let keys = state.unfinished.lazy.filter { $0.state == .owed }.map(\.key)
            let facts = state.facts(keys)
            return keys.compactMap { facts[$0]?.transaction }
        }
    }

    /// Delivers a transaction if its delivery is outstanding, and finishes the transaction.
    ///
    /// - Returns: Whether the app's content is delivered; true if no delivery is outstanding.
    package func completeDelivery(of key: TransactionKey) async -> Bool {
        // Another task may have begun the delivery. If that delivery fails, this task makes the delivery.
        await awaitDelivery(of: key)
        await deliver([key])
        return progress(of: key) != .owed
    }
}
