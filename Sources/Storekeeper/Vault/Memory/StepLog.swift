import FoundationEssentials
import Synchronization

/// What a step over a remote storage has asked for and changed, for ``MemoryTables``.
struct StepLog: Sendable {
    /// The questions whose rows were loaded.
    let loaded: Footprint
    private let listed: ListedRows?
    /// The questions whose rows were not loaded.
    let missing = MissingRows()
    /// The changes, in the order in which they were made.
    private(set) var changes: [RowChange] = []
    /// How many changes there were when the step began.
    private var keptChanges = 0
    /// Where the accounts of the loaded customers end.
    var lastEntries = RowMap<CustomerID, AccountEnd>()
    /// Chains of which nothing is left.
    var forgottenChains = RowMap<ChainID, Bool>()
    /// The chains that the storage has heard of.
    private let chains: [Transaction.ID: Set<ChainID>]
    /// The newest tokens of chains, which are loaded with their bindings.
    private let chainTokens: Set<UUID>

    init(_ found: LoadedRows, of footprint: Footprint) {
        loaded = footprint
        listed = found.list
        chains = Dictionary(grouping: found.chains, by: \.originalID).mapValues(Set.init)
        chainTokens = Set(found.tokens.values.map(\.token))
        for (customer, noted) in found.customers { lastEntries[customer] = noted.lastEntry }
    }

    /// Commits the step.
    mutating func keepStep() {
        keptChanges = changes.count
        lastEntries.keepStep()
        forgottenChains.keepStep()
    }

    /// Undoes the step.
    mutating func undoStep() {
        changes.removeSubrange(keptChanges...)
        lastEntries.undoStep()
        forgottenChains.undoStep()
    }

    /// Notes a question whose rows were not loaded.
    func need(_ key: RowKey) {
        if !loaded.contains(key) { missing.insert(key) }
    }

    /// Notes a change.
    ///
    /// The storage must know the customer it is about, even if the step has not asked for them.
    mutating func record(_ change: RowChange) {
        if let customer = change.writtenAbout { need(.customer(customer)) }
        changes.append(change)
    }

    /// The rows of a list, if it was read before the step.
    func rows(of list: VaultList) -> ListedRows? { loaded.list == list ? listed : nil }

    /// The chains with an original transaction id that the storage has heard of, without those of which nothing is left.
    func knownChains(originalID: Transaction.ID) -> Set<ChainID> {
        (chains[originalID] ?? []).filter { forgottenChains[$0] == nil }
    }

    /// Whether the loaded rows tell if a chain or token has a holder.
    func knowsHolder(of subject: BindingSubject) -> Bool {
        switch subject {
        case .chain(let chain):
            loaded.contains(.chains(originalID: chain.originalID)) || forgottenChains[chain] != nil
        case .token(let token): chainTokens.contains(token)
        }
    }
}

extension MemoryTables {
    /// The first place that is given to a row that a storage has not written yet.
    ///
    /// It is behind every place of a storage, which replaces these places by its own when it writes the rows.
    package static var firstPlace: Int64 { 1 << 62 }

    /// The changes for the remote storage, in the order in which they were made.
    package var changes: [RowChange] { log?.changes ?? [] }

    /// The questions of the step whose rows were not loaded.
    var missing: Footprint { log?.missing.footprint ?? [] }

    /// Notes that the answer to a question depends on rows that may not be loaded.
    func need(_ key: @autoclosure () -> RowKey) { log?.need(key()) }

    /// Notes a change for the remote storage.
    mutating func record(_ change: @autoclosure () -> RowChange) {
        if log != nil { log?.record(change()) }
    }

    /// Whether rows were loaded; always, if all rows are here.
    func isLoaded(_ key: @autoclosure () -> RowKey) -> Bool { log.map { $0.loaded.contains(key()) } ?? true }

    /// The rows of a list that was read before the step.
    func listed(_ list: @autoclosure () -> VaultList) -> ListedRows? { log?.rows(of: list()) }

    /// Refuses to list the rows of all customers, if they are not all here.
    func checkLists(_ what: String) throws(VaultError) {
        guard log == nil else {
            throw VaultError(
                .invalidRequest, "a step over a remote storage cannot list the \(what) of all customers; ask the vault")
        }
    }

    /// The chains and tokens that a step has given to a customer.
    func newSubjects(of customer: CustomerID) -> [BindingSubject] {
        guard log != nil else { return [] }
        return bindings.rows(at: customerBindings[customer], after: FeedPlace(Self.firstPlace - 1)).map(\.subject)
    }
}

/// Questions whose rows were not loaded.
///
/// An object, because tables that are only read note them, too.
final class MissingRows: Sendable {
    private let keys = Mutex(Footprint())

    /// The questions.
    var footprint: Footprint { keys.withLock { $0 } }

    func insert(_ key: RowKey) { keys.withLock { $0.insert(key) } }
}
