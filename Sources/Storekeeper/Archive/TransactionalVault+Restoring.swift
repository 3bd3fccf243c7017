/// The result of restoring an archive.
package struct RestoreReceipt: Sendable {
    /// The number of facts that were new to the vault.
    package var newFacts = 0
    /// Facts that the vault already had.
    package var knownFacts = 0
    /// Entries that the vault did not have.
    package var newEntries = 0
    /// Entries that the vault already had.
    package var knownEntries = 0
    /// Pieces of evidence that were parked.
    package var parked = 0
    /// Chains and tokens that belong to another customer in this vault; if there are any, nothing of the archive was
    /// written.
    package var conflicts: [BindingConflict] = []
    /// Transactions whose credits exceed what a balance can hold.
    package var uncredited: [TransactionKey] = []
    /// Transactions that were credited before, to a customer who was erased since.
    package var creditedBefore: [TransactionKey] = []

    /// Creates an empty receipt.
    package init() {}
}

extension TransactionalVault {
    /// Writes an archive in one step.
    ///
    /// In a vault without the customer, it restores the same facts, entries and bindings, with the same dates and in
    /// the same order. Rows that the vault already has are kept and not duplicated, so that a second restore changes
    /// nothing. No event is written and no delivery becomes owed.
    ///
    /// The signatures of facts prove them genuine. Entries have no signatures, so that the archive must be trusted for
    /// its spends and grants. All other entries must follow from the facts: an archive is refused if it lacks the
    /// purchase of an entry, if an entry does not take back the units of a refund as the facts require, or if more was
    /// spent than was available. Facts without an owner in the archive whose owner this vault knows are written for
    /// that owner.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - rule: The rule for purchases of which the vault has newer copies than the archive.
    ///   - instant: The date of entries that this call makes, in UTC.
    /// - Throws: ``VaultError`` with `invalidRequest` for an inconsistent account; nothing was written.
    package func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant
    ) async throws(VaultError) -> RestoreReceipt {
        try await write { tables throws(VaultError) in
            try VaultRules.restore(archive, rule: rule, at: instant, in: &tables)
        }
    }
}
