public import Storekeeper

extension SQLiteVault {
    /// Writes a batch.
    ///
    /// What needs no table is done before the batch has its turn: steps run one after another, their callers do not.
    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        var facts: [PreparedFact] = []
        facts.reserveCapacity(batch.facts.count)
        for fact in batch.facts { facts.append(try PreparedFact(fact, in: file)) }
        let (rows, prepared) = (facts[...], PreparedBatch(batch))
        return try await write { tables throws(VaultError) in
            tables.prepared = rows
            return try Bookkeeping.commit(prepared, to: &tables)
        }
    }
}
