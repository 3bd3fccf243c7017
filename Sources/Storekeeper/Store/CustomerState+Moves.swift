extension CustomerState {
    /// Returns the state after the vault has carried out requests.
    ///
    /// - Returns: The next state; `nil` if the results do not match this state's balances, because another process has
    ///   changed the balances.
    func applying(
        _ results: [Result<LedgerReceipt, LedgerRefusal>], of requests: [LedgerRequest]
    ) -> CustomerState? {
        var next = self
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let receipt):
                let entry = receipt.entry
                if receipt.isReplay {
                    guard entry.number <= next.lastEntry.number else { return nil }
                    continue
                }
                let name = entry.balance
                let balance = next.balances[name] ?? Balance(id: entry.balance)
                guard entry.number == next.lastEntry.number &+ 1,
                    let moved = try? balance.adding(entry.kind, entry.change), moved.amount == entry.after
                else { return nil }
                next.balances[name] = moved
                next.lastEntry = AccountEnd(entry)
            case .failure(.insufficient(let amount)):
                guard next.balances[request.balance]?.amount ?? 0 == amount else { return nil }
            case .failure(.frozen(let balance)):
                if next.balances[balance].map({ $0.amount >= 0 }) ?? true { return nil }
            case .failure(.keyReused), .failure(.unknownGrant): continue
            }
        }
        return next
    }

    /// Records the state of a delivery; `nil` means that the transaction is finished.
    mutating func recordState(_ key: TransactionKey, as state: OutboxItem.State?) {
        credited.remove(key)
        guard let index = unfinished.firstIndex(where: { $0.key == key }) else { return }
        if let state { unfinished[index].state = state } else { unfinished.remove(at: index) }
    }
}
