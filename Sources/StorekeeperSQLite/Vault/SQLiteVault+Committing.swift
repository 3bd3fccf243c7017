package import Storekeeper

extension SQLiteVault {
    /// Writes a batch.
    ///
    /// Work that needs no table is done before the step waits in the queue, because callers run concurrently, but steps
    /// run one after another.
    package func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        var facts: [PreparedFact] = []
        facts.reserveCapacity(batch.facts.count)
        for fact in batch.facts { facts.append(try PreparedFact(fact)) }
        let prepared = PreparedBatch(batch)
        // Free the prepared batch here, and not on the connection's queue, where the work of freeing would delay other
        // steps.
        defer { withExtendedLifetime((prepared, facts)) {} }
        return try await write { [facts] tables throws(VaultError) in
            tables.prepared = facts[...]
            return try VaultRules.commit(prepared, to: &tables)
        }
    }
}
