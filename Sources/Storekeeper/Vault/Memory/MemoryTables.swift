import FoundationEssentials

/// Tables in memory: those of an ``InMemoryVault``, or the rows that a step over a remote storage has loaded.
///
/// With a ``StepLog`` they also record the rows that a step needs and that were not loaded, and its changes. Rows that
/// were not loaded are treated as absent; the run is repeated once they are loaded. Several steps may run one after the
/// other, each on the result of the previous ones.
///
/// Each part records the changes of a step, so that undoing a failed step costs only as much as its writes.
package struct MemoryTables: VaultTables, Sendable {
    /// A key for the balances of all customers.
    struct BalanceKey: Hashable, Sendable {
        let customer: CustomerID
        let name: Balance.ID
    }

    /// A key for the requests of all customers.
    struct RequestKey: Hashable, Sendable {
        let customer: CustomerID
        let key: LedgerRequest.Key
    }

    /// A customer with a wake.
    struct Wake: Comparable, Sendable {
        let at: Instant
        let customer: CustomerID

        static func < (left: Wake, right: Wake) -> Bool { (left.at, left.customer) < (right.at, right.customer) }
    }

    /// A step with the instant when it was written.
    struct WrittenStep: Comparable, Sendable {
        let at: Instant
        let id: StepID

        static func < (left: WrittenStep, right: WrittenStep) -> Bool {
            (left.at, left.id.halves.high, left.id.halves.low) < (right.at, right.id.halves.high, right.id.halves.low)
        }
    }

    var customers = RowMap<CustomerID, CustomerRow>()
    var names = SortedElements<CustomerID>()
    var wakes = SortedElements<Wake>()
    var leases = RowMap<CustomerID, HeldWakeLease>()

    var bindings = MemoryLog<Binding>()
    var holders = RowMap<BindingSubject, Int64>()
    var customerBindings = PlaceLists<CustomerID>()
    var attempts = RowMap<BindingSubject, Int>()
    /// All chains ever registered, including those that were erased or belong to a failed step.
    var registeredChains: [Transaction.ID: Set<ChainID>] = [:]

    var facts = MemoryLog<MemoryFact>()
    var factPlaces = RowMap<PayloadKey, Int64>()
    var chainFacts = PlaceLists<ChainID>()
    var renewalFacts = PlaceLists<RenewalInfoKey>()
    var copies = PlaceLists<TransactionKey>()
    var tokens = RowMap<ChainID, (token: UUID, signedAt: Instant)>()

    var park = MemoryLog<ParkedFact>()
    var parkPlaces = RowMap<PayloadKey, Int64>()
    var parkedChains = PlaceLists<ChainID>()
    var parkedRenewals = PlaceLists<RenewalInfoKey>()
    var parkedTokens = PlaceLists<UUID>()

    var entries = MemoryLog<LedgerEntry>()
    var customerEntries = PlaceLists<CustomerID>()
    var causes = PlaceLists<TransactionKey>()
    var requests = RowMap<RequestKey, Int64>()
    var balances = RowMap<BalanceKey, Balance>()
    var balanceNames = SortedLists<CustomerID, Balance.ID>()

    var events = MemoryLog<StoreEvent>()
    var customerEvents = PlaceLists<CustomerID>()
    var deliveries = MemoryLog<DeliveryRow>()
    var deliveryPlaces = RowMap<TransactionKey, Int64>()
    var customerDeliveries = PlaceLists<CustomerID>()
    var pending = RowMap<CustomerID, [PendingPurchase]>()
    var notifications = RowMap<ServerNotification.ID, Instant>()
    var cursors = RowMap<UpdateCursor.Backend, UpdateCursor>()
    var steps = RowMap<StepID, Instant>()
    var stepsByAge = SortedElements<WrittenStep>()
    var erasures = RowMap<CustomerID, [Erasure]>()
    var marks = RowMap<ErasedMark, Bool>()
    var hashedMarks = RowMap<[UInt8], Set<[UInt8]>>()

    /// The vault's rule for tokens.
    package let accountTokens: AccountTokenRule
    /// The log for a remote storage; `nil` in a local vault.
    var log: StepLog?
    private var lastSequence: Int64
    /// The last place assigned before the step.
    private var keptSequence: Int64

    /// Creates empty tables.
    ///
    /// - Parameter lastSequence: The number before the first place to be assigned.
    init(accountTokens: AccountTokenRule = .asIDs, lastSequence: Int64 = 0) {
        self.accountTokens = accountTokens
        self.lastSequence = lastSequence
        keptSequence = lastSequence
    }

    /// Creates tables with the rows loaded by a remote storage.
    ///
    /// - Parameters:
    ///   - found: The rows.
    ///   - footprint: The keys of the rows.
    ///   - accountTokens: How account tokens determine the owner of a purchase.
    package init(_ found: LoadedRows, of footprint: Footprint, accountTokens: AccountTokenRule) {
        self.init(accountTokens: accountTokens, lastSequence: Self.firstPlace - 1)
        store(found)
        log = StepLog(found, of: footprint)
        commitStep()
    }

    /// Returns the next place.
    mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }

    // MARK: Steps

    /// Commits the step.
    mutating func commitStep() {
        keptSequence = lastSequence
        log?.commitStep()
        customers.commitStep()
        names.commitStep()
        wakes.commitStep()
        leases.commitStep()
        bindings.commitStep()
        holders.commitStep()
        customerBindings.commitStep()
        attempts.commitStep()
        facts.commitStep()
        factPlaces.commitStep()
        chainFacts.commitStep()
        renewalFacts.commitStep()
        copies.commitStep()
        tokens.commitStep()
        park.commitStep()
        parkPlaces.commitStep()
        parkedChains.commitStep()
        parkedRenewals.commitStep()
        parkedTokens.commitStep()
        entries.commitStep()
        customerEntries.commitStep()
        causes.commitStep()
        requests.commitStep()
        balances.commitStep()
        balanceNames.commitStep()
        events.commitStep()
        customerEvents.commitStep()
        deliveries.commitStep()
        deliveryPlaces.commitStep()
        customerDeliveries.commitStep()
        pending.commitStep()
        notifications.commitStep()
        cursors.commitStep()
        steps.commitStep()
        stepsByAge.commitStep()
        erasures.commitStep()
        marks.commitStep()
        hashedMarks.commitStep()
    }

    /// Undoes the step.
    mutating func rollBackStep() {
        lastSequence = keptSequence
        log?.rollBackStep()
        customers.rollBackStep()
        names.rollBackStep()
        wakes.rollBackStep()
        leases.rollBackStep()
        bindings.rollBackStep()
        holders.rollBackStep()
        customerBindings.rollBackStep()
        attempts.rollBackStep()
        facts.rollBackStep()
        factPlaces.rollBackStep()
        chainFacts.rollBackStep()
        renewalFacts.rollBackStep()
        copies.rollBackStep()
        tokens.rollBackStep()
        park.rollBackStep()
        parkPlaces.rollBackStep()
        parkedChains.rollBackStep()
        parkedRenewals.rollBackStep()
        parkedTokens.rollBackStep()
        entries.rollBackStep()
        customerEntries.rollBackStep()
        causes.rollBackStep()
        requests.rollBackStep()
        balances.rollBackStep()
        balanceNames.rollBackStep()
        events.rollBackStep()
        customerEvents.rollBackStep()
        deliveries.rollBackStep()
        deliveryPlaces.rollBackStep()
        customerDeliveries.rollBackStep()
        pending.rollBackStep()
        notifications.rollBackStep()
        cursors.rollBackStep()
        steps.rollBackStep()
        stepsByAge.rollBackStep()
        erasures.rollBackStep()
        marks.rollBackStep()
        hashedMarks.rollBackStep()
    }

    // MARK: Customers

    /// Returns the row of a customer.
    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? {
        if let row = customers[id] { return row }
        requireRows(.customer(id))
        return nil
    }

    /// Replaces the row of a customer.
    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        setRow(row, of: row.id)
        record(.customer(row))
    }

    /// Stores or deletes the row of a customer, with the indexes of wakes and names.
    mutating func setRow(_ row: CustomerRow?, of id: CustomerID) {
        let known = customers[id]
        if known?.wakeAt != row?.wakeAt {
            if let wake = known?.wakeAt { wakes.remove(Wake(at: wake, customer: id)) }
            if let wake = row?.wakeAt { wakes.insert(Wake(at: wake, customer: id)) }
        }
        if row == nil {
            names.remove(id)
            if leases[id] != nil { leases[id] = nil }
        } else if known == nil {
            names.insert(id)
        }
        customers[id] = row
    }

    /// Returns customers in order of id.
    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        if case .customers(let customers)? = listed(.customers(after: previous, limit: limit)) { return customers }
        try checkLists("customers")
        return names.elements(after: previous, limit: limit)
    }

    /// Returns the customer with the earliest wake.
    package func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        if case .wake(let wake)? = listed(.earliestWake) { return wake }
        try checkLists("wakes")
        return wakes.first.map { ($0.customer, $0.at) }
    }

    /// Returns customers in order of wake and id.
    package func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        try checkLists("wakes")
        let start = previous.map { Wake(at: $0.at, customer: $0.customer) }
        return wakes.elements(after: start, limit: limit).map { wake in
            WakeRow(customer: wake.customer, at: wake.at, hold: leases[wake.customer])
        }
    }

    /// Leases a customer's wake; the lease is deleted with the customer.
    package mutating func setLease(
        _ hold: HeldWakeLease, of customer: CustomerID, at now: Instant
    ) throws(VaultError) {
        guard log == nil else {
            throw VaultError(.invalidRequest, "a step over a remote storage cannot lease a wake; ask the vault for it")
        }
        if customers[customer] != nil { leases[customer] = hold }
    }
}

/// A fact with the instant when it was learned.
struct MemoryFact: Sendable {
    let sequence: Int64
    let learnedAt: Instant
    let fact: VerifiedFact
}
