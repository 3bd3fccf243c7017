/// The result of restoring an archive.
package struct RestoreReceipt: Sendable {
    /// The number of facts that were new to the vault.
    package var newFacts = 0
    /// The number of facts that the vault already had.
    package var knownFacts = 0
    /// The number of entries that the vault did not have.
    package var newEntries = 0
    /// The number of entries that the vault already had.
    package var knownEntries = 0
    /// The number of pieces of evidence that were parked.
    package var parked = 0
    /// The chains and tokens that belong to another customer in this vault; unless this list is empty, nothing of the
    /// archive was written.
    package var conflicts: [BindingConflict] = []
    /// The transactions that were not credited, because a balance would overflow.
    package var uncredited: [TransactionKey] = []
    /// The transactions that are not credited, because a customer who has been erased had already received their units.
    package var creditedBefore: [TransactionKey] = []

    /// Creates an empty receipt.
    package init() {}
}

extension TransactionalVault {
    /// Writes an archive to the vault atomically.
    ///
    /// In a vault without the customer, the call restores the same facts, entries and bindings, with the same dates and
    /// in the same order. Rows that the vault already has are not written again, so that a second restore changes
    /// nothing. No event is written and no delivery becomes owed.
    ///
    /// The signatures of facts prove that the facts are genuine. Entries have no signatures, so the caller must trust
    /// the archive's spends and grants. All other entries must follow from the facts. An archive is refused if it lacks
    /// the purchase of an entry, if an entry does not take back the units of a refund as the facts require, or if more
    /// was spent than was available. If a fact has no owner in the archive but has an owner in this vault, the fact is
    /// written for that owner.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - rule: The rule for the entries that this call adds if the vault has a newer copy of a purchase than the
    ///     archive.
    ///   - instant: The date, in UTC, of the entries that this call adds and that the archive does not contain.
    /// - Throws: ``VaultError`` with `invalidRequest` for an inconsistent account. In this case, nothing was written.
    package func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant
    ) async throws(VaultError) -> RestoreReceipt {
        try await write { tables throws(VaultError) in
            try VaultRules.restore(archive, rule: rule, at: instant, in: &tables)
        }
    }
}
