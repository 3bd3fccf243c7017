/// A vault whose rules are carried out in steps over tables.
///
/// The law of a step: nobody changes what it reads or writes until it is written.
package protocol SteppedVault: Vault {
    /// The tables, as they are inside a step.
    associatedtype Tables: VaultTables

    /// Whether ``Vault/checkIntegrity()`` finds rows of customers who are not there, in one state of the tables: whoever
    /// reads a part at a time cannot tell them from those of somebody who was erased meanwhile.
    var findsStrays: Bool { get }

    /// Runs a step that writes.
    ///
    /// Nobody changes what this step reads or writes until it is written, in no other process either; steps about other
    /// rows may run beside it. When the body returns, what it wrote is made durable before this call returns; when it
    /// throws, nothing of it may stay. Several waiting steps may share one durable write, if each is undone alone when
    /// it throws. The body may be run again, from the start, when what it wrote was undone.
    func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that only reads, and sees one state of the tables; the body may be run again, from the start.
    func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that reads little, as ``read(_:)`` does; steps that wait at the same time may see the same state.
    func readShortly<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome
}

extension SteppedVault {
    /// A step that reads little is one like every other.
    package func readShortly<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read(body)
    }

    /// Rows of customers who are not there have to be looked for.
    package var findsStrays: Bool { false }

    /// Whether there is anything of a customer: something was written about them, or evidence waits for them.
    package func knows(_ customer: CustomerID) async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in
            try VaultRules.knows(customer, in: tables)
        }
    }
}

/// A vault that is near to its tables, so that they answer row by row, lists of everything included.
///
/// All calls of ``Vault`` but ``Vault/checkIntegrity()`` are done by ``VaultRules`` over these tables.
package protocol TabledVault: SteppedVault {}

extension TabledVault {
    /// All that is known of a customer.
    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await read { tables throws(VaultError) in try VaultRules.record(of: customer, in: tables) }
    }

    /// The version of a customer and where their account ends.
    public func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await readShortly { tables throws(VaultError) in
            try VaultRules.version(of: customer, in: tables)
        }
    }

    /// The same of many customers, in their order and in one state of the tables.
    public func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)] {
        try await read { tables throws(VaultError) in
            var versions: [(version: Int64, lastEntry: AccountEnd)] = []
            for customer in customers { versions.append(try VaultRules.version(of: customer, in: tables)) }
            return versions
        }
    }

    /// Customers in order of id.
    public func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await read { tables throws(VaultError) in try tables.customers(after: previous, limit: limit) }
    }

    /// The customer whose answers change first by time alone, and when.
    public func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await read { tables throws(VaultError) in try tables.earliestWake() }
    }

    /// Gives a node the customer whose answers change first by time alone, for a while.
    public func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await write { tables throws(VaultError) in try VaultRules.leaseWake(lease, at: now, in: &tables) }
    }

    /// Writes a batch.
    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        let prepared = PreparedBatch(batch)
        return try await write { tables throws(VaultError) in try VaultRules.commit(prepared, to: &tables) }
    }

    /// Whether a batch with this step was written.
    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in try tables.isWritten(step) }
    }

    /// Whose facts are, by the same rule as a commit.
    public func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await readShortly { tables throws(VaultError) in try VaultRules.owners(of: facts, in: tables) }
    }

    /// What is parked, oldest first.
    public func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await read { tables throws(VaultError) in try tables.parked(after: place, limit: limit) }
    }

    /// What is parked and would be the customer's if it was committed for them now.
    public func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await read { tables throws(VaultError) in
            try VaultRules.adoptable(by: customer, after: place, limit: limit, in: tables)
        }
    }

    /// The customers to whom chains and tokens belong.
    public func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await read { tables throws(VaultError) in
            try Ownership.holders(of: subjects, in: tables)
        }
    }

    /// The chains with an original transaction id that the vault has heard of.
    public func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await read { tables throws(VaultError) in try tables.chains(originalID: originalID) }
    }

    /// What belongs to a customer.
    public func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await read { tables throws(VaultError) in try tables.bindings(of: customer) }
    }

    /// Makes a chain or token a customer's.
    public func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await write { tables throws(VaultError) in
            try VaultRules.claim(subject, for: customer, at: instant, in: &tables)
        }
    }

    /// Carries out requests.
    public func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await write { tables throws(VaultError) in
            try VaultRules.move(requests, policy: policy, in: &tables)
        }
    }

    /// The balances of a customer.
    public func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await read { tables throws(VaultError) in try tables.balances(of: customer) }
    }

    /// Entries in order.
    public func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await read { tables throws(VaultError) in
            try tables.entries(after: place, of: customer, limit: limit)
        }
    }

    /// Facts in the order in which they were learned.
    public func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await read { tables throws(VaultError) in try tables.facts(after: place, of: customer, limit: limit) }
    }

    /// Events in the order in which they were written.
    public func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await read { tables throws(VaultError) in try tables.events(after: place, of: customer, limit: limit) }
    }

    /// What a customer is owed, a delivery or a `finish`.
    public func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await read { tables throws(VaultError) in try tables.unfinished(of: customer) }
    }

    /// The customers who are owed a delivery or a `finish`.
    public func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await read { tables throws(VaultError) in try tables.customersOwed(after: previous, limit: limit) }
    }

    /// Notes how far a transaction has come.
    public func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await write { tables throws(VaultError) in try tables.markDelivery(of: key, as: state) }
    }

    /// Which of some notifications are done with.
    public func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await readShortly { tables throws(VaultError) in
            try VaultRules.seenNotifications(among: uuids, in: tables)
        }
    }

    /// How far a backend's stream has been read.
    public func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await read { tables throws(VaultError) in try tables.cursor(of: backend) }
    }

    /// Notes how far a backend's stream has been read.
    public func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await write { tables throws(VaultError) in try tables.setCursor(cursor, of: backend) }
    }

    /// Takes out everything about a customer and keeps the proof that it was done.
    public func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await write { tables throws(VaultError) in
            try VaultRules.erase(customer, reason: reason, at: instant, in: &tables)
        }
    }

    /// The erasures of a customer.
    public func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await read { tables throws(VaultError) in try tables.erasures(of: customer) }
    }
}
