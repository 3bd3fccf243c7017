import FoundationEssentials

/// The rules of a vault, for any type of ``VaultTables``.
///
/// Every function must run inside one step of a ``TransactionalVault``, so that the rows that the function reads cannot
/// change before its writes are durable.
package enum VaultRules: Sendable {
    /// Loads all data of a customer; see ``TransactionalVault/load(_:)``.
    package static func record(
        of customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerRecord {
        try record(of: customer, facts: try tables.facts(after: .start, of: customer, limit: .max), in: tables)
    }

    /// Loads all data of a customer except the facts, which the caller has read separately.
    package static func record(
        of customer: CustomerID, facts: [StoredFact], in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerRecord {
        let row = try tables.customer(customer)
        return CustomerRecord(
            version: row?.version ?? 0,
            facts: facts,
            balances: try tables.balances(of: customer),
            lastEntry: try tables.lastEntry(of: customer),
            evaluatedThrough: row?.evaluatedThrough,
            syncedAt: row?.syncedAt,
            unfinished: try tables.unfinished(of: customer),
            pending: try tables.pending(of: customer),
            grants: [AccessGrant](recordedIn: try tables.accessEntries(of: customer)),
            adoptable: try adoptable(by: customer, after: .start, limit: parkPage, in: tables))
    }

    /// The maximum number of parked facts that are read at once, because thousands may be parked for one customer.
    static let parkPage = 500

    /// Returns a page of a customer's parked facts, without the facts that belong to another customer; see
    /// ``TransactionalVault/adoptable(by:after:limit:)``.
    package static func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int, in tables: borrowing some VaultTables
    ) throws(VaultError) -> VaultPage<VerifiedFact> {
        try adoptable(of: try tables.parked(heldBy: customer, after: place, limit: limit), by: customer, in: tables)
    }

    /// Returns the facts of a page without the facts that belong to another customer, because a commit would park these
    /// again.
    package static func adoptable(
        of page: VaultPage<ParkedFact>, by customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> VaultPage<VerifiedFact> {
        let waiting = page.rows.map(\.fact)
        guard !waiting.isEmpty else { return VaultPage(next: page.next) }
        let outline = FactOutline(waiting)
        let own = try Ownership(of: waiting, outline: outline, for: .customer(customer), in: tables)
            .ownPositions(of: waiting, outline)
        return VaultPage(own.map { waiting[$0] }, next: page.next)
    }

    /// Returns the version of a customer and the position of the last entry of their account; see
    /// ``TransactionalVault/version(of:)``.
    package static func version(
        of customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        (try tables.customer(customer)?.version ?? 0, try tables.lastEntry(of: customer))
    }

    /// Returns the first row of a customer, with a version greater than each version that an erased customer has had.
    ///
    /// If a version were reused after an erasure, a store in memory could mistake the customer's new data for the
    /// erased data that it has read.
    static func newRow(
        of customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerRow {
        CustomerRow(id: customer, version: try tables.versionFloor())
    }

    /// Writes a batch; see ``TransactionalVault/commit(_:)``.
    package static func commit(
        _ batch: CommitBatch, to tables: inout some VaultTables
    ) throws(VaultError) -> CommitOutcome {
        try commit(PreparedBatch(batch), to: &tables)
    }

    /// Writes a batch that was prepared before the step; see ``TransactionalVault/commit(_:)``.
    package static func commit(
        _ prepared: PreparedBatch, to tables: inout some VaultTables
    ) throws(VaultError) -> CommitOutcome {
        let batch = prepared.batch
        let known: CustomerRow? = if let customer = batch.customer { try tables.customer(customer) } else { nil }
        if let expected = batch.expectedVersion, expected != known?.version ?? 0 {
            return .stale(version: known?.version ?? 0)
        }
        if let step = batch.step {
            guard try !tables.isWritten(step) else { return .stale(version: known?.version ?? 0) }
        }
        let ownership = try Ownership(of: batch.facts, outline: prepared.outline, for: batch.recipient, in: tables)
        if let expected = batch.expectedOwn, !ownership.isWhole || expected.count != batch.facts.count {
            let own = ownership.ownPositions(of: batch.facts, prepared.outline)
            guard own == expected else { return .ownershipDiffers(own: own) }
        }
        var access: LedgerDraft?
        if let change = batch.access {
            guard let customer = batch.customer else {
                throw VaultError(.invalidRequest, "a change of access names no customer")
            }
            switch try entry(of: change, for: customer, in: tables) {
            case .success(let draft): access = draft
            case .failure(let refusal): return .refused(refusal)
            }
        }
        if let step = batch.step {
            try tables.insert(
                step: step, at: batch.at, forgettingBefore: batch.at.adding(milliseconds: -StepID.memory))
        }
        var receipt = CommitReceipt(version: known?.version ?? 0)
        if !ownership.isWhole { receipt.parked = try parkForOwners(prepared, by: ownership, in: &tables) }
        // A batch whose facts were all parked changes nothing for the customer. A batch without facts, such as one that
        // only sets the customer's next wake-up time, may arrive after the customer was erased, and must not create the
        // customer again.
        let isAboutKnown = known != nil && (batch.facts.isEmpty || !batch.settledPending.isEmpty)
        guard let customer = batch.customer,
            receipt.parked.positions.count < batch.facts.count || batch.addsMoreThanFacts || isAboutKnown
        else {
            try recordNotifications(of: batch, in: &tables, receipt: &receipt)
            return .committed(receipt)
        }
        let row = if let known { known } else { try newRow(of: customer, in: tables) }
        try write(prepared, access, about: row, known, by: ownership, to: &tables, &receipt)
        return .committed(receipt)
    }

    /// Writes the batch's changes to the data of its customer.
    ///
    /// - Parameters:
    ///   - access: The account entry that records the batch's change of access.
    ///   - row: The row of the customer, new or stored.
    ///   - known: The stored row; `nil` for an unknown customer.
    private static func write(
        _ prepared: PreparedBatch, _ access: LedgerDraft?, about row: CustomerRow, _ known: CustomerRow?,
        by ownership: Ownership,
        to tables: inout some VaultTables, _ receipt: inout CommitReceipt
    ) throws(VaultError) {
        let batch = prepared.batch
        var row = row
        // Bindings refer to the row of their customer, so the row is written first.
        if known == nil {
            try LengthLimit.id.check(row.id.rawValue, "the customer's id")
            try tables.setCustomer(row)
        }
        for subject in ownership.unbound { try tables.bind(subject, to: row.id, at: batch.at) }
        try insertFacts(of: prepared, about: row.id, by: ownership, into: &tables, receipt: &receipt)
        if let access { receipt.entries.append(try tables.append(access)) }
        try recordNotifications(of: batch, in: &tables, receipt: &receipt)
        // A notification that was recorded before has its event already.
        let isRepeated = !receipt.repeatedNotifications.isEmpty
        for event in batch.events where event.notification == nil || !isRepeated {
            receipt.events.append(try tables.append(event, about: row.id))
        }
        let pendingChanged = try updatePending(of: batch, about: row.id, in: &tables)

        row.evaluatedThrough = later(row.evaluatedThrough, batch.evaluatedThrough)
        row.syncedAt = later(row.syncedAt, batch.syncedAt)
        row.wakeAt = batch.wakeAt
        let hasNews = !receipt.newFacts.isEmpty || !receipt.events.isEmpty || pendingChanged || access != nil
        if hasNews || row != known {
            try row.advance()
            try tables.setCustomer(row)
        }
        receipt.version = row.version
        if !ownership.unbound.isEmpty {
            // A new customer also owns the token that is the same UUID as the customer's id.
            let token = known == nil ? tables.accountTokens.token(naming: row.id).map { BindingSubject.token($0) } : nil
            let page = try tables.parked(under: ownership.unbound + (token.map { [$0] } ?? []), limit: parkPage)
            receipt.adoptable = try adoptable(of: page, by: row.id, in: tables)
        }
    }

    /// Parks the facts that do not belong to the batch's customer.
    private static func parkForOwners(
        _ prepared: PreparedBatch, by ownership: Ownership, in tables: inout some VaultTables
    ) throws(VaultError) -> ParkedFacts {
        let batch = prepared.batch
        var aside = ParkedFacts()
        for dispute in ownership.disputes {
            guard let claimant = batch.customer else { continue }
            aside.conflicts.append(
                BindingConflict(
                    dispute, claimant: claimant,
                    attempts: try tables.countAttempt(on: dispute.subject, by: claimant, at: batch.at)))
        }
        let holders = Dictionary(
            ownership.disputes.filter { $0.subject == .chain($0.chain) }.map { ($0.chain, $0.holder) },
            uniquingKeysWith: { first, _ in first })
        var owners: Set<CustomerID> = []
        for (position, fact) in batch.facts.enumerated() {
            let verdict = ownership.verdict(on: fact, at: position, of: prepared.outline)
            guard !verdict.isOwn else { continue }
            aside.positions.append(position)
            let isDisputed = verdict == .disputed
            let waiting = ParkedFact(
                since: batch.at, reason: isDisputed ? .conflict : .unclaimed, fact: fact,
                claimant: isDisputed ? batch.customer : nil)
            let isNew = try tables.park(waiting, claimant: isDisputed ? batch.customer : nil)
            guard isNew else { continue }
            // A notification is parked beside the evidence inside it, which is counted.
            if fact.notification == nil {
                aside.new += 1
                if verdict == .unowned { aside.unclaimed += 1 }
            }
            var owner: CustomerID?
            if case .ofAnother(let other) = verdict { owner = other }
            // A new copy of a transaction that counts, such as its refund, is taken in at once, whoever presents it.
            if isDisputed, let transaction = fact.transaction, let holder = holders[ChainID(transaction)] {
                let copies = try tables.copies(of: TransactionKey(transaction))
                let isKnown = copies.contains { $0.source.payload == transaction.source.payload }
                if !copies.isEmpty, !isKnown { owner = holder }
            }
            if let owner, owners.insert(owner).inserted { aside.owners.append(owner) }
        }
        return aside
    }

    static func later(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }

    /// A transaction with new copies in the batch.
    private struct NewCopies {
        /// The index of the transaction in the outline's `subjects`.
        let subject: Int
        /// The newest of the new copies, and its position in the batch.
        var newest: Transaction
        var position: Int
    }

    private static func insertFacts(
        of prepared: PreparedBatch, about customer: CustomerID, by ownership: Ownership,
        into tables: inout some VaultTables, receipt: inout CommitReceipt
    ) throws(VaultError) {
        let (batch, outline) = (prepared.batch, prepared.outline)
        let isWhole = ownership.isWhole
        var news: [NewCopies] = []
        /// For each index in the outline's `subjects`, the index in `news`; filled only if the batch has several copies
        /// of a transaction.
        var places: [Int: Int] = [:]
        for position in batch.facts.indices {
            let fact = batch.facts[position]
            if !isWhole, !ownership.verdict(on: fact, at: position, of: outline).isOwn { continue }
            try tables.unpark(fact)
            guard let transaction = fact.transaction, let subject = outline.places[position] else {
                if try tables.insert(fact, learnedAt: batch.at) != nil { receipt.newFacts.append(position) }
                continue
            }
            if outline.hasCopies, let place = places[subject] {
                guard try tables.insert(fact, learnedAt: batch.at) != nil else { continue }
                receipt.newFacts.append(position)
                if CopyOrder.supersedes(transaction, news[place].newest) {
                    (news[place].newest, news[place].position) = (transaction, position)
                }
                continue
            }
            let key = outline.subjects[subject].key
            let isFresh = ownership.isFresh(claim: outline.subjects[subject].claim)
            // The app must deliver a transaction only if no copy of it is stored yet, so the stored copies are read
            // before the fact is inserted. A chain that had no owner has no stored copies.
            let isOwed =
                if batch.owesDelivery, !isFresh { try tables.copies(of: key).isEmpty } else { batch.owesDelivery }
            guard try tables.insert(fact, learnedAt: batch.at) != nil else {
                // A consumable that was stored without a credit may be credited now, if the batch's ``LedgerRule``
                // differs from the earlier rule.
                if transaction.productType == .consumable,
                    try !tables.entries(causedBy: key).contains(where: { $0.customer == customer })
                {
                    if outline.hasCopies { places[subject] = news.count }
                    news.append(NewCopies(subject: subject, newest: transaction, position: position))
                }
                continue
            }
            receipt.newFacts.append(position)
            if outline.hasCopies { places[subject] = news.count }
            news.append(NewCopies(subject: subject, newest: transaction, position: position))
            if isOwed {
                // If the transaction was credited to a customer who has since been erased, its content was delivered
                // before the erasure, and no delivery is owed.
                let isMarked =
                    if transaction.productType == .consumable { try tables.isMarked(.transaction(key)) } else { false }
                let item = OutboxItem(key: key, customer: customer, state: isMarked ? .delivered : .owed)
                if try tables.addOutstandingDelivery(item) { receipt.owed.append(item) }
            }
        }
        var account = Account(customer: customer, at: batch.at)
        for next in news {
            let subject = outline.subjects[next.subject]
            try account.adjust(
                subject.key, newest: next.newest, credits: prepared.credits[next.position],
                isFresh: ownership.isFresh(claim: subject.claim), by: batch.rule, in: &tables)
        }
        receipt.entries = account.entries
        receipt.uncredited = account.uncredited
        receipt.creditedBefore = account.creditedBefore
        receipt.balances = try account.close(in: &tables)
    }

    private static func updatePending(
        of batch: CommitBatch, about customer: CustomerID, in tables: inout some VaultTables
    ) throws(VaultError) -> Bool {
        guard !batch.pending.isEmpty || !batch.settledPending.isEmpty else { return false }
        let known = try tables.pending(of: customer)
        let pending = known.adding(batch.pending, settling: batch.settledPending, at: batch.at)
        guard pending != known else { return false }
        try tables.setPending(pending, of: customer)
        return true
    }

    /// Returns the owners of facts; see ``TransactionalVault/owners(of:)``.
    package static func owners(
        of facts: [VerifiedFact], in tables: borrowing some VaultTables
    ) throws(VaultError) -> [CustomerID?] {
        try Ownership.owners(of: facts, FactOutline(facts), in: tables)
    }

    /// Binds a chain or token to a customer; see ``TransactionalVault/claim(_:for:at:)``.
    package static func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try Ownership.holder(of: subject, for: customer, in: tables) {
            if holder == customer { return nil }
            _ = try tables.countAttempt(on: subject, by: customer, at: instant)
            return holder
        }
        if case .chain(let chain) = subject {
            // An account token in parked evidence may determine the owner of the chain. All parked evidence of the
            // chain takes part in the decision, whichever of it is presented.
            if let waiting = try tables.parked(of: chain, after: .start, limit: 1).rows.first?.fact,
                let dispute = try Ownership(of: [waiting], for: .customer(customer), in: tables).disputes.first
            {
                _ = try tables.countAttempt(on: dispute.subject, by: customer, at: instant)
                return dispute.holder
            }
        }
        if try tables.customer(customer) == nil {
            try LengthLimit.id.check(customer.rawValue, "the customer's id")
            try tables.setCustomer(newRow(of: customer, in: tables))
        }
        try tables.bind(subject, to: customer, at: instant)
        return nil
    }

    /// Carries out requests; see ``TransactionalVault/move(_:policy:)``.
    package static func move(
        _ requests: [LedgerRequest], policy: RefundPolicy, in tables: inout some VaultTables
    ) throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        for request in requests { try request.check() }
        var results: [Result<LedgerReceipt, LedgerRefusal>] = []
        for request in requests { results.append(try move(request, policy: policy, in: &tables)) }
        return results
    }

    private static func move(
        _ request: LedgerRequest, policy: RefundPolicy, in tables: inout some VaultTables
    ) throws(VaultError) -> Result<LedgerReceipt, LedgerRefusal> {
        if let entry = try tables.entry(of: request.customer, key: request.key) {
            guard entry.answers(request) else { return .failure(.keyReused) }
            return .success(LedgerReceipt(entry: entry, isReplay: true))
        }
        // The entry with this key was erased with the customer, so the first receipt cannot be returned again.
        if try tables.isMarked(.request(request.customer, key: request.key)) { return .failure(.keyReused) }
        try request.checkLengths()
        let balance = try tables.balance(request.balance, of: request.customer) ?? Balance(id: request.balance)
        let (kind, change): (LedgerEntry.Kind, Int64)
        switch request.kind {
        case .spend:
            var isRefused = false
            if let id = request.refusalID { isRefused = try tables.isWritten(id) }
            var refusal: LedgerRefusal?
            if isRefused || balance.amount < request.quantity { refusal = .insufficient(balance: balance.amount) }
            if policy == .freeze, let debt = try tables.balances(of: request.customer).first(where: { $0.amount < 0 }) {
                refusal = .frozen(balance: debt.id)
            }
            if let refusal {
                // The caller now knows that nothing was changed. A node that received the same request earlier, and was
                // stopped before it carried the request out, must not carry it out later.
                if !isRefused, let id = request.refusalID {
                    try tables.insert(
                        step: id, at: request.at,
                        forgettingBefore: request.at.adding(milliseconds: -StepID.memory))
                }
                return .failure(refusal)
            }
            (kind, change) = (.spend, -request.quantity)
        case .grant:
            (kind, change) = (.grant, request.quantity)
            if try tables.customer(request.customer) == nil {
                try tables.setCustomer(newRow(of: request.customer, in: tables))
            }
        }
        let after = try balance.adding(kind, change)
        let entry = try tables.append(
            LedgerDraft(
                customer: request.customer, at: request.at, kind: kind, balance: request.balance, change: change,
                after: after.amount, cause: .request(key: request.key, reason: request.reason),
                recordedBy: request.recordedBy))
        try tables.setBalance(after, of: request.customer)
        return .success(LedgerReceipt(entry: entry, isReplay: false))
    }
}

extension CommitBatch {
    /// Whether the batch adds data other than facts to its customer; such a batch creates an unknown customer.
    ///
    /// Notifications do not count, because they are recorded without a customer.
    fileprivate var addsMoreThanFacts: Bool {
        !events.isEmpty || syncedAt != nil || !pending.isEmpty || access != nil
    }
}

extension BindingConflict {
    init(_ dispute: Ownership.Dispute, claimant: CustomerID, attempts: Int) {
        self.init(
            originalTransactionID: dispute.chain.originalID, subject: dispute.subject, holder: dispute.holder,
            claimant: claimant, attempts: attempts)
    }
}

extension LedgerRequest {
    /// The id that is stored if the request is refused, so that the same request is not carried out later; `nil` if a
    /// refusal is not remembered.
    package var refusalID: StepID? {
        guard kind == .spend, remembersRefusal else { return nil }
        return StepID(hashing: [customer.rawValue, key.rawValue, balance.rawValue, String(quantity)])
    }

    /// The reason of a grant.
    var reason: String? {
        if case .grant(let reason) = kind { reason } else { nil }
    }
}

extension LedgerEntry {
    /// Returns whether this entry is the result of the given request, and not of another request with the same key.
    fileprivate func answers(_ request: LedgerRequest) -> Bool {
        guard case .request(_, let reason) = cause, balance == request.balance,
            (reason ?? "").hasSameBytes(as: request.reason ?? ""), (reason == nil) == (request.reason == nil)
        else {
            return false
        }
        switch request.kind {
        case .spend: return kind == .spend && change == -request.quantity
        case .grant: return kind == .grant && change == request.quantity
        }
    }
}
