/// What came of restoring an archive.
package struct RestoreReceipt: Sendable {
    /// Facts that the vault did not have.
    package var newFacts = 0
    /// Facts that it had.
    package var knownFacts = 0
    /// Entries that the vault did not have.
    package var newEntries = 0
    /// Entries that it had.
    package var knownEntries = 0
    /// Pieces of evidence that were parked.
    package var parked = 0
    /// Chains and tokens that belong to another customer here; then nothing of the archive was written.
    package var conflicts: [BindingConflict] = []
    /// Transactions whose credits no balance can hold.
    package var uncredited: [TransactionKey] = []
    /// Transactions that were credited before, to a customer who was erased since.
    package var creditedBefore: [TransactionKey] = []

    /// Makes an empty receipt.
    package init() {}
}

extension TransactionalVault {
    /// Writes an archive in one step.
    ///
    /// Into a vault without the customer it brings everything as it was: the same facts, entries and bindings, at the
    /// same times, in the same order. What the vault has already stays and is not doubled, so that doing it twice
    /// changes nothing. No event is written and no delivery is owed.
    ///
    /// The signatures of facts say that they are genuine; entries bear none, so that what they say of spends and grants
    /// is to be trusted as a vault is. But the account must follow from the facts: an archive with an entry of a purchase
    /// that it lacks, with a refund that is not settled as its facts say, or with more spent than there was, is refused.
    /// Facts that are nobody's there and somebody's here become theirs.
    ///
    /// - Parameters:
    ///   - archive: What to write.
    ///   - rule: Settles purchases that the vault knows by other copies than the archive.
    ///   - instant: When, in UTC; for entries that this makes.
    /// - Throws: ``VaultError`` with `invalidRequest` for an account that cannot be; nothing was written.
    package func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant
    ) async throws(VaultError) -> RestoreReceipt {
        try await write { tables throws(VaultError) in
            try VaultRules.restore(archive, rule: rule, at: instant, in: &tables)
        }
    }
}
