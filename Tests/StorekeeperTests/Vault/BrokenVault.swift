@testable import Storekeeper

/// A vault in memory with faults.
///
/// Each closure may change the rows that the vault reads or the values that it returns.
struct BrokenVault: TransactionalVault {
    let base = InMemoryVault()
    var onBatch: @Sendable (CommitBatch) -> [CommitBatch] = { [$0] }
    var onRequests: @Sendable ([LedgerRequest]) -> [LedgerRequest] = { $0 }
    var onRecord: @Sendable (CustomerRecord) -> CustomerRecord = { $0 }
    var onFacts: @Sendable ([StoredFact]) throws(VaultError) -> [StoredFact] = { (facts) throws(VaultError) in facts }
    var onEntries: @Sendable ([LedgerEntry]) -> [LedgerEntry] = { $0 }
    var onBalances: @Sendable ([Balance]) -> [Balance] = { $0 }
    var onHolders: @Sendable ([BindingSubject: CustomerID]) -> [BindingSubject: CustomerID] = { $0 }
    var onState: @Sendable (OutboxItem.State?) -> OutboxItem.State? = { $0 }
    var onClaim: @Sendable (CustomerID?) -> CustomerID? = { $0 }
    var onReport: @Sendable (IntegrityReport) -> IntegrityReport = { $0 }
    var onParked: @Sendable (VaultPage<ParkedFact>) -> VaultPage<ParkedFact> = { $0 }
    var onOwed: @Sendable ([CustomerID]) -> [CustomerID] = { $0 }
    var onLease: @Sendable (WakeLease) -> WakeLease = { $0 }
    var onStep: @Sendable (Bool) -> Bool = { $0 }
    var erases = true

    var accountTokens: AccountTokenRule { base.accountTokens }

    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await base.write(footprint(), body) }

    /// Runs a step on a copy of the tables in which rows are changed or missing.
    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await base.read(footprint()) { tables throws(VaultError) in
            var altered = copy tables
            try altered.alterFacts(onFacts)
            altered.alterEntries(onEntries)
            altered.alterBalances(onBalances)
            altered.alterBindings(onHolders)
            return try body(altered)
        }
    }

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        onRecord(try await base.load(customer))
    }
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await base.leaseWake(onLease(lease), at: now)
    }
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        var outcome = CommitOutcome.stale(version: 0)
        for piece in onBatch(batch) { outcome = try await base.commit(piece) }
        return outcome
    }
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        onStep(try await base.wasWritten(step))
    }
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        onParked(try await base.parked(after: place, limit: limit))
    }
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        onHolders(try await base.holders(of: subjects))
    }
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        onClaim(try await base.claim(subject, for: customer, at: instant))
    }
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await base.move(onRequests(requests), policy: policy)
    }
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        onBalances(try await base.balances(of: customer))
    }
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        onEntries(try await base.entries(after: place, of: customer, limit: limit))
    }
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact] {
        try onFacts(try await base.facts(after: place, of: customer, limit: limit))
    }
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        onOwed(try await base.customersOwed(after: previous, limit: limit))
    }
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await base.markDelivery(of: key, as: onState(state))
    }
    func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        if erases { return try await base.erase(customer, reason: reason, at: instant) }
        return Erasure(place: .start, at: instant, reason: reason, facts: 0, entries: 0, proof: "none")
    }
    func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        onReport(try await base.checkIntegrity(containing: head))
    }
}

extension MemoryTables {
    fileprivate mutating func alterFacts(
        _ alter: ([StoredFact]) throws(VaultError) -> [StoredFact]
    ) throws(VaultError) {
        for fact in try facts(after: .start, of: nil, limit: .max) {
            let place = fact.place.number
            if let altered = try alter([fact]).first {
                let row = MemoryRows.Fact(sequence: place, learnedAt: altered.learnedAt, fact: altered.fact)
                set(row, at: place, in: \.facts)
            } else {
                set(nil, at: place, in: \.facts)
                remove(place, from: \.factOrder)
            }
        }
    }

    fileprivate mutating func alterEntries(_ alter: ([LedgerEntry]) -> [LedgerEntry]) {
        alterRows(of: LedgerEntry.self) { alter([$0]).first }
    }

    fileprivate mutating func alterBalances(_ alter: ([Balance]) -> [Balance]) {
        alterRows(of: BalanceRow.self) { row in alter([row.balance]).first.map { BalanceRow($0, of: row.customer) } }
    }

    private mutating func alterRows<Row: RowKind>(of kind: Row.Type, _ alter: (Row) -> Row?) {
        for key in rows.tables[Row.table.number].all.all {
            let cells = RowBuffer()
            guard let row = rows.tables[Row.table.number][key] else { continue }
            cells.unpack(row)
            var reader = RowReader(cells)
            guard let stored = try? Row(from: &reader) else { continue }
            replace(key, with: alter(stored).map { PackedRow($0) }, in: Row.table)
        }
    }

    fileprivate mutating func alterBindings(_ alter: ([BindingSubject: CustomerID]) -> [BindingSubject: CustomerID]) {
        for binding in rows.bindings.values {
            guard let holder = alter([binding.subject: binding.customer])[binding.subject] else { continue }
            set(
                Binding(place: binding.place, subject: binding.subject, customer: holder, at: binding.at),
                at: binding.place.number, in: \.bindings)
        }
    }
}
