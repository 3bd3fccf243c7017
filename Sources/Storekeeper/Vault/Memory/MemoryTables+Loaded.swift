import FoundationEssentials

extension MemoryTables {
    /// Stores the rows loaded by a remote storage in the tables.
    mutating func store(_ found: LoadedRows) {
        for (customer, noted) in found.customers { setRow(noted.row, of: customer) }
        for (_, binding) in found.bindings.sortedChains { store(binding) }
        for (subject, count) in found.attempts { attempts[subject] = count }
        for (_, stored) in found.facts.sortedChains {
            store(
                MemoryFact(sequence: stored.place.number, learnedAt: stored.learnedAt, fact: stored.fact),
                payload: PayloadKey(stored.fact))
        }
        for (chain, newest) in found.tokens { store(newest.token, signedAt: newest.signedAt, of: chain) }
        for (place, parked) in found.parked.sortedChains { store(parked, at: place) }
        for (_, entry) in found.entries.sortedChains { store(entry) }
        for (customer, balances) in found.balances { for balance in balances.values { store(balance, of: customer) } }
        for (place, row) in found.deliveries.sortedChains {
            store(row, at: place)
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
    fileprivate var sortedChains: [(key: Int64, value: Value)] { sorted { $0.key < $1.key } }
}
