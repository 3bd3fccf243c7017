import FoundationEssentials

/// Tables in memory: the tables of an ``InMemoryVault``, or the rows that were loaded from a remote storage for a step.
///
/// With a ``StepLog``, the tables also record the changes of a step, and the keys of the rows that the step needs and
/// that were not loaded. Rows that were not loaded are treated as absent; the step runs again after they are loaded.
/// Several steps may run one after the other; each step sees the changes of the previous steps.
///
/// An ``UndoLog`` records the changes of a step, so that undoing a failed step costs only as much as its writes.
package struct MemoryTables: VaultTables, Sendable {
    /// The rows; a step changes the rows only through the functions below, which record how to undo each change.
    private(set) var rows = MemoryRows()
    /// All chains that were ever registered, including chains that were erased and chains of failed steps.
    var registeredChains: [Transaction.ID: Set<ChainID>] = [:]

    /// The vault's rule for tokens.
    package let accountTokens: AccountTokenRule
    /// The log of a step of a remote vault; `nil` in a local vault.
    var log: StepLog?
    private var lastSequence: Int64
    /// The functions that undo the step's changes; `nil` while loaded rows are stored, because loading is not undone.
    private var undo: UndoLog? = UndoLog()

    /// Creates empty tables.
    ///
    /// - Parameter lastSequence: The number of the last assigned place; the next new row has the place after this
    ///   number.
    init(accountTokens: AccountTokenRule = .asIDs, lastSequence: Int64 = 0) {
        self.accountTokens = accountTokens
        self.lastSequence = lastSequence
    }

    /// Creates tables with the rows loaded by a remote storage.
    ///
    /// - Parameters:
    ///   - found: The rows.
    ///   - footprint: The keys of the rows.
    ///   - accountTokens: The rule by which account tokens determine the owner of a purchase.
    package init(_ found: LoadedRows, of footprint: Footprint, accountTokens: AccountTokenRule) {
        self.init(accountTokens: accountTokens, lastSequence: Self.firstPlace - 1)
        undo = nil
        store(found)
        undo = UndoLog()
        log = StepLog(found, of: footprint)
    }

    // MARK: Steps

    /// A key path to one table of ``MemoryRows``.
    typealias Table<Rows> = any WritableKeyPath<MemoryRows, Rows> & Sendable

    /// Makes the changes of the step final.
    mutating func commitStep() { undo?.clear() }

    /// Undoes all changes of the step.
    mutating func rollBackStep() {
        guard let inverses = undo?.takeAll() else { return }
        for inverse in inverses { inverse(&self) }
    }

    /// Assigns and returns the next place in the feed.
    mutating func nextSequence() -> Int64 {
        lastSequence += 1
        undo?.record { $0.lastSequence -= 1 }
        return lastSequence
    }

    /// Records a change for the remote storage.
    mutating func record(_ change: @autoclosure () -> RowChange) {
        guard log != nil else { return }
        log?.record(change())
        undo?.record { $0.log?.removeLastChange() }
    }

    /// Sets or removes the row of a key.
    ///
    /// - Returns: The previous row.
    @inline(__always) @discardableResult
    mutating func set<Key: Sendable, Row: Sendable>(_ row: Row?, at key: Key, in table: Table<[Key: Row]>) -> Row? {
        let previous: Row?
        if let row {
            previous = rows[keyPath: table].updateValue(row, forKey: key)
        } else {
            previous = rows[keyPath: table].removeValue(forKey: key)
        }
        undo?.record { $0.rows[keyPath: table][key] = previous }
        return previous
    }

    /// Inserts, replaces or removes the row of a described table.
    mutating func replace(_ key: PackedRow, with row: PackedRow?, in table: TableShape) {
        let previous = rows.tables[table.number].replace(key, with: row)
        undo?.record { $0.rows.tables[table.number].replace(key, with: previous) }
    }

    /// Inserts an element, unless it is present.
    @inline(__always)
    mutating func insert<Element>(_ element: Element, into table: Table<SortedElements<Element>>) {
        guard rows[keyPath: table].insert(element) else { return }
        undo?.record { $0.rows[keyPath: table].remove(element) }
    }

    /// Removes an element, if it is present.
    @inline(__always)
    mutating func remove<Element>(_ element: Element, from table: Table<SortedElements<Element>>) {
        guard rows[keyPath: table].remove(element) else { return }
        undo?.record { $0.rows[keyPath: table].insert(element) }
    }

    /// Inserts an element into a list, unless it is present.
    @inline(__always)
    mutating func insert<Key, Element>(
        _ element: Element, under key: Key, in table: Table<SortedLists<Key, Element>>
    ) {
        guard rows[keyPath: table].insert(element, under: key) else { return }
        undo?.record { $0.rows[keyPath: table].remove(element, under: key) }
    }

    /// Removes an element from a list, if it is present.
    @inline(__always)
    mutating func remove<Key, Element>(
        _ element: Element, under key: Key, in table: Table<SortedLists<Key, Element>>
    ) {
        guard rows[keyPath: table].remove(element, under: key) else { return }
        undo?.record { $0.rows[keyPath: table].insert(element, under: key) }
    }

    // MARK: Customers

    /// Returns the row of a customer.
    package func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow? {
        if let row = rows.customers[id] { return row }
        requireRows(.customer(id))
        return nil
    }

    /// Replaces the row of a customer.
    package mutating func setCustomer(_ row: CustomerRow) throws(VaultError) {
        setRow(row, of: row.id)
        record(.customer(row))
    }

    /// Returns the version from which a new customer starts: it is greater than each version of an erased customer.
    package func versionFloor() throws(VaultError) -> Int64 {
        requireRows(.versionFloor)
        return rows.versionFloor
    }

    /// Raises ``versionFloor()`` to a number, unless the floor is already as high.
    mutating func raiseVersionFloor(to number: Int64) {
        let previous = rows.versionFloor
        guard number > previous else { return }
        rows.versionFloor = number
        undo?.record { $0.rows.versionFloor = previous }
    }

    /// Stores or deletes the row of a customer, and updates the indexes by wake-up time and by id.
    mutating func setRow(_ row: CustomerRow?, of id: CustomerID) {
        let known = rows.customers[id]
        if known?.wakeAt != row?.wakeAt {
            if let wake = known?.wakeAt { remove(.init(at: wake, customer: id), from: \.wakes) }
            if let wake = row?.wakeAt { insert(.init(at: wake, customer: id), into: \.wakes) }
        }
        if row == nil {
            remove(id, from: \.names)
            if rows.leases[id] != nil { set(nil, at: id, in: \.leases) }
        } else if known == nil {
            insert(id, into: \.names)
        }
        set(row, at: id, in: \.customers)
    }

    /// Returns customers in order of id.
    package func customers(after previous: CustomerID?, limit: Int) throws(VaultError) -> [CustomerID] {
        if case .customers(let customers)? = listed(.customers(after: previous, limit: limit)) { return customers }
        try checkLists("customers")
        return rows.names.elements(after: previous, limit: limit)
    }

    /// Returns the customer with the earliest wake-up time.
    package func earliestWake() throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        if case .wake(let wake)? = listed(.earliestWake) { return wake }
        try checkLists("wakes")
        return rows.wakes.first.map { ($0.customer, $0.at) }
    }

    /// Returns customers in order of wake-up time and id.
    package func wakes(after previous: WakeRow?, limit: Int) throws(VaultError) -> [WakeRow] {
        try checkLists("wakes")
        let start = previous.map { MemoryRows.Wake(at: $0.at, customer: $0.customer) }
        return rows.wakes.elements(after: start, limit: limit).map { wake in
            WakeRow(customer: wake.customer, at: wake.at, hold: rows.leases[wake.customer])
        }
    }

    /// Stores a node's lease for announcing a customer's due changes; erasing the customer deletes the lease.
    package mutating func setLease(
        _ hold: HeldWakeLease, of customer: CustomerID, at now: Instant
    ) throws(VaultError) {
        guard log == nil else {
            throw VaultError(.invalidRequest, "a step over a remote storage cannot lease a wake; ask the vault for it")
        }
        if rows.customers[customer] != nil { set(hold, at: customer, in: \.leases) }
    }
}
