import FoundationEssentials

extension VaultRules {
    /// Writes an archive; see ``TransactionalVault/restore(_:rule:at:)``.
    ///
    /// - Parameter saysAll: Whether the archive contains all data of the customer. If it does, the call adds no other
    ///   bindings and entries, and removes only new facts from the parked evidence.
    package static func restore(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant, saysAll: Bool = false,
        in tables: inout some VaultTables
    ) throws(VaultError) -> RestoreReceipt {
        var receipt = RestoreReceipt()
        try checkNumbers(of: archive)
        guard let customer = archive.customer else {
            try restoreUnowned(archive, rule: rule, at: instant, in: &tables, &receipt)
            return receipt
        }
        let ownership = try Ownership(
            of: archive.facts, for: .customer(customer), granted: Set(archive.tokens), exempt: archive.keptChains,
            in: tables)
        for dispute in ownership.disputes {
            receipt.conflicts.append(
                BindingConflict(
                    dispute, claimant: customer, attempts: try attempts(on: dispute.subject, in: tables)))
        }
        try addConflicts(of: archive, for: customer, in: tables, &receipt)
        guard receipt.conflicts.isEmpty else { return receipt }

        let known = try tables.customer(customer)
        var row = if let known { known } else { try newRow(of: customer, in: tables) }
        // The row of the customer is stored first, because the customer's other rows refer to it.
        if known == nil { try tables.setCustomer(row) }
        try write(archive, of: customer, saysAll: saysAll, into: &tables, &receipt)
        // Chains and tokens without a binding in the archive are bound to the customer, as in a commit of the evidence.
        for subject in saysAll ? [] : ownership.unbound where try tables.holder(of: subject) == nil {
            try tables.bind(subject, to: customer, at: instant)
        }
        if receipt.newFacts > 0, !saysAll {
            let batch = CommitBatch(customer: customer, at: instant, facts: archive.facts, rule: rule)
            try adjust(batch, of: customer, isNew: known == nil, in: &tables, &receipt)
        }
        if receipt.newEntries > 0 { try verifyAccount(customer, in: tables) }
        row.evaluatedThrough = [row.evaluatedThrough, archive.evaluatedThrough].compactMap { $0 }.max()
        row.syncedAt = [row.syncedAt, archive.syncedAt].compactMap { $0 }.max()
        // The wake-up time is set to an instant that has passed, so that the store announces changes at once and then
        // computes the next wake-up time.
        if receipt.newFacts > 0 || receipt.newEntries > 0 && archive.hasAccess { row.wakeAt = row.evaluatedThrough }
        if known == nil || row != known || receipt.newFacts + receipt.newEntries > 0 {
            try row.advance()
            try tables.setCustomer(row)
        }
        return receipt
    }

    // MARK: Evidence without an owner

    /// Writes the facts that have no owner in the archive: a fact that has an owner in this vault is committed for this
    /// owner, and any other transaction or app transaction is parked.
    ///
    /// A renewal info or a notification without an owner is stored as a fact, because it counts for nobody without a
    /// chain.
    private static func restoreUnowned(
        _ archive: CustomerArchive, rule: LedgerRule, at instant: Instant, in tables: inout some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        let owners = try owners(of: archive.facts, in: tables)
        var owned: [CustomerID: [VerifiedFact]] = [:]
        var order: [CustomerID] = []
        for (position, (fact, learnedAt)) in archive.learned.enumerated() {
            if let owner = owners[position] {
                if owned[owner] == nil { order.append(owner) }
                owned[owner, default: []].append(fact)
            } else if fact.chain != nil {
                // Evidence without an owner must not count, so it is parked.
                let parked = ParkedFact(since: learnedAt, reason: .unclaimed, fact: fact)
                if try tables.park(parked, claimant: nil) { receipt.parked += 1 }
            } else {
                try tables.unpark(fact)
                try insert(fact, learnedAt, into: &tables, &receipt)
            }
        }
        for customer in order {
            let facts = owned[customer] ?? []
            var batch = CommitBatch(customer: customer, at: instant, facts: facts, rule: rule)
            let row = try tables.customer(customer)
            // The wake-up time is set to an instant that has passed, so that the store announces changes at once and
            // then computes the next wake-up time.
            batch.wakeAt = row?.evaluatedThrough ?? row?.wakeAt
            guard case .committed(let committed) = try commit(batch, to: &tables) else { continue }
            receipt.newFacts += committed.newFacts.count
            receipt.knownFacts += facts.count - committed.parked.positions.count - committed.newFacts.count
            receipt.newEntries += committed.entries.count
            receipt.uncredited += committed.uncredited
            receipt.creditedBefore += committed.creditedBefore
            receipt.parked += committed.parked.new
        }
        for parked in archive.parked where try tables.park(parked, claimant: nil) { receipt.parked += 1 }
    }

    // MARK: Ownership

    /// Adds a conflict for each chain or token that the archive binds to the customer and that belongs to another
    /// customer in this vault.
    private static func addConflicts(
        of archive: CustomerArchive, for customer: CustomerID, in tables: borrowing some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        for case .binding(let subject, _) in archive.rows {
            guard let holder = try Ownership.holder(of: subject, in: tables), holder != customer,
                !receipt.conflicts.contains(where: { $0.subject == subject })
            else { continue }
            receipt.conflicts.append(
                BindingConflict(
                    originalTransactionID: archive.originalID(of: subject), subject: subject, holder: holder,
                    claimant: customer, attempts: try attempts(on: subject, in: tables)))
        }
    }

    /// Returns the number of attempts on a chain or token with this one, which is not counted.
    private static func attempts(
        on subject: BindingSubject, in tables: borrowing some VaultTables
    ) throws(VaultError) -> Int {
        try tables.attempts(on: subject).incremented(as: "the number of attempts")
    }

    // MARK: The account

    /// Checks that no entry of an account is missing; an archive of an older release contains no numbers, and is not
    /// checked.
    private static func checkNumbers(of archive: CustomerArchive) throws(VaultError) {
        var count: Int64 = 0
        for case .entry(let entry) in archive.rows {
            count += 1
            guard entry.number == count || entry.number == 0 else {
                throw VaultError(
                    .invalidRequest,
                    "entry \(entry.number) of the account is at position \(count): entries are missing or in "
                        + "another order; nothing was written")
            }
        }
    }

    private static func write(
        _ archive: CustomerArchive, of customer: CustomerID, saysAll: Bool, into tables: inout some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        /// For each transaction and balance, the number of entries that the loop has processed so far.
        var met: [TransactionKey: [Balance.ID: Int]] = [:]
        for row in archive.rows {
            switch row {
            case .binding(let subject, let at):
                if try tables.holder(of: subject) == nil { try tables.bind(subject, to: customer, at: at) }
            case .fact(let fact, let learnedAt):
                let known = receipt.newFacts
                if !saysAll { try tables.unpark(fact) }
                try insert(fact, learnedAt, into: &tables, &receipt)
                if saysAll, receipt.newFacts > known { try tables.unpark(fact) }
            case .entry(let entry):
                let isKnown: Bool
                switch entry.cause {
                case .request(let key, _), .access(_, _, let key, _):
                    isKnown = try tables.entry(of: customer, key: key) != nil
                case .revocation(let key, _):
                    // A revocation is not restored if this vault does not have its grant, for example because the grant
                    // was erased.
                    let grants = [AccessGrant](recordedIn: try tables.accessEntries(of: customer))
                    isKnown = !grants.contains { $0.key == key && $0.revocation == nil }
                case .transfer:
                    isKnown = try tables.accessEntries(of: customer).contains {
                        $0.cause == entry.cause && $0.at == entry.at
                    }
                case .transaction(let key, _, _):
                    let name = entry.balance
                    let position = met[key, default: [:]][name, default: 0]
                    met[key, default: [:]][name] = position + 1
                    isKnown =
                        try tables.entries(causedBy: key).count { $0.customer == customer && $0.balance == name }
                        > position
                }
                if isKnown {
                    receipt.knownEntries += 1
                } else if let mark = ErasedMark(entry.cause, of: customer), try tables.isMarked(mark) {
                    // The customer had this entry before the erasure, and the entry is not restored.
                    receipt.knownEntries += 1
                    if case .transaction(let key, _, _) = entry.cause, !receipt.creditedBefore.contains(key) {
                        receipt.creditedBefore.append(key)
                    }
                } else {
                    try append(entry, of: customer, to: &tables, &receipt)
                }
            }
        }
    }

    private static func insert(
        _ fact: VerifiedFact, _ learnedAt: Instant, into tables: inout some VaultTables, _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
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
        guard entry.kind.movesBalance else {
            _ = try tables.append(LedgerDraft(entry, of: customer, after: entry.after))
            receipt.newEntries += 1
            return
        }
        let before = try tables.balance(entry.balance, of: customer) ?? Balance(id: entry.balance)
        let balance = try before.adding(entry.kind, entry.change)
        _ = try tables.append(LedgerDraft(entry, of: customer, after: balance.amount))
        try tables.setBalance(balance, of: customer)
        receipt.newEntries += 1
    }

    /// Appends the entries that the newest copies of the purchases require.
    ///
    /// - Parameter isNew: Whether the customer is new to this vault. If this is true, no entries are added for
    ///   purchases that have no entries in the archive.
    private static func adjust(
        _ batch: CommitBatch, of customer: CustomerID, isNew: Bool, in tables: inout some VaultTables,
        _ receipt: inout RestoreReceipt
    ) throws(VaultError) {
        var account = Account(customer: customer, at: batch.at)
        var settled: Set<TransactionKey> = []
        for transaction in batch.facts.lazy.compactMap(\.transaction) where transaction.productType == .consumable {
            let key = TransactionKey(transaction)
            guard settled.insert(key).inserted else { continue }
            if isNew, try !tables.entries(causedBy: key).contains(where: { $0.customer == customer }) { continue }
            try account.adjust(key, newest: transaction, isFresh: false, by: batch.rule, in: &tables)
        }
        receipt.newEntries += account.entries.count
        receipt.uncredited += account.uncredited
        receipt.creditedBefore += account.creditedBefore.filter { !receipt.creditedBefore.contains($0) }
        _ = try account.close(in: &tables)
    }

    /// Checks, like an audit, that the entries of an account follow from its facts.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest` if the account does not follow from its facts, so that the step
    ///   is rolled back.
    private static func verifyAccount(
        _ customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) {
        var audit = AccountAudit(customer: customer)
        for fact in try tables.facts(after: .start, of: customer, limit: .max) { audit.check(fact, isEarly: true) }
        for entry in try tables.entries(after: .start, of: customer, limit: .max) { audit.check(entry, isEarly: true) }
        try audit.close(in: tables)
        guard let fault = audit.report.faults.first else { return }
        throw VaultError(
            .invalidRequest,
            "the account does not match its facts: \(fault.subject): \(fault.message); nothing was written")
    }
}

extension CustomerArchive {
    /// Whether the account has an entry that grants or revokes access, so that answers may change without new evidence.
    fileprivate var hasAccess: Bool {
        rows.contains { row in if case .entry(let entry) = row { entry.accessChange != nil } else { false } }
    }

    /// The chains that stay with the customer, although a later copy of a transaction contains another token.
    fileprivate var keptChains: Set<ChainID> {
        let moved = rows.compactMap { row -> ChainID? in
            guard case .entry(let entry) = row, case .transfer(.chain(let chain), _, _, _) = entry.cause else {
                return nil
            }
            return chain
        }
        return Set(ChainTokens.byChain(facts).filter { $0.value.isNewestFromLaterCopy }.keys).union(moved)
    }

    /// The tokens that are bound to the customer.
    fileprivate var tokens: [UUID] {
        rows.compactMap { row in
            if case .binding(.token(let token), _) = row { token } else { nil }
        }
    }

    /// Returns the id of a chain's original transaction; for a token, the id from the archive's first transaction with
    /// the token.
    fileprivate func originalID(of subject: BindingSubject) -> Transaction.ID {
        switch subject {
        case .chain(let chain): chain.originalID
        case .token(let token):
            facts.lazy.compactMap(\.transaction).first { $0.appAccountToken == token }?.originalID ?? ""
        }
    }
}
