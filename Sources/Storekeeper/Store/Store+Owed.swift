/// Money and goods: what the customer spends, and what is owed to them.
extension Store {
    // MARK: Money

    /// Takes from a balance for goods that the app hands out, if enough is there.
    ///
    /// - Parameters:
    ///   - quantity: How many units; at least 1.
    ///   - balance: The name of the balance.
    ///   - key: The app's name for this spending, unique among the customer's. The same key with the same request gives
    ///     the first receipt again and takes nothing more.
    ///   - caller: Who asks, such as the name of the caller's key; the account will show it.
    /// - Throws: ``LedgerRefusal`` where it was refused; ``VaultError`` where it could not be written; either way
    ///   nothing was taken, unless an earlier call with the key had.
    @discardableResult
    public func spend(
        _ quantity: Int64, of balance: Balance.ID, key: LedgerRequest.Key, recordedBy caller: String? = nil
    ) async throws -> LedgerReceipt {
        let request = LedgerRequest.spend(
            quantity, of: balance, by: customer, key: key, at: parts.clock.now, recordedBy: caller)
        return try only(await move([request]))
    }

    /// Adds to a balance without a purchase: a gift, a compensation.
    ///
    /// - Parameters:
    ///   - quantity: How many units; at least 1.
    ///   - balance: The name of the balance.
    ///   - reason: Why; the account will show it.
    ///   - key: As with ``spend(_:of:key:recordedBy:)``.
    ///   - caller: Who asks, such as the name of the caller's key; the account will show it.
    /// - Throws: As ``spend(_:of:key:recordedBy:)``.
    @discardableResult
    public func grant(
        _ quantity: Int64, of balance: Balance.ID, because reason: String, key: LedgerRequest.Key,
        recordedBy caller: String? = nil
    ) async throws -> LedgerReceipt {
        let request = LedgerRequest.grant(
            quantity, of: balance, to: customer, because: reason, key: key, at: parts.clock.now,
            recordedBy: caller)
        return try only(await move([request]))
    }

    private func only(_ results: [Result<LedgerReceipt, LedgerRefusal>]) throws -> LedgerReceipt {
        guard let result = results.first, results.count == 1 else {
            throw VaultError(.io, "the vault answered one request with \(results.count) results")
        }
        return try result.get()
    }

    /// Carries out several requests, in order, in one durable step; one that is refused does not stop the next.
    ///
    /// - Parameter requests: All of this customer.
    /// - Returns: What came of each.
    /// - Throws: ``VaultError``, with `invalidRequest` where a quantity is below 1, a key or name is empty, or a
    ///   request is another customer's, and with `unknownBalance` where neither the catalog nor the account has the
    ///   balance; then none was carried out. `CancellationError` when the task was cancelled
    ///   before it began.
    public func move(_ requests: [LedgerRequest]) async throws -> [Result<LedgerReceipt, LedgerRefusal>] {
        try Task.checkCancellation()
        for request in requests { try check(request) }
        try await checkBalances(of: requests)
        return requests.isEmpty ? [] : try await carryOut(requests)
    }

    /// Refuses balances that neither the catalog nor the account has; without a catalog nobody can tell.
    private func checkBalances(of requests: [LedgerRequest]) async throws(VaultError) {
        let catalog = try await settledState().live.resolver.catalog
        guard !catalog.products.isEmpty else { return }
        var known = catalog.balances
        func unknown() -> Balance.ID? {
            let names = Set(known)
            return requests.map(\.balance).first { !names.contains($0) }
        }
        guard unknown() != nil else { return }
        known += try await parts.vault.balances(of: customer).map(\.id)
        if let name = unknown() { throw .unknownBalance(name.rawValue, among: known.map(\.rawValue)) }
    }

    private func check(_ request: LedgerRequest) throws(VaultError) {
        guard request.customer == customer else {
            throw VaultError(.invalidRequest, "the request is another customer's; ask that customer's store")
        }
        try request.check()
    }

    // MARK: Goods

    /// What is owed a delivery or a `finish`, oldest first.
    ///
    /// What StoreKit calls `Transaction.unfinished`.
    public var unfinished: [OutboxItem] {
        get async throws(VaultError) {
            try await settledState().unfinished
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
            parts.report(.vaultFailed(error))
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
            if !isDone { parts.work.owed.add(customer) }
        } catch {
            parts.report(.vaultFailed(error))
            parts.work.owed.add(customer)
        }
    }

    @discardableResult
    private func deliver(items: [OutboxItem]) async -> Bool {
        guard !items.isEmpty else { return true }
        let facts: [TransactionKey: TransactionFact]
        let uncredited: Set<TransactionKey>
        do {
            let state = try await settledState()
            facts = state.facts(items.map(\.key))
            // What was learned under a policy that did not let it count is credited before it is finished.
            let waiting = items.filter { $0.state == .owed && !state.credited.contains($0.key) }
                .compactMap { facts[$0.key]?.transaction }.filter { $0.productType == .consumable && isGranted($0) }
            uncredited = try await credit(waiting.compactMap { VerifiedFact(.transaction(.verified($0))) })
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
                // Asked for again for each, because the app may take long for the one before.
                guard await lease(division, holds: hasLease) else {
                    isDone = false
                    break
                }
                hasLease = true
            }
            // What no balance can hold is not handed out, and so not finished: there may be room for it later.
            guard let fact = facts[item.key], !uncredited.contains(item.key) else { continue }
            // Somebody else may be handing it out; then it is theirs.
            if await delivering(item.key, { await deliver(item, fact) }) == false { isDone = false }
        }
        if hasLease, let division = parts.division {
            do throws(VaultError) {
                try await endDeliveries(division)
            } catch {
                // It ends by itself.
                parts.report(.vaultFailed(error))
            }
        }
        return isDone
    }

    /// Asks to be the node that hands out this customer's goods.
    ///
    /// - Returns: Whether it is.
    private func lease(_ division: StoreParts.Division, holds: Bool) async -> Bool {
        do throws(VaultError) {
            return try await leaseDeliveries(division, holds: holds)
        } catch {
            parts.report(.vaultFailed(error))
            return false
        }
    }

    /// Hands out and finishes one transaction.
    ///
    /// - Returns: Whether nothing failed.
    private func deliver(_ item: OutboxItem, _ fact: TransactionFact) async -> Bool {
        // Somebody may have been here since the list was made.
        guard let state = progress(of: item.key) else { return true }
        if state == .owed {
            // What gives nothing is not handed out, and so not finished: a policy that lets it give comes later.
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
            guard await marked(item.key, as: .delivered) else { return false }
        }
        guard await parts.finish(item) else { return false }
        return await marked(item.key, as: nil)
    }

    /// Writes down how far a transaction has come; `false` where that failed.
    private func marked(_ key: TransactionKey, as progress: OutboxItem.State?) async -> Bool {
        do {
            try await mark(key, as: progress)
            return true
        } catch {
            parts.report(.vaultFailed(error))
            return false
        }
    }

    private func isGranted(_ transaction: Transaction) -> Bool {
        let policy = parts.configuration.policy
        return policy.rule(for: transaction.environment) == .grant
            && policy.entitlingOwnershipTypes.contains(transaction.ownershipType)
    }

    /// Whether all of it was refunded or withdrawn, so that there is nothing left to hand out.
    private func isTakenBackWhole(_ transaction: Transaction) -> Bool {
        transaction.revokedAt != nil && (transaction.revocationPercentage ?? 100_000) >= 100_000
    }
}
