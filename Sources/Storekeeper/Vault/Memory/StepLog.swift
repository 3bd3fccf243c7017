import FoundationEssentials
import Synchronization

/// The reads and changes that a step of a remote vault makes, as ``MemoryTables`` records them.
struct StepLog: Sendable {
    /// The keys whose rows were loaded before the step ran.
    let loaded: Footprint
    private let listed: ListedRows?
    /// The keys that the step needs and whose rows were not loaded.
    let missing = MissingRows()
    /// The changes in order.
    private(set) var changes: [RowChange] = []
    /// The chains in the storage, by original transaction id.
    let chains: [Transaction.ID: Set<ChainID>]
    /// The newest tokens of chains; the binding of such a token is loaded with the token.
    private let chainTokens: Set<UUID>

    init(_ found: LoadedRows, of footprint: Footprint) {
        loaded = footprint
        listed = found.list
        chains = Dictionary(grouping: found.chains, by: \.originalID).mapValues(Set.init)
        chainTokens = Set(found.tokens.values.map(\.token))
    }

    /// Records a key as missing if its rows were not loaded.
    func requireRows(_ key: RowKey) {
        if !loaded.contains(key) { missing.insert(key) }
    }

    /// Records a question as missing, unless the answer is among the loaded rows.
    func requireRows(_ question: RowQuestion) {
        guard !loaded.contains(.rows(question)), !question.wider.contains(where: { loaded.contains(.rows($0)) }) else {
            return
        }
        missing.insert(.rows(question))
    }

    /// Records a change.
    ///
    /// The row of the change's customer must be loaded, even if the step has not read this row.
    mutating func record(_ change: RowChange) {
        if let customer = change.writtenAbout { requireRows(.customer(customer)) }
        changes.append(change)
    }

    /// Removes the last change, which the step has undone.
    mutating func removeLastChange() { _ = changes.popLast() }

    /// Returns the rows of a list, if the list was read before the step.
    func rows(of list: VaultList) -> ListedRows? { loaded.list == list ? listed : nil }

    /// Returns whether the loaded rows show the owner of a chain or token, or show that it has no owner.
    func hasLoadedHolder(of subject: BindingSubject) -> Bool {
        switch subject {
        case .chain(let chain): loaded.contains(.chains(originalID: chain.originalID))
        case .token(let token): chainTokens.contains(token)
        }
    }
}

extension MemoryTables {
    /// The first provisional place of rows that a storage has not written yet.
    ///
    /// A provisional place is after every place of a storage. The storage replaces provisional places when it writes
    /// the rows.
    package static var firstPlace: Int64 { 1 << 62 }

    /// The changes for the remote storage, in order.
    package var changes: [RowChange] { log?.changes ?? [] }

    /// The keys of the rows that the step needs and that were not loaded.
    var missing: Footprint { log?.missing.footprint ?? [] }

    /// Records that the step needs rows, if these rows were not loaded.
    func requireRows(_ key: @autoclosure () -> RowKey) { log?.requireRows(key()) }

    /// Returns whether rows were loaded; always `true` for a local vault.
    func isLoaded(_ key: @autoclosure () -> RowKey) -> Bool { log.map { $0.loaded.contains(key()) } ?? true }

    /// Returns the rows of a list if the list was read before the step; otherwise `nil`.
    func listed(_ list: @autoclosure () -> VaultList) -> ListedRows? { log?.rows(of: list()) }

    /// Throws if the rows of all customers cannot be listed, because they are in a remote storage.
    func checkLists(_ what: String) throws(VaultError) {
        guard log == nil else {
            throw VaultError(
                .invalidRequest, "a step over a remote storage cannot list the \(what) of all customers; ask the vault")
        }
    }

    /// Returns the chains and tokens that a step has bound to a customer.
    func newSubjects(of customer: CustomerID) -> [BindingSubject] {
        guard log != nil else { return [] }
        let places = rows.customerBindings[customer].elements(after: Self.firstPlace - 1)
        return rows.bindings.rows(at: places).map(\.subject)
    }
}

/// Keys whose rows were not loaded.
///
/// This is a class, because a step that only reads the tables must also record missing rows.
final class MissingRows: Sendable {
    private let keys = Mutex(Footprint())

    /// The recorded keys.
    var footprint: Footprint { keys.withLock { $0 } }

    func insert(_ key: RowKey) { keys.withLock { $0.insert(key) } }
}
