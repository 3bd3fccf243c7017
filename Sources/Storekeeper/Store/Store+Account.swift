/// Spending and granting.
extension Store {
    /// Takes from a balance for goods that the app hands out, if enough is there.
    ///
    /// - Parameters:
    ///   - quantity: How many units; at least 1.
    ///   - balance: The name of the balance.
    ///   - key: The app's name for this spending, unique among the customer's. The same key with the same request gives
    ///     the first receipt again and takes nothing more.
    /// - Throws: ``LedgerRefusal`` where it was refused; ``VaultError`` where it could not be written; either way
    ///   nothing was taken, unless an earlier call with the key had.
    @discardableResult
    public func spend(_ quantity: Int64, of balance: String, key: String) async throws -> LedgerReceipt {
        let request = LedgerRequest.spend(quantity, of: balance, by: customer, key: key, at: clock.now)
        return try only(await move([request]))
    }

    /// Adds to a balance without a purchase: a gift, a compensation.
    ///
    /// - Parameters:
    ///   - quantity: How many units; at least 1.
    ///   - balance: The name of the balance.
    ///   - reason: Why; the account will show it.
    ///   - key: As with ``spend(_:of:key:)``.
    /// - Throws: As ``spend(_:of:key:)``.
    @discardableResult
    public func grant(
        _ quantity: Int64, of balance: String, because reason: String, key: String
    ) async throws -> LedgerReceipt {
        let request = LedgerRequest.grant(
            quantity, of: balance, to: customer, because: reason, key: key, at: clock.now)
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
    ///   request is another customer's; then none was carried out. `CancellationError` when the task was cancelled
    ///   before it began.
    public func move(_ requests: [LedgerRequest]) async throws -> [Result<LedgerReceipt, LedgerRefusal>] {
        try Task.checkCancellation()
        for request in requests { try check(request) }
        guard !requests.isEmpty else { return [] }
        lastTicket += 1
        let ticket = lastTicket
        waitingRequests.append((ticket, requests))
        return try await serially { () async throws(VaultError) in
            // Whoever comes first takes along all who wait, so that they share one durable step.
            if carriedOut[ticket] == nil { await carryOutWaiting() }
            guard let outcome = carriedOut.removeValue(forKey: ticket) else { return [] }
            return try outcome.get()
        }
    }

    private func check(_ request: LedgerRequest) throws(VaultError) {
        guard request.customer == customer else {
            throw VaultError(.invalidRequest, "the request is another customer's; ask that customer's store")
        }
        guard request.quantity >= 1 else {
            throw VaultError(.invalidRequest, "a quantity of \(request.quantity) moves nothing; it must be at least 1")
        }
        guard !request.key.isEmpty else {
            throw VaultError(.invalidRequest, "the key is empty; give every request a name of its own")
        }
        guard !request.balance.isEmpty else { throw VaultError(.invalidRequest, "no balance is named") }
    }

    private func carryOutWaiting() async {
        let waiting = waitingRequests
        waitingRequests = []
        do {
            try await restore()
            let results = try await moveInVault(waiting.flatMap(\.requests))
            var start = 0
            for (ticket, requests) in waiting {
                carriedOut[ticket] = .success(Array(results[start..<(start + requests.count)]))
                start += requests.count
            }
        } catch {
            guard waiting.count > 1, error.code == .overflow || error.code == .invalidRequest else {
                for (ticket, _) in waiting { carriedOut[ticket] = .failure(error) }
                return
            }
            // One of them cannot be; the others are not to suffer for it.
            for (ticket, requests) in waiting {
                do {
                    try await restore()
                    carriedOut[ticket] = .success(try await moveInVault(requests))
                } catch {
                    carriedOut[ticket] = .failure(error)
                }
            }
        }
    }

    private func moveInVault(
        _ requests: [LedgerRequest]
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        isCurrent = false
        let results = try await vault.move(requests, policy: known.live.resolver.policy.refundPolicy)
        guard results.count == requests.count else {
            throw VaultError(.io, "the vault answered \(requests.count) requests with \(results.count) results")
        }
        if note(results, of: requests) {
            isCurrent = true
            publish()
        } else {
            // Others have moved the balances, too. The money is moved whether or not they can be read.
            do {
                try await restore()
            } catch {
                report(.vaultFailed(error))
            }
        }
        return results
    }

    /// Adds what was carried out to the balances; `false` where they are not what the vault has.
    private func note(_ results: [Result<LedgerReceipt, LedgerRefusal>], of requests: [LedgerRequest]) -> Bool {
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let receipt):
                let entry = receipt.entry
                if receipt.isReplay {
                    guard entry.sequence <= known.lastEntry else { return false }
                    continue
                }
                let name = ByteText(entry.balance)
                let balance = known.balances[name] ?? Balance(id: entry.balance)
                guard let next = try? balance.adding(entry.kind, entry.change), next.amount == entry.after else {
                    return false
                }
                known.balances[name] = next
                known.lastEntry = max(known.lastEntry, entry.sequence)
                known.mayMissEntries = true
            case .failure(.insufficient(let amount)):
                guard known.balances[ByteText(request.balance)]?.amount ?? 0 == amount else { return false }
            case .failure(.frozen(let balance)):
                if known.balances[ByteText(balance)].map({ $0.amount >= 0 }) ?? true { return false }
            case .failure(.keyReused): continue
            }
        }
        return true
    }
}
