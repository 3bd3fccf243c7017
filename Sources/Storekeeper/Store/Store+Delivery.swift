/// The way of a purchase from the vault to the app, and back to the App Store.
extension Store {
    /// What is owed a delivery or a `finish`, oldest first.
    ///
    /// What StoreKit calls `Transaction.unfinished`.
    public var unfinished: [OutboxItem] {
        get async throws(VaultError) {
            try await serially { () async throws(VaultError) in
                try await restore()
                return known.unfinished
            }
        }
    }

    /// Hands out what is owed and finishes what was handed out.
    ///
    /// - Returns: Whether nothing failed.
    @discardableResult
    public func deliverUnfinished() async -> Bool {
        do {
            return await deliver(items: try await unfinished)
        } catch {
            report(.vaultFailed(error))
            return false
        }
    }

    /// Hands out and finishes certain transactions, as far as they are still owed it.
    func deliver(_ keys: [TransactionKey]) async {
        guard !keys.isEmpty else { return }
        do {
            let wanted = Set(keys)
            let isDone = await deliver(items: try await unfinished.filter { wanted.contains($0.key) })
            // What failed here is for the loop of deliveries to try again.
            if !isDone { owing.send() }
        } catch {
            report(.vaultFailed(error))
            owing.send()
        }
    }

    @discardableResult
    private func deliver(items: [OutboxItem]) async -> Bool {
        guard !items.isEmpty else { return true }
        let facts: [TransactionKey: TransactionFact]
        let uncredited: Set<TransactionKey>
        do {
            facts = try await newestCopies(of: Set(items.map(\.key)))
            uncredited = try await settleCredits(
                of: items.filter { $0.state == .owed }.compactMap { facts[$0.key]?.transaction })
        } catch {
            report(.vaultFailed(error))
            return false
        }
        var isDone = true
        for item in items {
            if Task.isCancelled { return false }
            // What no balance can hold is not handed out, and so not finished: there may be room for it later.
            guard let fact = facts[item.key], !uncredited.contains(item.key) else { continue }
            if await !deliver(item, fact) { isDone = false }
        }
        return isDone
    }

    /// Credits what was learned under a policy that did not let it count, or found no room, before it is finished.
    ///
    /// - Returns: What still finds no room.
    private func settleCredits(of transactions: [Transaction]) async throws(VaultError) -> Set<TransactionKey> {
        let waiting = transactions.filter {
            $0.productType == .consumable && isGranted($0) && !settled.contains(TransactionKey($0))
        }
        guard !waiting.isEmpty else { return [] }
        let facts = waiting.compactMap { VerifiedFact(.transaction(.verified($0))) }
        let report = try await serially { () async throws(VaultError) in try await write(Intake(facts: facts)) }
        settled.formUnion(waiting.map { TransactionKey($0) })
        settled.subtract(report.uncredited)
        return Set(report.uncredited)
    }

    /// Hands out and finishes one transaction, or leaves it to whoever is doing so.
    ///
    /// - Returns: Whether nothing failed.
    private func deliver(_ item: OutboxItem, _ fact: TransactionFact) async -> Bool {
        guard deliveries[item.key] == nil else { return true }
        deliveries[item.key] = []
        defer { for waiter in deliveries.removeValue(forKey: item.key) ?? [] { waiter.resume() } }
        // Somebody may have been here since the list was made.
        guard let state = known.unfinished.first(where: { $0.key == item.key })?.state else { return true }
        if state == .owed {
            // What gives nothing is not handed out, and so not finished: a policy that lets it give comes later.
            guard isGranted(fact.transaction) else { return true }
            do {
                if let handler, !isTakenBackWhole(fact.transaction) {
                    let delivery = Delivery(fact, for: customer)
                    try await clock.within(configuration.deliveryDeadline) { try await handler(delivery) }
                }
            } catch {
                report(.deliveryFailed(item.key, error))
                return false
            }
            guard await settle(item.key, as: .delivered) else { return false }
        }
        if let backend {
            let grant = DurableGrant(item)
            do {
                try await clock.within(configuration.callDeadline) { try await backend.finish(grant) }
            } catch {
                report(.finishFailed(item.key, error))
                return false
            }
        }
        return await settle(item.key, as: nil)
    }

    /// Waits until a transaction is not being handed out any more.
    func awaitDelivery(of key: TransactionKey) async {
        guard deliveries[key] != nil else { return }
        await withCheckedContinuation { deliveries[key, default: []].append($0) }
    }

    private func settle(_ key: TransactionKey, as state: OutboxItem.State?) async -> Bool {
        do {
            try await serially { () async throws(VaultError) in
                try await vault.settle(key, as: state)
                settled.remove(key)
                guard let index = known.unfinished.firstIndex(where: { $0.key == key }) else { return }
                if let state { known.unfinished[index].state = state } else { known.unfinished.remove(at: index) }
            }
            return true
        } catch {
            report(.vaultFailed(error))
            return false
        }
    }

    /// The newest copies of transactions.
    func newestCopies(of keys: Set<TransactionKey>) async throws(VaultError) -> [TransactionKey: TransactionFact] {
        try await serially { () async throws(VaultError) in
            try await restore()
            var facts: [TransactionKey: TransactionFact] = [:]
            for key in keys { facts[key] = known.live.history.fact(key) }
            return facts
        }
    }

    private func isGranted(_ transaction: Transaction) -> Bool {
        let policy = configuration.policy
        return policy.rule(for: transaction.environment) == .grant
            && policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }

    /// Whether all of it was refunded or withdrawn, so that there is nothing left to hand out.
    private func isTakenBackWhole(_ transaction: Transaction) -> Bool {
        transaction.revokedAt != nil && (transaction.revocationPercentage ?? 100_000) >= 100_000
    }
}
