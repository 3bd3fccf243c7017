import FoundationEssentials

/// The tables of an ``InMemoryVault``.
///
/// Every change notes how to undo it, so that a step that fails costs what it has written and no more.
package struct MemoryTables: VaultTables, Sendable {
    typealias Undo = @Sendable (inout MemoryTables) -> Void

    /// What is kept under one customer's id.
    struct CustomerRows: Sendable {
        var row: CustomerRow?
        var lease: WakeHold?
        var bindings: [Binding] = []
        var entries: [Int64] = []
        var requests: [ByteText: Int64] = [:]
        var balances: [ByteText: Balance] = [:]
        var events: [Int64] = []
        var deliveries: [Int64] = []
        var pending: [PendingPurchase] = []
    }

    /// A customer who waits for an instant.
    struct Wake: Comparable, Sendable {
        let at: Instant
        let customer: ByteText

        static func < (left: Wake, right: Wake) -> Bool { (left.at, left.customer) < (right.at, right.customer) }
    }

    var customers: [CustomerID: CustomerRows] = [:]
    var names = SortedElements<ByteText>()
    var wakes = SortedElements<Wake>()

    /// A step and when it was written.
    struct WrittenStep: Comparable, Sendable {
        let at: Instant
        let id: StepID

        static func < (left: WrittenStep, right: WrittenStep) -> Bool {
            (left.at, left.id.halves.high, left.id.halves.low) < (right.at, right.id.halves.high, right.id.halves.low)
        }
    }

    var holders: [BindingSubject: Binding] = [:]
    var attempts: [BindingSubject: Int] = [:]
    /// The chains that were ever heard of; one whose evidence was erased may still be among them.
    var heard: [Transaction.ID: Set<ChainID>] = [:]

    var facts = MemoryLog<MemoryFact>()
    var factPlaces: [[UInt8]: Int64] = [:]
    var chainFacts: [ChainID: [Int64]] = [:]
    var renewalFacts: [RenewalInfoKey: [Int64]] = [:]
    var copies: [TransactionKey: [Int64]] = [:]
    var tokens: [ChainID: (token: UUID, signedAt: Instant)] = [:]

    var park = MemoryLog<ParkedFact>()
    var parkPlaces: [[UInt8]: Int64] = [:]
    var parkedChains: [ChainID: [Int64]] = [:]
    var parkedRenewals: [RenewalInfoKey: [Int64]] = [:]
    var parkedTokens: [UUID: [Int64]] = [:]

    var entries = MemoryLog<LedgerEntry>()
    var causes: [TransactionKey: [Int64]] = [:]
    var events = MemoryLog<StoreEvent>()

    var deliveries = MemoryLog<MemoryDelivery>()
    var deliveryPlaces: [TransactionKey: Int64] = [:]
    var openDeliveries = SortedElements<Int64>()
    var notifications: Set<ByteText> = []
    var cursors: [ByteText: UpdateCursor] = [:]
    var steps: [StepID: Instant] = [:]
    var stepsByAge = SortedElements<WrittenStep>()
    var erasures: [CustomerID: [Erasure]] = [:]

    /// What tokens say of whose purchases are.
    package let accountTokens: AccountTokenRule
    private var lastSequence: Int64 = 0
    private var journal: [Undo] = []

    init(accountTokens: AccountTokenRule = .asIDs) { self.accountTokens = accountTokens }

    // MARK: Steps

    /// Notes how to undo what is about to be done, or was just done.
    mutating func note(_ undo: @escaping Undo) { journal.append(undo) }

    /// Forgets how to undo what was done.
    mutating func keepStep() { journal.removeAll(keepingCapacity: journal.count < 1024) }

    /// Undoes all since the last step, the last change first.
    mutating func undoStep() {
        let changes = journal
        journal = []
        for undo in changes.reversed() { undo(&self) }
    }

    /// The next place; one that was given out is never given out again, also when its step was undone.
    mutating func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }

    // MARK: Customers

    /// What is noted of a customer.
    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? { customers[id]?.row }

    /// Notes it in place of what was noted.
    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        let known = customers[row.id]?.row
        place(row, of: row.id, insteadOf: known)
        note { tables in tables.place(known, of: row.id, insteadOf: row) }
    }

    /// Puts a row on its rows, and its wake and name where they are looked for.
    mutating func place(_ row: CustomerRow?, of id: CustomerID, insteadOf known: CustomerRow?) {
        let name = ByteText(id.rawValue)
        if let wake = known?.wakeAt { wakes.remove(Wake(at: wake, customer: name)) }
        if let wake = row?.wakeAt { wakes.insert(Wake(at: wake, customer: name)) }
        if row == nil { names.remove(name) } else if known == nil { names.insert(name) }
        customers[id, default: CustomerRows()].row = row
    }

    /// Customers in order of id.
    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        names.elements(after: previous.map { ByteText($0.rawValue) }, limit: limit)
            .map { CustomerID(rawValue: $0.text) }
    }

    /// The customer with the earliest wake.
    package func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        wakes.first.map { (CustomerID(rawValue: $0.customer.text), $0.at) }
    }

    /// Customers in order of wake and id.
    package func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        let start = previous.map { Wake(at: $0.at, customer: ByteText($0.customer.rawValue)) }
        return wakes.elements(after: start, limit: limit).map { wake in
            let customer = CustomerID(rawValue: wake.customer.text)
            return WakeRow(customer: customer, at: wake.at, hold: customers[customer]?.lease)
        }
    }

    /// Notes whose a customer's wake is; it goes with the customer.
    package mutating func setLease(
        _ hold: WakeHold, of customer: CustomerID, at now: Instant
    ) throws(VaultError) {
        let known = customers[customer]?.lease
        customers[customer]?.lease = hold
        note { tables in tables.customers[customer]?.lease = known }
    }
}

/// A fact and when it was learned.
struct MemoryFact: Sendable {
    let sequence: Int64
    let learnedAt: Instant
    let fact: VerifiedFact
}

/// How far a transaction has come; without a state it is done with.
struct MemoryDelivery: Sendable {
    let key: TransactionKey
    let customer: CustomerID
    var state: OutboxItem.State?
}
