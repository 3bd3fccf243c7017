/// Balances of the customer.
extension Store {
    /// Spends units of a balance if the balance has enough.
    ///
    /// - Parameters:
    ///   - quantity: The number of units; at least 1.
    ///   - balance: The name of the balance.
    ///   - key: The idempotency key, unique per customer. Repeating the request with the same key returns the first
    ///     receipt and spends nothing more. A request that was refused is refused again; use another key to try again.
    ///   - caller: The caller, such as the name of its API key; stored in the account.
    /// - Throws: ``LedgerRefusal`` if the request is refused; ``VaultError`` if the spend could not be written. In both
    ///   cases, this call has spent nothing.
    @discardableResult
    public func spend(
        _ quantity: Int64, of balance: Balance.ID, key: LedgerRequest.Key, recordedBy caller: String? = nil
    ) async throws -> LedgerReceipt {
        let request = LedgerRequest.spend(
            quantity, of: balance, by: customer, key: key, at: parts.clock.now, recordedBy: caller)
        return try singleResult(await move([request]))
    }

    /// Adds units to a balance without a purchase, for example as a gift or a compensation.
    ///
    /// - Parameters:
    ///   - quantity: The number of units; at least 1.
    ///   - balance: The name of the balance.
    ///   - reason: The reason, which is stored in the account.
    ///   - key: The idempotency key, as with ``spend(_:of:key:recordedBy:)``.
    ///   - caller: The caller, such as the name of its API key; stored in the account.
    /// - Throws: The errors of ``spend(_:of:key:recordedBy:)``.
    @discardableResult
    public func grant(
        _ quantity: Int64, of balance: Balance.ID, because reason: String, key: LedgerRequest.Key,
        recordedBy caller: String? = nil
    ) async throws -> LedgerReceipt {
        let request = LedgerRequest.grant(
            quantity, of: balance, to: customer, because: reason, key: key, at: parts.clock.now,
            recordedBy: caller)
        return try singleResult(await move([request]))
    }

    private func singleResult(_ results: [Result<LedgerReceipt, LedgerRefusal>]) throws -> LedgerReceipt {
        guard let result = results.first, results.count == 1 else {
            throw VaultError(.io, "the vault answered one request with \(results.count) results")
        }
        return try result.get()
    }

    /// Carries out several requests in order, in one atomic and durable write; a refused request does not stop the next
    /// one.
    ///
    /// - Parameter requests: Requests of this customer.
    /// - Returns: The result of each request.
    /// - Throws: ``VaultError`` with `invalidRequest` if a quantity is below 1, a key or name is empty, or a request
    ///   names another customer, and with `unknownBalance` if neither the catalog nor the account contains the balance;
    ///   in these cases, no request was carried out. `CancellationError` if the task was cancelled before the call.
    public func move(_ requests: [LedgerRequest]) async throws -> [Result<LedgerReceipt, LedgerRefusal>] {
        try Task.checkCancellation()
        for request in requests { try check(request) }
        try await checkBalances(of: requests)
        return requests.isEmpty ? [] : try await carryOut(requests)
    }

    /// Throws ``VaultError`` if neither the catalog nor the account contains the balance of a request.
    ///
    /// A catalog without products accepts every balance.
    private func checkBalances(of requests: [LedgerRequest]) async throws(VaultError) {
        guard requests.contains(where: { snapshot.isUnknown($0.balance) }) else { return }
        let catalog = try await stateAfterPendingWork().live.resolver.catalog
        guard !catalog.products.isEmpty else { return }
        var known = catalog.balances
        func unknown() -> Balance.ID? {
            let names = Set(known)
            return requests.map(\.balance).first { !names.contains($0) }
        }
        guard unknown() != nil else { return }
        for name in try await parts.vault.balances(of: customer).map(\.id) where !known.contains(name) {
            known.append(name)
        }
        if let name = unknown() { throw .unknownBalance(name.rawValue, among: known.map(\.rawValue)) }
    }

    private func check(_ request: LedgerRequest) throws(VaultError) {
        guard request.customer == customer else {
            throw VaultError(.invalidRequest, "the request belongs to another customer; use that customer's store")
        }
        try request.check()
    }
}
