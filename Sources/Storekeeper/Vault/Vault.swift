/// Where everything that must not be lost is kept: facts, accounts, bindings, events, what is owed.
///
/// Storekeeper has three vaults: ``InMemoryVault``, `SQLiteVault` and `PostgresVault`. A vault of your own wraps one of
/// them: it passes the calls on, and does its own work before or after. What the calls return has no public initializers,
/// because only the rules of a vault may make it, and ``features`` says what the wrapped vault can do besides the calls.
///
/// The laws of an implementation, which `VaultConformance` in `StorekeeperTesting` checks:
///
/// - Each call that writes is one step: all of it is there afterwards, or nothing. When it returns, what it wrote is
///   there whatever happens to the process; when it throws, nothing of it is.
/// - Calls may come from many tasks at once, and from several processes where the storage is shared. Nobody changes what
///   a step reads or writes until it is written; what it does not look at, others may write meanwhile.
/// - Entries are numbered within their account from 1 and without gaps, also where steps fail. A ``FeedPlace`` is the
///   storage's own: whoever reads on from one misses nothing that was written before it returned, and sees nothing twice.
/// - What may be long is read in pages, and while others write no row that stays is missed or comes twice.
/// - Facts and entries are only ever added. Only ``erase(_:reason:at:)`` takes any away.
/// - Ids, keys and names are what their bytes are: two that only look alike are two, as `ByteIdentifier` and
///   ``CustomerID`` compare them.
/// - A call that has begun ends, also when its task is cancelled: a cancelled read must not look like an empty one.
///
/// Money is moved by ``LedgerRule``, inside the step.
public protocol Vault: Sendable {
    /// What tokens say of whose purchases are.
    var accountTokens: AccountTokenRule { get }

    /// What the vault can do besides these calls; a vault that wraps another returns the other's.
    var features: VaultFeatures { get }

    // MARK: Customers

    /// All that is known of a customer; of one that nobody has heard of, a record of version 0.
    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord

    /// The version of a customer and where their account ends, to see whether others have written.
    func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd)

    /// The versions of many customers and where their accounts end, in the order of the customers, read at one moment.
    func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)]

    /// Customers in order of id, for going through all of them.
    ///
    /// - Parameters:
    ///   - previous: The last customer of the page before; `nil` for the first page.
    ///   - limit: How many at most.
    func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    /// The customer whose answers change first by time alone, and when; `nil` where none do.
    func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)?

    /// Gives a node the customer whose answers change first by time alone, once that is due, for a while.
    ///
    /// Of several nodes that ask, each is given another customer. A customer is given again to the same node whenever
    /// it asks; to others when the lease has ended, or when a batch has noted another wake. Clocks may differ: a lease
    /// that would end later than after twice its duration is not believed.
    ///
    /// - Parameters:
    ///   - lease: Who asks, and for how long.
    ///   - now: The time by the node's clock, in UTC.
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn

    // MARK: Evidence

    /// Writes a batch.
    ///
    /// In one step: whose each fact is, is found out. Those that are the customer's and new are added; their chains,
    /// and the tokens that the newest copy of a chain carries, become the customer's where they are nobody's;
    /// consumables move balances by the batch's rule; events and the rest are written. Parked copies of the facts are
    /// taken out of the park. Facts that are another's or nobody's are parked.
    ///
    /// - Returns: The receipt, which says what was put aside; or why nothing was written.
    func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome

    /// Whether a batch with this step was written: for whoever was not told, because the call has failed.
    ///
    /// To be asked once the call has ended, and within seven days. Where the answer is no, the step is not written, and
    /// will not be: a vault that has lost the connection to its database in a `COMMIT` makes sure of that before it
    /// answers, for instance by writing the name of the step itself, which then keeps the lost one out.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool

    /// Whose facts are, by the same rule as a commit: to find the customer for whom to write.
    ///
    /// - Returns: For each fact its owner: who has its chain, or whom its newest token names, known to the vault or
    ///   not; of a renewal info who has a chain that it may be of. `nil` for what is nobody's.
    func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?]

    /// What is parked, oldest first.
    ///
    /// - Parameters:
    ///   - place: Where the page before said that this one begins; ``FeedPlace/start`` for the first.
    ///   - limit: How many at most.
    func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact>

    /// What is parked and would be the customer's if it was committed for them now, oldest first.
    ///
    /// Without what is disputed. To commit a page does not change where the next one begins; once a commit has bound
    /// something, earlier rows may have become adoptable, too: the receipt says so.
    ///
    /// - Parameters:
    ///   - customer: Whose.
    ///   - place: As in ``parked(after:limit:)``.
    ///   - limit: How many are looked at.
    func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact>

    /// The customers to whom chains and tokens belong; those of nobody are left out.
    ///
    /// Where tokens are ``AccountTokenRule/asIDs``, one that was given to nobody belongs to the customer whose id it
    /// is, once the vault knows that customer.
    func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID]

    /// The chains with an original transaction id that the vault has heard of, bound, parked or neither.
    func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID]

    /// What belongs to a customer, oldest first.
    func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding]

    /// Makes a chain or token a customer's.
    ///
    /// The first claim binds; the same claim again is the same answer. What is parked for it stays there until it is
    /// committed: ``adoptable(by:after:limit:)`` lists it.
    ///
    /// - Returns: `nil` when it is the customer's now; otherwise whose it is.
    func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID?

    // MARK: Accounts

    /// Carries out requests, in order; one that is refused changes nothing and does not stop the next.
    ///
    /// A request whose key the customer has used before gives the first receipt again if it asks for the same, and
    /// ``LedgerRefusal/keyReused`` otherwise. Spending more than there is gives ``LedgerRefusal/insufficient(balance:)``.
    ///
    /// - Parameters:
    ///   - requests: Quantities are at least 1, keys and names not empty: anything else throws `invalidRequest`.
    ///   - policy: Whether a balance below zero freezes the others.
    func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>]

    /// The balances of a customer, by name.
    func balances(of customer: CustomerID) async throws(VaultError) -> [Balance]

    /// Entries in order.
    ///
    /// - Parameters:
    ///   - place: After which to begin; ``FeedPlace/start`` for the first.
    ///   - customer: Whose; `nil` for everybody's.
    ///   - limit: How many at most.
    func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry]

    // MARK: Reading on

    /// Facts in the order in which they were learned; see ``entries(after:of:limit:)``.
    func facts(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoredFact]

    /// Events in the order in which they were written; see ``entries(after:of:limit:)``.
    func events(after place: FeedPlace, of customer: CustomerID?, limit: Int) async throws(VaultError) -> [StoreEvent]

    // MARK: Delivery

    /// What a customer is owed, a delivery or a `finish`, oldest first.
    func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem]

    /// The customers who are owed a delivery or a `finish`, each once; see ``customers(after:limit:)``.
    func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID]

    /// Notes that the app has handed out the goods of a transaction, or, with `nil`, that it is finished.
    func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError)

    /// Which of some notifications, by UUID, are done with: those that a batch has named.
    func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID>

    /// How far a backend's stream has been read; `nil` where it never was.
    func cursor(of backend: String) async throws(VaultError) -> UpdateCursor?

    /// Notes how far a backend's stream has been read.
    func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError)

    // MARK: Erasure and proof

    /// Takes out everything about a customer and keeps the proof that it was done.
    ///
    /// What stays besides is what nobody can read a name from: by hashes that are keyed with a secret, which transactions
    /// were credited and which keys were used. Brought again, such a transaction is known and not credited; such a key
    /// is refused with ``LedgerRefusal/keyReused``.
    ///
    /// - Parameters:
    ///   - customer: Whom to forget.
    ///   - reason: Why; stays in the vault, so it should name nobody.
    ///   - instant: When, in UTC.
    /// - Throws: ``VaultError`` with `unknownCustomer` where the vault has nothing of the customer; nothing is written.
    func erase(_ customer: CustomerID, reason: String, at instant: Instant) async throws(VaultError) -> Erasure

    /// The erasures of a customer, for whoever knows the id to ask for.
    func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure]

    /// Checks what only the vault itself can: that what it holds is what it wrote.
    ///
    /// - Parameter head: A link that ``IntegrityReport/head`` has named before and that must still be there; `nil` asks
    ///   for none. A vault that was cut, or exchanged for another, has a fault of the kind ``VaultFault/Kind/link``. So
    ///   has every vault without a chain of links, because it cannot tell.
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

    public func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
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
        let fault = VaultFault(.link, "head", "this vault keeps no chain of links that could contain it")
        return IntegrityReport(links: 0, faults: [fault])
    }
}
