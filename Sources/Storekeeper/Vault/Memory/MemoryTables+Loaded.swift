import FoundationEssentials

extension MemoryTables {
    /// Stores in the tables the rows that a remote storage has loaded.
    mutating func store(_ found: LoadedRows) {
        for (customer, noted) in found.customers {
            setRow(noted.row, of: customer)
            set(noted.lastEntry, at: customer, in: \.accountEnds)
        }
        raiseVersionFloor(to: found.versionFloor)
        for (_, binding) in found.bindings.sortedByPlace { store(binding) }
        for (subject, count) in found.attempts { set(count, at: subject, in: \.attempts) }
        for (_, stored) in found.facts.sortedByPlace {
            store(
                MemoryRows.Fact(sequence: stored.place.number, learnedAt: stored.learnedAt, fact: stored.fact),
                payload: PayloadKey(stored.fact))
        }
        for (chain, newest) in found.tokens { store(newest.token, signedAt: newest.signedAt, of: chain) }
        for (place, parked) in found.parked.sortedByPlace { store(parked, at: place) }
        for (table, found) in zip(allTables, found.tables) {
            for (key, row) in found { replace(key, with: row, in: table) }
        }
        for (place, row) in found.deliveries.sortedByPlace {
            store(row, at: place)
        }
        for step in found.steps { set(.distantPast, at: step, in: \.steps) }
        for mark in found.marks { set(true, at: mark, in: \.marks) }
    }
}

extension Dictionary where Key == Int64 {
    /// The rows in order of place.
    fileprivate var sortedByPlace: [(key: Int64, value: Value)] { sorted { $0.key < $1.key } }
}
