public import Storekeeper

extension SQLiteVault {
    /// Writes a batch.
    ///
    /// What needs no table is done before the batch has its turn: steps run one after another, their callers do not.
    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        var facts: [PreparedFact] = []
        facts.reserveCapacity(batch.facts.count)
        for fact in batch.facts { facts.append(try PreparedFact(fact)) }
        let prepared = PreparedBatch(batch)
        // Freed here, and not where the other steps wait for their turn.
        defer { withExtendedLifetime((prepared, facts)) {} }
        return try await write { [facts] tables throws(VaultError) in
            tables.prepared = facts[...]
            return try VaultRules.commit(prepared, to: &tables)
        }
    }
}
