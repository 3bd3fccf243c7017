/// Stores everything that must not be lost: facts, accounts, bindings, events and outstanding deliveries.
///
/// Storekeeper has three vaults: ``InMemoryVault``, `SQLiteVault` and `PostgresVault`. A custom vault wraps one of
/// them: it passes the calls on, and does its own work before or after. The results of the calls have no public
/// initializers, because only the rules of a vault may make them; ``features`` passes on what the wrapped vault can do
/// besides the calls.
///
/// Every implementation obeys the following laws, which `VaultConformance` in `StorekeeperTesting` checks:
///
/// - Each call that writes is one atomic step. When it returns, its changes survive the end of the process; when it
///   throws, nothing has changed.
/// - Calls may come from many tasks at once, and from several processes if they share the storage. Rows that a step
///   reads or writes do not change until the step is written; other rows may.
/// - Entries are numbered within their account from 1 and without gaps, even if steps fail. A ``FeedPlace`` belongs to
///   the storage: a reader who continues from one misses no row that was written before, and sees no row twice.
/// - Long lists are read in pages. While others write, a row that stays is neither missed nor repeated.
/// - Facts and entries are only added. Only ``erase(_:reason:at:)`` removes them.
/// - Ids, keys and names are compared by their bytes, as `ByteIdentifier` and ``CustomerID`` do: two that only look
///   alike are different.
/// - A call that has begun completes even if its task is cancelled: a cancelled read must not look like an empty one.
///
/// ``LedgerRule`` moves balances inside the step.
public protocol Vault: Sendable {
    /// How an account token identifies the owner of a purchase.
    var accountTokens: AccountTokenRule { get }

    /// The vault's features besides these calls; a vault that wraps another returns the features of the other.
    var features: VaultFeatures { get }

    // MARK: Customers

    /// Everything about a customer; for an unknown customer, a record of version 0.
    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord

    /// The version of a customer and the end of their account, which show whether another writer has changed the data.
    func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd)

    /// The versions of many customers and the ends of their accounts, in the order of the customers, read in one step.
    func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)]

    /// Customers in order of id, a page at a time.
    ///
    /// - Parameters:
    ///   - previous: The last customer of the page before; `nil` for the first page.
    ///   - limit: How many at most.
    func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    /// The customer whose answers change first by time alone, and when; `nil` if there is none.
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)?

    /// Leases to a node the customer whose answers change first by time alone, once that change is due.
    ///
    /// Each node that asks gets a different customer. The same node gets its customer again whenever it asks; others
    /// get the customer when the lease has ended, or when a batch has set another wake. Clocks may differ: a lease that
    /// would end later than after twice its duration is ignored.
    ///
    /// - Parameters:
    ///   - lease: The node, and the duration of the lease.
    ///   - now: The time by the node's clock, in UTC.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision

    // MARK: Evidence

    /// Writes a batch.
    ///
    /// One step finds the owner of each fact, and adds the customer's new facts. Their chains, and the tokens of the
    /// newest copies, are bound to the customer if they have no owner. Consumables move balances by the batch's rule.
    /// Events and the rest of the batch are written. Parked copies of the facts are removed from the park, and facts of
    /// other owners, or of none, are parked.
    ///
    /// A batch makes an unknown customer known only if it adds something about them: own facts, events, pending
    /// purchases, access, or the instant of a sync. Otherwise it may be late, and bring an erased customer back.
    ///
    /// - Returns: The receipt, which lists what was parked; or the reason why nothing was written.
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome

    /// Whether a batch with this step was written, for a caller whose call has failed without an answer.
    ///
    /// Ask once the call has ended, and within seven days. If the answer is no, the step is not written and never will
    /// be: a vault that has lost its database connection in a `COMMIT` makes sure of that before it answers, for
    /// instance by writing the id of the step itself, which then excludes the lost one.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool

    /// The owners of facts, by the same rule as a commit.
    ///
    /// - Returns: For each fact the customer who has its chain, or whom its newest token names, even if the vault does
    ///   not know them; for a renewal info, the customer with a chain that it may belong to. `nil` for a fact without
    ///   owner.
    func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?]

    /// Parked facts, oldest first.
    ///
    /// - Parameters:
    ///   - place: The ``VaultPage/next`` of the previous page; ``FeedPlace/start`` for the first.
    ///   - limit: How many at most.
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact>

    /// Parked facts that would belong to the customer if they were committed now, oldest first.
    ///
    /// Disputed facts are left out. Committing a page does not change where the next one begins. Once a commit has
    /// bound a chain or token, earlier rows may have become adoptable, too: the receipt says so.
    ///
    /// - Parameters:
    ///   - customer: The future owner.
    ///   - place: As in ``parked(after:limit:)``.
    ///   - limit: How many parked facts are examined.
    func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact>

    /// The owners of chains and tokens; those without owner are left out.
    ///
    /// If tokens are ``AccountTokenRule/asIDs``, a token without owner belongs to the customer whose id it is, once the
    /// vault knows that customer.
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID]

    /// The known chains with an original transaction id: bound, parked or neither.
    func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID]

    /// The chains and tokens of a customer, oldest first.
    func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding]

    /// Binds a chain or token to a customer.
    ///
    /// The first claim binds; repeating it gives the same answer. Parked facts stay parked until they are committed:
    /// ``adoptable(by:after:limit:)`` lists them.
    ///
    /// - Returns: `nil` if it belongs to the customer now; otherwise its owner.
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID?

    // MARK: Accounts

    /// Carries out requests in order; a refused request changes nothing and does not stop the next.
    ///
    /// A request whose key the customer has used before gets the first receipt again if it is the same request, and
    /// ``LedgerRefusal/keyReused`` otherwise. Spending more than the balance gives
    /// ``LedgerRefusal/insufficient(balance:)``.
    ///
    /// - Parameters:
    ///   - requests: Quantities are at least 1, keys and names not empty: anything else throws `invalidRequest`.
    ///   - policy: The policy that decides whether a balance below zero freezes all balances of its customer.
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>]

    /// Returns the balances of a customer, by name.
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance]

    /// Entries in order.
    ///
    /// - Parameters:
    ///   - place: The place after which the page begins; ``FeedPlace/start`` for the first.
    ///   - customer: The customer; `nil` for the entries of all customers.
    ///   - limit: How many at most.
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry]

    // MARK: Reading on

    /// Returns facts in the order in which they were learned; see ``entries(after:of:limit:)``.
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact]

    /// Returns events in the order in which they were written; see ``entries(after:of:limit:)``.
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoreEvent]

    // MARK: Delivery

    /// The outstanding deliveries and `finish` calls of a customer, oldest first.
    func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem]

    /// The customers with an outstanding delivery or `finish`, each once; see ``customers(after:limit:)``.
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    /// Records that the app has delivered the content of a transaction, or, with `nil`, that it is finished.
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError)

    /// Returns those of the given notifications that were processed, which means that a batch has named them.
    func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID>

    /// How far a backend's stream has been read; `nil` if it never was.
    func cursor(of backend: String) async throws(VaultError) -> UpdateCursor?

    /// Records how far a backend's stream has been read.
    func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError)

    // MARK: Erasure and proof

    /// Removes everything about a customer and keeps a proof of the erasure.
    ///
    /// Besides the proof, keyed hashes stay, which reveal no name: of the credited transactions and of the used request
    /// keys. If such a transaction arrives again, it is not credited; such a key is refused with
    /// ``LedgerRefusal/keyReused``.
    ///
    /// - Parameters:
    ///   - customer: The customer to erase.
    ///   - reason: The reason. It stays in the vault, so it should not name a person.
    ///   - instant: The time, in UTC.
    /// - Throws: ``VaultError`` with `unknownCustomer` if the vault has no data of the customer; nothing is written.
    func erase(_ customer: CustomerID, reason: String, at instant: Instant) async throws(VaultError) -> Erasure

    /// The erasures of a customer, for callers who know the id.
    func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure]

    /// Checks that the vault holds what it wrote.
    ///
    /// - Parameter head: A link that an earlier ``IntegrityReport/head`` named and that must still be there; `nil` for
    ///   none. A vault that was truncated or replaced reports a fault of the kind ``VaultFault/Kind/link``, and so does
    ///   a vault without a chain of links, because it cannot tell.
    func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport
}

// Each call is one step over the tables. The requirements above document them.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension TransactionalVault {
    public var features: VaultFeatures { VaultFeatures(of: self) }

    public func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await read(Footprint(recordOf: customer)) { tables throws(VaultError) in
            try VaultRules.record(of: customer, in: tables)
        }
    }

    public func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await readShortly([.customer(customer)]) { tables throws(VaultError) in
            try VaultRules.version(of: customer, in: tables)
        }
    }

    public func versions(
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

    public func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await read(Footprint(list: .earliestWake)) { tables throws(VaultError) in try tables.earliestWake() }
    }

    public func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await write([]) { tables throws(VaultError) in try VaultRules.leaseWake(lease, at: now, in: &tables) }
    }

    public func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        let prepared = PreparedBatch(batch)
        return try await write(Footprint(of: prepared, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.commit(prepared, to: &tables)
        }
    }

    public func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await read([.step(step)]) { tables throws(VaultError) in try tables.isWritten(step) }
    }

    public func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await readShortly(Footprint(ownersOf: facts, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.owners(of: facts, in: tables)
        }
    }

    public func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await read(Footprint(list: .parked(after: place, limit: limit))) { tables throws(VaultError) in
            try tables.parked(after: place, limit: limit)
        }
    }

    public func adoptable(
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

    public func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await read([.chains(originalID: originalID)]) { tables throws(VaultError) in
            try tables.chains(originalID: originalID)
        }
    }

    public func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await read([.bindings(of: customer)]) { tables throws(VaultError) in try tables.bindings(of: customer) }
    }

    public func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await write(Footprint(of: subject, for: customer, accountTokens: accountTokens)) {
            tables throws(VaultError) in
            try VaultRules.claim(subject, for: customer, at: instant, in: &tables)
        }
    }

    public func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await write(Footprint(of: requests, policy: policy)) { tables throws(VaultError) in
            try VaultRules.move(requests, policy: policy, in: &tables)
        }
    }

    public func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await read([.balances(of: customer)]) { tables throws(VaultError) in try tables.balances(of: customer) }
    }

    public func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await read(Footprint(list: .entries(after: place, of: customer, limit: limit))) {
            tables throws(VaultError) in
            try tables.entries(after: place, of: customer, limit: limit)
        }
    }

    public func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await read(Footprint(list: .facts(after: place, of: customer, limit: limit))) { tables throws(VaultError) in
            try tables.facts(after: place, of: customer, limit: limit)
        }
    }

    public func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await read(Footprint(list: .events(after: place, of: customer, limit: limit))) {
            tables throws(VaultError) in try tables.events(after: place, of: customer, limit: limit)
        }
    }

    public func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await read([.unfinished(of: customer)]) { tables throws(VaultError) in try tables.unfinished(of: customer) }
    }

    public func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await read(Footprint(list: .customersOwed(after: previous, limit: limit))) { tables throws(VaultError) in
            try tables.customersOwed(after: previous, limit: limit)
        }
    }

    public func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await write([.delivery(of: key)]) { tables throws(VaultError) in try tables.markDelivery(of: key, as: state)
        }
    }

    public func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await readShortly(Footprint(notifications: uuids)) { tables throws(VaultError) in
            try VaultRules.seenNotifications(among: uuids, in: tables)
        }
    }

    public func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await read([.cursor(of: UpdateCursor.Backend(backend))]) { tables throws(VaultError) in
            try tables.cursor(of: backend)
        }
    }

    public func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
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
