/// What came of restoring an archive.
public struct RestoreReceipt: Sendable {
    /// Facts that the vault did not have.
    public var newFacts = 0
    /// Facts that it had.
    public var knownFacts = 0
    /// Entries that the vault did not have.
    public var newEntries = 0
    /// Entries that it had.
    public var knownEntries = 0
    /// Pieces of evidence that were parked.
    public var parked = 0
    /// Chains and tokens that belong to another customer here; then nothing of the archive was written.
    public var conflicts: [BindingConflict] = []

    /// Makes an empty receipt.
    public init() {}
}

extension TabledVault {
    /// Writes an archive in one step.
    ///
    /// Into a vault without the customer it brings everything as it was: the same facts, entries and bindings, at the
    /// same times, in the same order. What the vault has already stays and is not doubled, so that doing it twice
    /// changes nothing. No event is written and no delivery is owed.
    ///
    /// The signatures of facts say that they are genuine; entries bear none, so that an archive is to be trusted as a
    /// vault is.
    ///
    /// - Parameters:
    ///   - archive: What to write.
    ///   - rule: Settles purchases that the vault knows by other copies than the archive.
    ///   - instant: When, in UTC; for entries that this makes.
    public func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant
    ) async throws(VaultError) -> RestoreReceipt {
        try await write { tables throws(VaultError) in
            try Bookkeeping.restore(archive, rule: rule, at: instant, in: &tables)
        }
    }
}

extension Bookkeeping {
    /// Writes an archive; see ``TabledVault/restore(_:rule:at:)``.
    public static func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> RestoreReceipt {
        var receipt = RestoreReceipt()
        guard let customer = archive.customer else {
            for row in archive.rows {
                if case .fact(let fact, let learnedAt) = row { try insert(fact, learnedAt, into: &tables, &receipt) }
            }
            for parked in archive.parked where try tables.park(parked, claimant: nil) { receipt.parked += 1 }
            return receipt
        }
        receipt.conflicts = try conflicts(of: archive, for: customer, in: tables)
        guard receipt.conflicts.isEmpty else { return receipt }

        let known = try tables.customer(customer)
        var row = known ?? CustomerRow(id: customer)
        // All else refers to the customer.
        if known == nil { try tables.setCustomer(row) }
        try write(archive, of: customer, at: instant, into: &tables, &receipt)
        if known != nil, receipt.newFacts > 0 {
            let batch = CommitBatch(customer: customer, at: instant, facts: archive.facts, rule: rule)
            try settle(batch, in: &tables, &receipt)
        }
        row.evaluatedThrough = [row.evaluatedThrough, archive.evaluatedThrough].compactMap { $0 }.max()
        row.syncedAt = [row.syncedAt, archive.syncedAt].compactMap { $0 }.max()
        // Whoever looks after lapses finds out when the next one is.
        if receipt.newFacts > 0 { row.wakeAt = row.evaluatedThrough }
        if known == nil || row != known || receipt.newFacts + receipt.newEntries > 0 {
            row.version += 1
            try tables.setCustomer(row)
        }
        return receipt
    }

    /// What of an archive belongs to somebody else.
    private static func conflicts(
        of archive: CustomerArchive, for customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> [BindingConflict] {
        var conflicts = try Ownership(of: archive.facts, for: customer, in: tables).conflicts
        for case .binding(let subject, _) in archive.rows {
            guard let holder = try tables.holder(of: subject), holder != customer,
                case .chain(let chain) = subject, !conflicts.contains(where: { $0.subject == subject })
            else { continue }
            conflicts.append(
                BindingConflict(
                    originalTransactionID: chain.originalID, subject: subject, holder: holder, claimant: customer,
                    attempts: try tables.attempts(on: subject) + 1))
        }
        return conflicts
    }

    private static func write(
        _ archive: CustomerArchive, of customer: CustomerID, at instant: Instant, into tables: inout some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        /// How many entries of a transaction were met, by balance.
        var met: [TransactionKey: [String: Int]] = [:]
        for row in archive.rows {
            switch row {
            case .binding(let subject, let at):
                if try tables.holder(of: subject) == nil { try tables.bind(subject, to: customer, at: at) }
            case .fact(let fact, let learnedAt): try insert(fact, learnedAt, into: &tables, &receipt)
            case .entry(let entry):
                let isKnown: Bool
                switch entry.cause {
                case .request(let key, _): isKnown = try tables.entry(of: customer, key: key) != nil
                case .transaction(let key, _, _):
                    let position = met[key, default: [:]][entry.balance, default: 0]
                    met[key, default: [:]][entry.balance] = position + 1
                    isKnown = try tables.entries(causedBy: key).count { $0.balance == entry.balance } > position
                }
                if isKnown { receipt.knownEntries += 1 } else { try append(entry, of: customer, to: &tables, &receipt) }
            }
        }
        for chain in Set(archive.facts.compactMap { $0.transaction.map(ChainID.init) })
        where try tables.holder(of: .chain(chain)) == nil {
            try tables.bind(.chain(chain), to: customer, at: instant)
        }
    }

    private static func insert(
        _ fact: VerifiedFact, _ learnedAt: Instant, into tables: inout some VaultTables, _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        try tables.unpark(fact)
        if try tables.insert(fact, learnedAt: learnedAt) != nil {
            receipt.newFacts += 1
        } else {
            receipt.knownFacts += 1
        }
    }

    private static func append(
        _ entry: LedgerEntry, of customer: CustomerID, to tables: inout some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        let before = try tables.balance(entry.balance, of: customer) ?? Balance(id: entry.balance)
        let balance = try before.adding(entry.kind, entry.change)
        _ = try tables.append(
            LedgerDraft(
                customer: customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
                after: balance.amount, cause: entry.cause))
        try tables.setBalance(balance, of: customer)
        receipt.newEntries += 1
    }

    /// Lets purchases that have newer copies now come to what those say.
    private static func settle(
        _ batch: CommitBatch, in tables: inout some VaultTables, _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        var account = Account(customer: batch.customer, at: batch.at)
        var settled: Set<TransactionKey> = []
        for transaction in batch.facts.lazy.compactMap(\.transaction) {
            let key = TransactionKey(transaction)
            guard settled.insert(key).inserted else { continue }
            try account.settle(key, newest: transaction, isFresh: false, by: batch.rule, in: &tables)
        }
        receipt.newEntries += account.entries.count
        _ = try account.close(in: &tables)
    }
}
