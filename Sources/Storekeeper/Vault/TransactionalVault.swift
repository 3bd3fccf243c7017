/// A vault whose calls are atomic steps that read and write tables, like all of Storekeeper's vaults.
///
/// Steps are isolated: the rows that a step reads or writes do not change until the step is written.
package protocol TransactionalVault: Vault {
    /// The type of the tables that a step reads and writes.
    associatedtype Tables: VaultTables

    /// Whether one step can list the rows of all customers; a remote vault lists these rows only outside of its steps.
    var listsInSteps: Bool { get }

    /// Whether ``Vault/checkIntegrity(containing:)`` reports rows without a customer; the check must then read one
    /// state of all tables.
    ///
    /// A caller that reads the tables in several steps cannot tell whether such rows belong to a customer who was
    /// erased between the steps.
    var findsStrays: Bool { get }

    /// This vault, if several processes share it and notify each other; otherwise `nil`.
    var sharing: (any SharedVault)? { get }

    /// A number that grows when another process has committed, read from the storage now; negative if the vault cannot
    /// tell now, and `nil` if it does not notice such commits, or reports them by itself (``sharing``).
    var foreignCommits: Int64? { get }

    /// The epoch of the feed, read from the storage when it was last opened or connected; `nil` if the places of the feed
    /// never go back.
    ///
    /// If a database server is replaced by one that lacks the last commits, places are assigned again, to other rows. A
    /// place is therefore valid only in its epoch.
    var feedEpoch: String? { get }

    /// The number of database connections in use, and of sessions that wait for one; `nil` without a database server.
    var connectionUse: (busy: Int, waiting: Int)? { get }

    /// This vault, if it can be copied into another vault; otherwise `nil`.
    var copying: (any CopyableVault)? { get }

    /// Runs a step that writes.
    ///
    /// The rows that this step reads or writes do not change until the step is written, not even by other processes.
    /// Steps about other rows may run concurrently. If the body returns, its writes are durable when this call returns.
    /// If the body throws, its writes are undone. Several waiting steps may share one durable write, if each step can
    /// be undone separately.
    ///
    /// - Parameters:
    ///   - footprint: The rows that the step will probably read. A remote vault loads these rows first; a local vault
    ///     ignores the footprint.
    ///   - body: The step. It may run again, from the start, after its writes were undone.
    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a step that only reads, on a snapshot of the tables; the body may run again, from the start.
    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    /// Runs a short read-only step, like ``read(_:_:)``; concurrent short steps may share a snapshot of the tables.
    func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome

    // MARK: Customers

    /// Returns all data of a customer; for an unknown customer, returns an empty record with version 0.
    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord

    /// Returns the version of a customer and the position of the last entry of their account; if either has changed,
    /// another writer has changed the customer's data.
    func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd)

    /// Returns the results of ``version(of:)`` for many customers, in the order of `customers`, read in one step.
    func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)]

    /// Returns the customer with the earliest wake, the next instant at which an answer changes by time alone; `nil` if
    /// no customer has a wake.
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)?

    /// Leases a customer to a node: the first customer whose wake is due and who is not leased to another node.
    ///
    /// A repeated call by the same node returns the same customer. Other nodes get the customer when the lease has
    /// ended, or when a batch has set another wake. Because clocks may differ, a lease of another node is ignored if it
    /// ends later than `now` plus twice the duration of `lease`.
    ///
    /// - Parameters:
    ///   - lease: The node, and the duration of the lease.
    ///   - now: The time by the node's clock, in UTC.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision

    // MARK: Evidence

    /// Writes a batch.
    ///
    /// One step finds the owner of each fact, and adds the customer's new facts. The chains of these facts, and the
    /// tokens of their newest copies, are bound to the customer if they have no owner. Consumables change balances by
    /// the batch's rule. The events and the rest of the batch are written. The customer's facts are removed from the
    /// park. Facts of other customers, and facts without an owner, are parked.
    ///
    /// A batch creates an unknown customer only if it adds facts of the customer, events, pending purchases, access, or
    /// the instant of a sync. A batch without such data may arrive after the customer was erased, and must not create
    /// the customer again.
    ///
    /// - Returns: The receipt, which lists the parked facts; or the reason why nothing was written.
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome

    /// Returns whether the batch with a step id was written, for a caller whose commit has failed without an answer.
    ///
    /// Call this after the commit has ended, and within seven days. If the result is `false`, the batch will never be
    /// written. If a vault has lost its database connection during a `COMMIT`, it must make sure of this before it
    /// returns `false`. For example, it writes the step id itself, so that the database refuses a later commit of the
    /// lost step.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool

    /// Returns the customers to whom a commit would assign facts.
    ///
    /// - Returns: For each transaction, the owner of its chain, or else the customer named by its newest token, even if
    ///   the vault has no row of that customer. For each app transaction, the owner of its chain. For each other fact,
    ///   the owner of a chain with the same environment and original transaction. `nil` for a fact without an owner.
    func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?]

    /// Returns a page of the parked facts that would belong to the customer if they were committed now, oldest first.
    ///
    /// A fact is left out if its chain or newest token belongs to another customer. Committing the facts of a page does
    /// not change where the next page begins. A commit that binds a chain or token may make facts on earlier pages
    /// adoptable; the receipt of the commit lists these facts.
    ///
    /// - Parameters:
    ///   - customer: The future owner.
    ///   - place: As in ``parked(after:limit:)``.
    ///   - limit: The maximum number of parked facts that are examined.
    func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact>

    /// Returns the chains with an original transaction id that the vault's facts, bindings or parked facts name.
    func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID]

    /// Binds a chain or token to a customer.
    ///
    /// The first claim creates the binding, and a repeated claim returns the same result. The parked facts of the chain
    /// or token stay parked until they are committed; ``adoptable(by:after:limit:)`` lists them.
    ///
    /// - Returns: `nil` if the chain or token belongs to the customer now; otherwise its owner.
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID?

    // MARK: Accounts

    /// Carries out ledger requests in order; a refused request changes nothing, and the next request is still carried
    /// out.
    ///
    /// If the customer has used a request's idempotency key before, the result is the receipt of the first request if
    /// both requests are equal, and ``LedgerRefusal/keyReused`` if they differ. A request that spends more than the
    /// balance is refused with ``LedgerRefusal/insufficient(balance:)``. The same request is then refused again for at
    /// least seven days, even if the balance has grown, so that it is not carried out after its caller has learned of the
    /// refusal; another attempt to spend needs another key.
    ///
    /// - Parameters:
    ///   - requests: The requests. A quantity below 1, an empty key or an empty name throws `invalidRequest`.
    ///   - policy: The policy that decides whether a balance below zero freezes all balances of its customer.
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>]

    // MARK: Facts and events

    /// Returns facts in the order in which they were learned; see ``entries(after:of:limit:)``.
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact]

    // MARK: Delivery

    /// Returns the outstanding deliveries and `finish` calls of a customer, oldest first.
    func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem]

    /// Returns a page of the customers with an outstanding delivery or `finish` call; see ``customers(after:limit:)``.
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    /// Records that the app has delivered the content of a transaction, or that the transaction is finished if `state`
    /// is `nil`.
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError)

    /// Returns the ids of the given notifications that were processed: a batch with their ids was written.
    func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID>

    /// Returns the position up to which a backend's stream was read; `nil` if the stream was never read.
    func cursor(of backend: String) async throws(VaultError) -> UpdateCursor?

    /// Records the position up to which a backend's stream was read.
    func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError)
}

extension TransactionalVault {
    package var listsInSteps: Bool { true }
    package var findsStrays: Bool { false }
    package var sharing: (any SharedVault)? { nil }
    package var foreignCommits: Int64? { nil }
    package var feedEpoch: String? { nil }
    package var connectionUse: (busy: Int, waiting: Int)? { nil }
    package var copying: (any CopyableVault)? { nil }

    package func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read(footprint(), body)
    }

    /// Runs a step that writes, without a footprint.
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write([], body)
    }

    /// Runs a step that only reads, without a footprint.
    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await read([], body)
    }

    /// Returns whether the vault has data of a customer, including parked evidence.
    package func containsCustomer(_ customer: CustomerID) async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in
            try VaultRules.containsCustomer(customer, in: tables)
        }
    }
}

// Each call is one step that reads or writes the tables. The requirements of ``Vault`` and ``TransactionalVault``
// document the calls.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension TransactionalVault {
    public var implementation: VaultImplementation { VaultImplementation(self) }

    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await read(Footprint(recordOf: customer)) { tables throws(VaultError) in
            try VaultRules.record(of: customer, in: tables)
        }
    }

    package func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await readShortly([.customer(customer)]) { tables throws(VaultError) in
            try VaultRules.version(of: customer, in: tables)
        }
    }

    package func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)] {
        try await read(Footprint(customers.map { .customer($0) })) { tables throws(VaultError) in
            var versions: [(version: Int64, lastEntry: AccountEnd)] = []
            for customer in customers { versions.append(try VaultRules.version(of: customer, in: tables)) }
            return versions
        }
    }

    public func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await read(Footprint(list: .customers(after: previous, limit: limit))) { tables throws(VaultError) in
            try tables.customers(after: previous, limit: limit)
        }
    }

    package func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await read(Footprint(list: .earliestWake)) { tables throws(VaultError) in try tables.earliestWake() }
    }

    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await write([]) { tables throws(VaultError) in try VaultRules.leaseWake(lease, at: now, in: &tables) }
    }

    package func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        let prepared = PreparedBatch(batch)
        return try await write(Footprint(of: prepared, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.commit(prepared, to: &tables)
        }
    }

    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await read([.step(step)]) { tables throws(VaultError) in try tables.isWritten(step) }
    }

    package func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await readShortly(Footprint(ownersOf: facts, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.owners(of: facts, in: tables)
        }
    }

    public func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await read(Footprint(list: .parked(after: place, limit: limit))) { tables throws(VaultError) in
            try tables.parked(after: place, limit: limit)
        }
    }

    package func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await read(Footprint(list: .parkedFor(customer, after: place, limit: limit))) { tables throws(VaultError) in
            try VaultRules.adoptable(by: customer, after: place, limit: limit, in: tables)
        }
    }

    public func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await read(Footprint(holdersOf: subjects, accountTokens: accountTokens)) { tables throws(VaultError) in
            try Ownership.holders(of: subjects, in: tables)
        }
    }

    package func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await read([.chains(originalID: originalID)]) { tables throws(VaultError) in
            try tables.chains(originalID: originalID)
        }
    }

    public func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await read([.bindings(of: customer)]) { tables throws(VaultError) in try tables.bindings(of: customer) }
    }

    package func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await write(Footprint(of: subject, for: customer, accountTokens: accountTokens)) {
            tables throws(VaultError) in
            try VaultRules.claim(subject, for: customer, at: instant, in: &tables)
        }
    }

    package func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await write(Footprint(of: requests, policy: policy)) { tables throws(VaultError) in
            try VaultRules.move(requests, policy: policy, in: &tables)
        }
    }

    public func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await read([.rows(BalanceRow.ofCustomer, customer)]) { tables throws(VaultError) in
            try tables.balances(of: customer)
        }
    }

    public func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await read(Footprint(list: .rows(LedgerEntry.table, after: place, of: customer, limit: limit))) {
            tables throws(VaultError) in
            try tables.entries(after: place, of: customer, limit: limit)
        }
    }

    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await read(Footprint(list: .facts(after: place, of: customer, limit: limit))) { tables throws(VaultError) in
            try tables.facts(after: place, of: customer, limit: limit)
        }
    }

    public func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await read(Footprint(list: .rows(StoreEvent.table, after: place, of: customer, limit: limit))) {
            tables throws(VaultError) in try tables.events(after: place, of: customer, limit: limit)
        }
    }

    package func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await read([.unfinished(of: customer)]) { tables throws(VaultError) in try tables.unfinished(of: customer) }
    }

    package func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await read(Footprint(list: .customersOwed(after: previous, limit: limit))) { tables throws(VaultError) in
            try tables.customersOwed(after: previous, limit: limit)
        }
    }

    package func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await write([.delivery(of: key)]) { tables throws(VaultError) in try tables.markDelivery(of: key, as: state)
        }
    }

    package func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await readShortly(Footprint(uuids.map { .rows(NotificationRow.byID, $0.rawValue) })) {
            tables throws(VaultError) in
            try VaultRules.seenNotifications(among: uuids, in: tables)
        }
    }

    package func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await read([.rows(CursorRow.byBackend, backend)]) { tables throws(VaultError) in
            try tables.cursor(of: backend)
        }
    }

    package func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await write([]) { tables throws(VaultError) in try tables.setCursor(cursor, of: backend) }
    }

    public func erase(_ customer: CustomerID, reason: String, at instant: Instant) async throws(VaultError) -> Erasure {
        try await write(Footprint(erasing: customer)) { tables throws(VaultError) in
            try VaultRules.erase(customer, reason: reason, at: instant, in: &tables)
        }
    }

    public func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await read(Footprint(list: .erasures(of: customer))) { tables throws(VaultError) in
            try tables.erasures(of: customer)
        }
    }

    public func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        guard head != nil else { return IntegrityReport(links: 0) }
        let fault = VaultFault(.link, "head", "this vault has no chain of links")
        return IntegrityReport(links: 0, faults: [fault])
    }
}
