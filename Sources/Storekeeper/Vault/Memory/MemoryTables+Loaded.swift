import FoundationEssentials

extension MemoryTables {
    /// Stores the rows loaded by a remote storage in the tables.
    mutating func hold(_ found: LoadedRows) {
        for (customer, noted) in found.customers { place(noted.row, of: customer) }
        for (_, binding) in found.bindings.inOrder { hold(binding) }
        for (subject, count) in found.attempts { attempts[subject] = count }
        for (_, stored) in found.facts.inOrder {
            hold(
                MemoryFact(sequence: stored.place.number, learnedAt: stored.learnedAt, fact: stored.fact),
                payload: PayloadKey(stored.fact))
        }
        for (chain, newest) in found.tokens { hold(newest.token, signedAt: newest.signedAt, of: chain) }
        for (place, parked) in found.parked.inOrder { hold(parked, at: place) }
        for (_, entry) in found.entries.inOrder { hold(entry) }
        for (customer, balances) in found.balances { for balance in balances.values { hold(balance, of: customer) } }
        for (place, row) in found.deliveries.inOrder {
            hold(row, at: place)
        }
        for (customer, purchases) in found.pending { pending[customer] = purchases }
        for uuid in found.notifications { notifications[uuid] = .distantPast }
        for step in found.steps { steps[step] = .distantPast }
        for (backend, cursor) in found.cursors { cursors[backend] = cursor }
        for mark in found.marks { marks[mark] = true }
    }
}

extension Dictionary where Key == Int64 {
    /// Rows in order of place.
    fileprivate var inOrder: [(key: Int64, value: Value)] { sorted { $0.key < $1.key } }
}
