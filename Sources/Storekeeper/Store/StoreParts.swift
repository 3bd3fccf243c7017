/// What a store works with.
struct StoreParts: Sendable {
    /// What the app sells, and how the store is to behave.
    var configuration: StoreConfiguration
    let vault: any Vault
    let verifier: any TransactionVerifier
    let backend: (any StoreBackend)?
    let clock: any StoreClock
    /// Hands out the goods.
    let handler: Store.DeliveryHandler?
    /// As which node work is divided with others over the same vault; `nil`: there are no others.
    var lease: WakeLease?
    /// Is told what goes wrong.
    let listener: @Sendable (StoreReport) -> Void
    /// What is to be done by whoever runs the store; shared by the stores of a pool.
    let work = StoreWork()

    /// By what nodes divide who hands out goods.
    struct Division: Sendable {
        let vault: any SharedVault
        let lease: WakeLease
    }

    /// The vault that divides among nodes who hands out goods, and this node's lease; `nil` where none does.
    var division: Division? {
        guard let lease, let vault = vault.features.vault.sharing else { return nil }
        return Division(vault: vault, lease: lease)
    }

    /// Tells the App Store, where there is one, that the goods of a transaction are handed out.
    ///
    /// - Returns: Whether that is done with; otherwise it is to be told again.
    func finish(_ item: OutboxItem) async -> Bool {
        guard let backend else { return true }
        let grant = DurableGrant(item)
        do {
            try await clock.within(configuration.callDeadline) { try await backend.finish(grant) }
            return true
        } catch let refusal as FinishRefusal {
            // The goods are handed out, and nobody else waits for it: to ask for ever would help no one.
            report(.finishRefused(item.key, refusal.reason))
            return true
        } catch {
            report(.finishFailed(item.key, error))
            return false
        }
    }

    func report(_ problem: StoreReport.Problem) { listener(StoreReport(at: clock.now, problem)) }
}

/// What is to be done for customers, and what tells those who do it.
final class StoreWork: Sendable {
    /// Tells those who listen, and the loop that watches the time, that something was written.
    let written = ChangeSignal()
    /// Customers who are owed deliveries.
    let owed = CustomerQueue()
    /// Customers whose history is to be read.
    let unread = CustomerQueue()
    /// Whose chains were, so that not every item of a stream has to be looked up.
    let owners = KnownOwners()
}
