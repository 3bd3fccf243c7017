package import Storekeeper

extension SQLiteVault {
    /// Loads the record of a customer; for an unknown customer, a record of version 0.
    ///
    /// The payloads of a customer with many facts are decoded on several cores.
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        var (rows, record) = try await readShortly([]) { tables throws(VaultError) in
            (
                try tables.factRows(after: 0, of: customer, limit: .max),
                try VaultRules.record(of: customer, facts: [], in: tables)
            )
        }
        record.facts = try await restored(rows)
        return record
    }

    /// Restores facts from their rows.
    private func restored(_ rows: [FactRow]) async throws(VaultError) -> [StoredFact] {
        // A portion is so small that two cores share a thousand facts evenly, and so large that the cost of a task is
        // negligible.
        let portion = 125
        guard rows.count > portion else { return try FactRow.restored(rows[...]) }
        let results = await withTaskGroup(
            of: (start: Int, facts: Result<[StoredFact], VaultError>).self
        ) { group in
            for start in stride(from: 0, to: rows.count, by: portion) {
                group.addTask {
                    let part = rows[start..<min(start + portion, rows.count)]
                    return (start, Result { () throws(VaultError) -> [StoredFact] in try FactRow.restored(part) })
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var facts: [StoredFact] = []
        facts.reserveCapacity(rows.count)
        for result in results.sorted(by: { $0.start < $1.start }) { facts += try result.facts.get() }
        return facts
    }
}
