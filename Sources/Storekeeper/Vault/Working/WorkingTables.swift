package import FoundationEssentials
import Synchronization

/// The tables of a storage that is far away, inside one step: rows that were loaded ahead, what the step changes in them,
/// and the list of the changes.
///
/// A question whose rows were not loaded is answered as if there were none, and remembered in ``missing``: such a run is
/// worth nothing and its changes are thrown away, but it finds out at once all that the next run needs. Several steps may
/// run one after the other, each on what those before have left.
package struct WorkingTables: VaultTables {
    /// The first place that is given out here.
    ///
    /// It is behind every place of a storage, which counts these places on from its own when it writes them.
    package static var firstPlace: Int64 { 1 << 62 }

    /// What tokens say of whose purchases are.
    package let accountTokens: AccountTokenRule
    /// What was loaded.
    let loaded: Footprint
    private let listed: ListedRows?
    /// What was asked for and not loaded.
    let missing = MissingRows()
    /// The loaded rows with the changes; lists are complete as far as they were loaded.
    var rows: MemoryTables

    /// The changes, in the order in which they were made.
    package private(set) var changes: [RowChange] = []
    /// How many changes there were when the step began.
    private var keptChanges = 0
    /// Where the accounts end of those customers who were loaded.
    private var lastEntries = RowMap<CustomerID, AccountEnd>()
    /// The chains that the storage has heard of.
    private let chains: [Transaction.ID: Set<ChainID>]
    /// The newest tokens of chains, which come with their bindings.
    private let chainTokens: Set<UUID>
    /// Chains of which nothing is left.
    private var forgottenChains = RowMap<ChainID, Bool>()

    /// Makes tables of loaded rows.
    ///
    /// - Parameters:
    ///   - found: The rows.
    ///   - footprint: The questions that they answer.
    ///   - accountTokens: What tokens say of whose purchases are.
    package init(_ found: LoadedRows, of footprint: Footprint, accountTokens: AccountTokenRule) {
        self.accountTokens = accountTokens
        loaded = footprint
        listed = found.list
        rows = MemoryTables(holding: found, accountTokens: accountTokens, lastSequence: Self.firstPlace - 1)
        chains = Dictionary(grouping: found.chains, by: \.originalID).mapValues(Set.init)
        chainTokens = Set(found.tokens.values.map(\.token))
        for (customer, noted) in found.customers { lastEntries[customer] = noted.lastEntry }
        keepStep()
    }

    // MARK: Steps

    /// Makes final what the step has done.
    mutating func keepStep() {
        keptChanges = changes.count
        rows.keepStep()
        lastEntries.keepStep()
        forgottenChains.keepStep()
    }

    /// Takes back all that the step has done.
    mutating func undoStep() {
        changes.removeSubrange(keptChanges...)
        rows.undoStep()
        lastEntries.undoStep()
        forgottenChains.undoStep()
    }

    /// Notes a change for the storage, which has to know whom it is about, also where the step has not asked.
    mutating func record(_ change: RowChange) {
        if let customer = change.writtenAbout { need(.customer(customer)) }
        changes.append(change)
    }

    /// Remembers a question that was not loaded.
    func need(_ key: RowKey) {
        if !loaded.contains(key) { missing.insert(key) }
    }

    /// Whether a row came into being in this value, so that what the storage says of it is not known.
    func isNew(at place: Int64) -> Bool { place >= Self.firstPlace }

    /// The rows of a list, if it was read before the step.
    func rows(of list: VaultList) -> ListedRows? { loaded.list == list ? listed : nil }

    /// A list that goes over all customers has no place in a step.
    func noList(of what: String) -> VaultError {
        VaultError(
            .invalidRequest, "a step over a remote storage cannot list \(what) of everybody; ask the vault for it")
    }

    // MARK: Customers

    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? {
        if let row = try rows.customer(id) { return row }
        need(.customer(id))
        return nil
    }

    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        try rows.setCustomer(row)
        record(.customer(row))
    }

    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        guard case .customers(let customers)? = rows(of: .customers(after: previous, limit: limit)) else {
            throw noList(of: "customers")
        }
        return customers
    }

    package func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        guard case .wake(let wake)? = rows(of: .earliestWake) else { throw noList(of: "wakes") }
        return wake
    }

    package func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        throw noList(of: "wakes")
    }

    package mutating func setLease(_ hold: WakeHold, of customer: CustomerID, at now: Instant) throws(VaultError) {
        throw VaultError(.invalidRequest, "a step over a remote storage cannot lease a wake; ask the vault for it")
    }

    // MARK: Ownership

    package func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID? {
        if let holder = try rows.holder(of: subject) { return holder }
        needHolder(of: subject)
        return nil
    }

    func needHolder(of subject: BindingSubject) {
        switch subject {
        case .chain(let chain):
            if loaded.contains(.chains(originalID: chain.originalID)) || forgottenChains[chain] != nil { return }
        case .token(let token):
            if chainTokens.contains(token) { return }
        }
        need(.holder(of: subject))
    }

    package mutating func bind(
        _ subject: BindingSubject, to customer: CustomerID, at instant: Instant
    ) throws(VaultError) {
        try rows.bind(subject, to: customer, at: instant)
        if let binding = rows.binding(of: subject) { record(.binding(binding)) }
    }

    package func bindings(of customer: CustomerID) throws(VaultError) -> [Binding] {
        if !loaded.contains(.facts(of: customer)) { need(.bindings(of: customer)) }
        return try rows.bindings(of: customer)
    }

    package func holders(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> [CustomerID] {
        need(.chains(originalID: originalID))
        return try rows.holders(environment: environment, originalID: originalID)
    }

    package func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] {
        need(.chains(originalID: originalID))
        let heard = (chains[originalID] ?? []).filter { forgottenChains[$0] == nil }
        return MemoryTables.inOrder(heard.union(try rows.chains(originalID: originalID)))
    }

    package func attempts(on subject: BindingSubject) throws(VaultError) -> Int {
        need(.attempts(on: subject))
        return try rows.attempts(on: subject)
    }

    package mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int {
        need(.attempts(on: subject))
        let count = try rows.countAttempt(on: subject, by: claimant, at: instant)
        record(.attempts(subject, count: count, at: instant))
        return count
    }

    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? {
        need(.token(of: chain))
        return try rows.token(of: chain)
    }

    // MARK: What the parts share

    /// Where a customer's account ends.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        need(.customer(customer))
        return lastEntries[customer] ?? .none
    }

    /// Notes where a customer's account ends.
    mutating func setLastEntry(_ end: AccountEnd, of customer: CustomerID) { lastEntries[customer] = end }

    /// Notes that nothing is left of a chain.
    mutating func forget(_ chain: ChainID) { forgottenChains[chain] = true }
}

/// The questions of a run whose rows were not loaded.
///
/// An object, because tables that are only read have to remember them, too.
final class MissingRows: Sendable {
    private let keys = Mutex(Footprint())

    /// What was asked for.
    var footprint: Footprint { keys.withLock { $0 } }

    func insert(_ key: RowKey) { keys.withLock { $0.insert(key) } }
}
