/// The rules of a vault, over whatever tables it has.
///
/// Every function is to run inside one step of a ``TabledVault``: it reads, decides and writes, and what it decides on
/// cannot change in between.
public enum Bookkeeping: Sendable {
    /// All that is known of a customer.
    public static func record(
        of customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> CustomerRecord {
        try record(of: customer, facts: try tables.facts(after: 0, of: customer, limit: .max), in: tables)
    }

    /// All that is known of a customer, for tables that have read the facts in a way of their own.
    public static func record(
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
            adoptable: try adoptable(by: customer, in: tables))
    }

    /// What is parked for a customer, without what a commit would refuse because another holds its chain or token.
    private static func adoptable(
        by customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> [VerifiedFact] {
        let waiting = try tables.parked(heldBy: customer).map(\.fact)
        guard !waiting.isEmpty else { return [] }
        let disputed = try Ownership(of: waiting, for: customer, in: tables).disputedChains
        guard !disputed.isEmpty else { return waiting }
        let subjects = Set(disputed.map { RenewalInfoKey($0) })
        return waiting.filter { fact in
            switch fact.content {
            case .transaction(let transaction): !disputed.contains(ChainID(transaction))
            case .renewalInfo(let info): !subjects.contains(RenewalInfoKey(info))
            }
        }
    }

    /// Writes a batch; see ``Vault/commit(_:)``.
    public static func commit(
        _ batch: CommitBatch, to tables: inout some VaultTables
    ) throws(VaultError) -> CommitOutcome {
        try commit(PreparedBatch(batch), to: &tables)
    }

    /// Writes a batch that was prepared before the step; see ``Vault/commit(_:)``.
    public static func commit(
        _ prepared: PreparedBatch, to tables: inout some VaultTables
    ) throws(VaultError) -> CommitOutcome {
        let batch = prepared.batch
        let known = try tables.customer(batch.customer)
        if let expected = batch.expectedVersion, expected != known?.version ?? 0 {
            return .stale(version: known?.version ?? 0)
        }
        let ownership = try Ownership(
            of: batch.facts, outline: prepared.outline, for: batch.customer, in: tables)
        guard ownership.conflicts.isEmpty else { return .conflicts(ownership.conflicts) }

        var row = known ?? CustomerRow(id: batch.customer)
        // Bindings refer to their customer, so that the customer comes first.
        if known == nil { try tables.setCustomer(row) }
        var receipt = CommitReceipt(version: row.version)
        try ownership.bind(to: batch.customer, at: batch.at, in: &tables)
        try insertFacts(of: prepared, isFresh: ownership.isFresh, into: &tables, receipt: &receipt)
        for uuid in batch.notifications where try !tables.insert(notification: uuid, at: batch.at) {
            receipt.repeatedNotifications.insert(uuid)
        }
        for event in batch.events { receipt.events.append(try tables.append(event, about: batch.customer)) }
        let pendingChanged = try updatePending(of: batch, in: &tables)

        let before = row
        row.evaluatedThrough = later(row.evaluatedThrough, batch.evaluatedThrough)
        row.syncedAt = later(row.syncedAt, batch.syncedAt)
        row.wakeAt = batch.wakeAt
        let hasNews = !receipt.newFacts.isEmpty || !receipt.events.isEmpty || pendingChanged
        if hasNews || row != before || known == nil {
            row.version += 1
            try tables.setCustomer(row)
        }
        receipt.version = row.version
        if ownership.binds { receipt.adoptable = try adoptable(by: batch.customer, in: tables) }
        return .committed(receipt)
    }

    private static func later(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }

    /// A transaction of which the batch brings something new.
    private struct News {
        /// Its place among the outline's transactions.
        let subject: Int
        /// The newest of the copies that are new, and its place in the batch.
        var newest: Transaction
        var position: Int
    }

    private static func insertFacts(
        of prepared: PreparedBatch, isFresh: [Bool], into tables: inout some VaultTables, receipt: inout CommitReceipt
    ) throws(VaultError) {
        let (batch, outline) = (prepared.batch, prepared.outline)
        var news: [News] = []
        /// The place in `news` of the outline's transactions, where one may come again.
        var places: [Int: Int] = [:]
        for position in batch.facts.indices {
            let fact = batch.facts[position]
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
            let (key, isFresh) = (outline.subjects[subject].key, isFresh[outline.subjects[subject].claim])
            // Looked up before the fact is there itself; a chain that nobody had has no facts.
            let isOwed =
                if batch.owesDelivery, !isFresh { try tables.copies(of: key).isEmpty } else { batch.owesDelivery }
            guard try tables.insert(fact, learnedAt: batch.at) != nil else {
                // What the policy did not let count when it was learned may count by now.
                if transaction.productType == .consumable, try tables.entries(causedBy: key).isEmpty {
                    if outline.hasCopies { places[subject] = news.count }
                    news.append(News(subject: subject, newest: transaction, position: position))
                }
                continue
            }
            receipt.newFacts.append(position)
            if outline.hasCopies { places[subject] = news.count }
            news.append(News(subject: subject, newest: transaction, position: position))
            if isOwed {
                let item = OutboxItem(key: key, customer: batch.customer, state: .owed)
                if try tables.owe(item) { receipt.owed.append(item) }
            }
        }
        var account = Account(customer: batch.customer, at: batch.at)
        for next in news {
            let subject = outline.subjects[next.subject]
            try account.settle(
                subject.key, newest: next.newest, credits: prepared.credits[next.position],
                isFresh: isFresh[subject.claim], by: batch.rule, in: &tables)
        }
        receipt.entries = account.entries
        receipt.uncredited = account.uncredited
        receipt.balances = try account.close(in: &tables)
    }

    private static func updatePending(
        of batch: CommitBatch, in tables: inout some VaultTables
    ) throws(VaultError) -> Bool {
        guard !batch.pending.isEmpty || !batch.settledPending.isEmpty else { return false }
        let known = try tables.pending(of: batch.customer)
        let started = Set(batch.pending.map(\.productID))
        let kept = known.filter {
            !batch.settledPending.contains($0.productID) && !started.contains($0.productID) && $0.endsAt > batch.at
        }
        let pending = kept + batch.pending
        guard pending != known else { return false }
        try tables.setPending(pending, of: batch.customer)
        return true
    }

    /// Puts evidence aside; see ``Vault/park(_:claimant:at:)``.
    public static func park(
        _ facts: [VerifiedFact], claimant: CustomerID?, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> Int {
        if let claimant {
            for conflict in try Ownership(of: facts, for: claimant, in: tables).conflicts {
                _ = try tables.countAttempt(on: conflict.subject, by: claimant, at: instant)
            }
        }
        var parked = 0
        for fact in facts {
            let entry = ParkedFact(since: instant, reason: claimant == nil ? .unclaimed : .conflict, fact: fact)
            if try tables.park(entry, claimant: claimant) { parked += 1 }
        }
        return parked
    }

    /// Makes a chain or token a customer's; see ``Vault/claim(_:for:at:)``.
    public static func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> CustomerID? {
        if let holder = try Ownership.holder(of: subject, in: tables) {
            if holder == customer { return nil }
            _ = try tables.countAttempt(on: subject, by: customer, at: instant)
            return holder
        }
        if case .chain(let chain) = subject {
            // What is parked may say whose it is.
            let waiting = try tables.parked(of: chain).map(\.fact)
            let ownership = try Ownership(of: waiting, for: customer, in: tables)
            if let conflict = ownership.conflicts.first {
                _ = try tables.countAttempt(on: conflict.subject, by: customer, at: instant)
                return conflict.holder
            }
        }
        if try tables.customer(customer) == nil { try tables.setCustomer(CustomerRow(id: customer)) }
        try tables.bind(subject, to: customer, at: instant)
        return nil
    }

    /// Carries out requests; see ``Vault/move(_:policy:)``.
    public static func move(
        _ requests: [LedgerRequest], policy: RefundPolicy, in tables: inout some VaultTables
    ) throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        for request in requests { try check(request) }
        var results: [Result<LedgerReceipt, LedgerRefusal>] = []
        for request in requests { results.append(try move(request, policy: policy, in: &tables)) }
        return results
    }

    private static func check(_ request: LedgerRequest) throws(VaultError) {
        guard request.quantity >= 1 else {
            throw VaultError(.invalidRequest, "a quantity of \(request.quantity) moves nothing; it must be at least 1")
        }
        guard !request.key.isEmpty else {
            throw VaultError(.invalidRequest, "the key is empty; give every request a name of its own")
        }
        guard !request.balance.isEmpty else { throw VaultError(.invalidRequest, "no balance is named") }
    }

    private static func move(
        _ request: LedgerRequest, policy: RefundPolicy, in tables: inout some VaultTables
    ) throws(VaultError) -> Result<LedgerReceipt, LedgerRefusal> {
        if let entry = try tables.entry(of: request.customer, key: request.key) {
            guard entry.answers(request) else { return .failure(.keyReused) }
            return .success(LedgerReceipt(entry: entry, isReplay: true))
        }
        let balance = try tables.balance(request.balance, of: request.customer) ?? Balance(id: request.balance)
        let (kind, change): (LedgerEntry.Kind, Int64)
        switch request.kind {
        case .spend:
            if policy == .freeze, let debt = try tables.balances(of: request.customer).first(where: { $0.amount < 0 }) {
                return .failure(.frozen(balance: debt.id))
            }
            guard balance.amount >= request.quantity else {
                return .failure(.insufficient(balance: balance.amount))
            }
            (kind, change) = (.spend, -request.quantity)
        case .grant:
            (kind, change) = (.grant, request.quantity)
            if try tables.customer(request.customer) == nil {
                try tables.setCustomer(CustomerRow(id: request.customer))
            }
        }
        let after = try balance.adding(kind, change)
        let entry = try tables.append(
            LedgerDraft(
                customer: request.customer, at: request.at, kind: kind, balance: request.balance, change: change,
                after: after.amount, cause: .request(key: request.key, reason: request.reason)))
        try tables.setBalance(after, of: request.customer)
        return .success(LedgerReceipt(entry: entry, isReplay: false))
    }
}

extension LedgerRequest {
    /// The reason of a grant.
    var reason: String? {
        if case .grant(let reason) = kind { reason } else { nil }
    }
}

extension LedgerEntry {
    /// Whether this entry carries out a request that has its key.
    fileprivate func answers(_ request: LedgerRequest) -> Bool {
        guard case .request(_, let reason) = cause, ByteText.areEqual(balance, request.balance),
            ByteText(reason ?? "") == ByteText(request.reason ?? ""), (reason == nil) == (request.reason == nil)
        else {
            return false
        }
        switch request.kind {
        case .spend: return kind == .spend && change == -request.quantity
        case .grant: return kind == .grant && change == request.quantity
        }
    }
}
