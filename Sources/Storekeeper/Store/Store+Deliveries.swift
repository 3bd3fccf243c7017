/// Deliveries of the customer.
extension Store {
    /// The outstanding deliveries and `finish` calls, oldest first.
    ///
    /// The list corresponds to StoreKit's `Transaction.unfinished`.
    public var unfinished: [OutboxItem] {
        get async throws(VaultError) {
            try await stateAfterPendingWork().unfinished
        }
    }

    /// Makes outstanding deliveries, and finishes delivered transactions.
    ///
    /// - Returns: `false` if a delivery or a finish failed.
    @discardableResult
    public func deliverUnfinished() async -> Bool { await deliver { _ in true } }

    /// Makes the outstanding deliveries of given transactions, and finishes these transactions.
    func deliver(_ keys: [TransactionKey]) async {
        guard !keys.isEmpty else { return }
        let wanted = Set(keys)
        // The delivery loop retries the deliveries that failed here.
        if await !deliver(where: { wanted.contains($0.key) }) { parts.work.owed.add(customer) }
    }

    private func deliver(where isWanted: (OutboxItem) -> Bool) async -> Bool {
        let items: [OutboxItem]
        let facts: [TransactionKey: TransactionFact]
        let uncredited: Set<TransactionKey>
        do {
            let state = try await stateAfterPendingWork()
            items = state.unfinished.filter(isWanted)
            guard !items.isEmpty else { return true }
            facts = state.facts(items.map(\.key))
            // Transactions that the policy excluded when they were learned must be credited before they are finished.
            let waiting = items.filter { $0.state == .owed && !state.credited.contains($0.key) }
                .compactMap { state.live.history.verifiedFact($0.key) }
                .filter { $0.transaction.map { $0.productType == .consumable && isGranted($0) } ?? false }
            uncredited = try await credit(waiting)
        } catch {
            parts.report(.vaultFailed(error))
            return false
        }
        var isDone = true
        var hasLease = false
        for item in items {
            if Task.isCancelled {
                isDone = false
                break
            }
            if item.state == .owed, parts.handler != nil, let division = parts.division {
                // The lease is renewed before each delivery, because the previous delivery may have taken the app a
                // long time.
                guard await lease(division, holds: hasLease) else {
                    isDone = false
                    break
                }
                hasLease = true
            }
            // A transaction that would overflow a balance is neither delivered nor finished, because the balance may
            // have room later.
            guard let fact = facts[item.key], !uncredited.contains(item.key) else { continue }
            // If another task is delivering the transaction, that task also finishes it.
            if await delivering(item.key, { await deliver(item, fact) }) == false { isDone = false }
        }
        if hasLease, let division = parts.division {
            do throws(VaultError) {
                try await endDeliveries(division)
            } catch {
                // A lease that could not be ended expires by itself.
                parts.report(.vaultFailed(error))
            }
        }
        return isDone
    }

    /// Acquires or renews the lease of this customer's deliveries.
    ///
    /// - Returns: Whether this node has the lease.
    private func lease(_ division: StoreDependencies.DeliveryLease, holds: Bool) async -> Bool {
        do throws(VaultError) {
            return try await leaseDeliveries(division, holds: holds)
        } catch {
            parts.report(.vaultFailed(error))
            return false
        }
    }

    /// Delivers and finishes one transaction.
    ///
    /// - Returns: `false` if a delivery or a finish failed.
    private func deliver(_ item: OutboxItem, _ fact: TransactionFact) async -> Bool {
        // Another task may have finished the transaction since the list was made.
        guard let state = progress(of: item.key) else { return true }
        if state == .owed {
            // A transaction that gives no access by the policy is neither delivered nor finished, because a later
            // policy may let it give access.
            guard isGranted(fact.transaction) else { return true }
            do {
                if let handler = parts.handler, !isTakenBackWhole(fact.transaction) {
                    let delivery = Delivery(fact, for: customer)
                    try await parts.clock.within(parts.configuration.deliveryDeadline) { try await handler(delivery) }
                }
            } catch {
                parts.report(.deliveryFailed(item.key, error))
                return false
            }
            // The mark keeps a failed finish from delivering again; without a backend, nothing is finished.
            if parts.backend != nil, await !marked(item.key, as: .delivered) { return false }
        }
        guard await parts.finish(item) else { return false }
        return await marked(item.key, as: nil)
    }

    /// Stores the state of a delivery; returns `false` if this failed.
    private func marked(_ key: TransactionKey, as progress: OutboxItem.State?) async -> Bool {
        do {
            try await recordState(key, as: progress)
            return true
        } catch {
            parts.report(.vaultFailed(error))
            return false
        }
    }

    private func isGranted(_ transaction: Transaction) -> Bool {
        let policy = parts.configuration.policy
        return policy.counts(transaction.environment)
            && policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }

    /// Returns whether the whole transaction was refunded or revoked, so that nothing is left to deliver.
    private func isTakenBackWhole(_ transaction: Transaction) -> Bool {
        transaction.revokedAt != nil && (transaction.revocationPercentage ?? 100_000) >= 100_000
    }
}
