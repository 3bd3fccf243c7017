/// A vault over a storage that is far away, by the same rules as every other.
///
/// Each step is loaded at once, carried out here over ``WorkingTables`` and written at once, together with the steps of
/// others that wait at the same time. A step that asks for more than its footprint foresaw is loaded again and run from
/// the start.
package final class FarVault<Storage: FarStorage>: SteppedVault {
    /// What tokens say of whose purchases are.
    package let accountTokens: AccountTokenRule
    private let storage: Storage
    /// Steps of different lanes never wait for each other; a customer's steps are in one.
    private let lanes: [FarStepLane<Storage>]
    private var lane: FarStepLane<Storage> { lanes[0] }

    /// Makes a vault over a storage.
    ///
    /// - Parameters:
    ///   - storage: Where the rows are.
    ///   - accountTokens: What tokens say of whose purchases are.
    ///   - groupLimit: How many steps are loaded and written together at most.
    ///   - lanes: How many groups may be on their way at a time, each of customers of its own; at least one.
    ///   - makeID: Makes the name that is written with a group, each time another.
    package init(
        _ storage: Storage, accountTokens: AccountTokenRule = .asIDs, groupLimit: Int = 256,
        lanes: Int = 1,
        makeID: @escaping @Sendable () -> StepID = {
            var random = SystemRandomNumberGenerator()
            return StepID(using: &random)
        }
    ) {
        self.storage = storage
        self.accountTokens = accountTokens
        self.lanes = (0..<max(1, lanes)).map { _ in
            FarStepLane(storage, accountTokens: accountTokens, groupLimit: groupLimit, makeID: makeID)
        }
    }

    // MARK: Steps

    /// Runs a step that writes, whose footprint nobody has foreseen.
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await write([], body)
    }

    /// Runs a step that only reads, whose footprint nobody has foreseen.
    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await lane.read([], body)
    }

    /// Runs a step that writes.
    ///
    /// - Parameters:
    ///   - footprint: What is loaded ahead.
    ///   - body: The step. Of an outcome that is one of the vault's own, or a list or result of such, the places are
    ///     those of the storage.
    package func write<Outcome: Sendable>(
        _ footprint: Footprint, _ body: @escaping @Sendable (inout WorkingTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let step = FarStep(footprint, body)
        await lane(for: footprint).perform(step)
        return try step.outcome
    }

    /// The lane of the customer whom a step is about.
    private func lane(for footprint: Footprint) -> FarStepLane<Storage> {
        guard lanes.count > 1, let customer = footprint.anyCustomer else { return lane }
        var hash = UInt64(14_695_981_039_346_656_037)
        for byte in customer.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return lanes[Int(truncatingIfNeeded: (hash ^ (hash >> 32)) % UInt64(lanes.count))]
    }

    // MARK: Customers

    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await lane.record(of: customer)
    }

    package func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await lane.read([.customer(customer)]) { tables throws(VaultError) in
            try VaultRules.version(of: customer, in: tables)
        }
    }

    /// The same of many customers, with one question, in one state of the storage.
    package func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)] {
        try await lane.read(Footprint(customers.map { .customer($0) })) { tables throws(VaultError) in
            var versions: [(version: Int64, lastEntry: AccountEnd)] = []
            for customer in customers { versions.append(try VaultRules.version(of: customer, in: tables)) }
            return versions
        }
    }

    package func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await storage.customers(after: previous, limit: limit)
    }

    package func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await storage.earliestWake()
    }

    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeTurn {
        try await storage.leaseWake(lease, at: now)
    }

    // MARK: Evidence

    package func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        let prepared = PreparedBatch(batch)
        return try await write(Footprint(of: prepared, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.commit(prepared, to: &tables)
        }
    }

    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        try await lane.read([.step(step)]) { tables throws(VaultError) in try tables.isWritten(step) }
    }

    package func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await lane.read(Footprint(ownersOf: facts, accountTokens: accountTokens)) { tables throws(VaultError) in
            try VaultRules.owners(of: facts, in: tables)
        }
    }

    package func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await storage.parked(after: place, limit: limit)
    }

    /// What is parked and would be the customer's; a page is read first, and then whose its facts are.
    package func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        let page = try await storage.parked(heldBy: customer, after: place, limit: limit)
        guard !page.rows.isEmpty else { return VaultPage(next: page.next) }
        return try await lane.read(
            Footprint(ownersOf: page.rows.map(\.fact), accountTokens: accountTokens)
        ) { tables throws(VaultError) in
            try VaultRules.adoptable(of: page, by: customer, in: tables)
        }
    }

    package func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await lane.read(
            Footprint(holdersOf: subjects, accountTokens: accountTokens)
        ) { tables throws(VaultError) in
            try Ownership.holders(of: subjects, in: tables)
        }
    }

    package func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await lane.read([.chains(originalID: originalID)]) { tables throws(VaultError) in
            try tables.chains(originalID: originalID)
        }
    }

    package func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await lane.read([.bindings(of: customer)]) { tables throws(VaultError) in
            try tables.bindings(of: customer)
        }
    }

    package func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await write(
            Footprint(of: subject, for: customer, accountTokens: accountTokens)
        ) { tables throws(VaultError) in
            try VaultRules.claim(subject, for: customer, at: instant, in: &tables)
        }
    }

    // MARK: Accounts

    package func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await write(Footprint(of: requests, policy: policy)) { tables throws(VaultError) in
            try VaultRules.move(requests, policy: policy, in: &tables)
        }
    }

    package func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await lane.read([.balances(of: customer)]) { tables throws(VaultError) in
            try tables.balances(of: customer)
        }
    }

    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await storage.entries(after: place, of: customer, limit: limit)
    }

    // MARK: Reading on

    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await storage.facts(after: place, of: customer, limit: limit)
    }

    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await storage.events(after: place, of: customer, limit: limit)
    }

    // MARK: Delivery

    package func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await storage.customersOwed(after: previous, limit: limit)
    }

    package func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await lane.read([.unfinished(of: customer)]) { tables throws(VaultError) in
            try tables.unfinished(of: customer)
        }
    }

    package func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await write([.delivery(of: key)]) { tables throws(VaultError) in try tables.markDelivery(of: key, as: state)
        }
    }

    package func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await lane.read(Footprint(notifications: uuids)) { tables throws(VaultError) in
            try VaultRules.seenNotifications(among: uuids, in: tables)
        }
    }

    package func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await lane.read([.cursor(of: UpdateCursor.Backend(backend))]) { tables throws(VaultError) in
            try tables.cursor(of: backend)
        }
    }

    package func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await write { tables throws(VaultError) in try tables.setCursor(cursor, of: backend) }
    }

    // MARK: Erasure and proof

    package func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await write(Footprint(erasing: customer)) { tables throws(VaultError) in
            try VaultRules.erase(customer, reason: reason, at: instant, in: &tables)
        }
    }

    package func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await storage.erasures(of: customer)
    }

    package func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await storage.checkIntegrity() }
}
