/// The rows that a remote storage has loaded for the row keys of a ``Footprint``, without duplicates.
package struct LoadedRows: Sendable {
    /// The row of a customer, with the position of the last entry of the customer's account.
    package struct Customer: Sendable {
        /// The row of the customer; `nil` for an unknown customer.
        package var row: CustomerRow?
        /// The number and the place of the last entry of the customer's account.
        package var lastEntry: AccountEnd

        /// Creates a customer's rows.
        package init(row: CustomerRow?, lastEntry: AccountEnd) {
            self.row = row
            self.lastEntry = lastEntry
        }
    }

    /// The customers requested by ``RowKey/customer(_:)``.
    package var customers: [CustomerID: Customer] = [:]
    /// A number greater than each version that an erased customer has had; see ``RowKey/versionFloor``.
    package var versionFloor: Int64 = 0
    /// Bindings by the number of their ``FeedPlace``.
    package var bindings: [Int64: Binding] = [:]
    /// The chains requested by ``RowKey/chains(originalID:)``.
    package var chains: Set<ChainID> = []
    /// For each chain or token, the number of times that customers other than the owner have presented it.
    package var attempts: [BindingSubject: Int] = [:]
    /// The newest account token of each chain.
    package var tokens: [ChainID: NewestToken] = [:]
    /// Facts by the number of their ``FeedPlace``.
    package var facts: [Int64: StoredFact] = [:]
    /// Parked facts by the number of their ``FeedPlace``.
    package var parked: [Int64: ParkedFact] = [:]
    /// The rows that are described by a ``TableShape``, by the number of the table and by their keys.
    package private(set) var tables: [[PackedRow: PackedRow]] = allTables.map { _ in [:] }
    /// Deliveries by the number of their ``FeedPlace``.
    package var deliveries: [Int64: DeliveryRow] = [:]
    /// The ids of the requested steps that were written.
    package var steps: Set<StepID> = []
    /// The requested marks of erased customers that are stored.
    package var marks: Set<ErasedMark> = []

    /// The rows of the list requested by ``Footprint/list``.
    package var list: ListedRows?

    /// Creates an empty value.
    package init() {}

    /// Adds the row in a buffer to a table.
    package mutating func add(_ row: RowBuffer, to table: TableShape) {
        if let key = row.packed(table.key) { tables[table.number][key] = row.packed() }
    }

    /// Adds rows that were loaded under the same locks, or from the same snapshot.
    package mutating func merge(_ other: LoadedRows) {
        list = list ?? other.list
        customers.merge(other.customers) { _, new in new }
        versionFloor = max(versionFloor, other.versionFloor)
        bindings.merge(other.bindings) { _, new in new }
        chains.formUnion(other.chains)
        attempts.merge(other.attempts) { _, new in new }
        tokens.merge(other.tokens) { _, new in new }
        // A fact may be loaded again as a copy that the rules look up, which names no owner.
        facts.merge(other.facts) { known, new in new.customer == nil ? known : new }
        parked.merge(other.parked) { _, new in new }
        for table in tables.indices { tables[table].merge(other.tables[table]) { _, new in new } }
        deliveries.merge(other.deliveries) { _, new in new }
        steps.formUnion(other.steps)
        marks.formUnion(other.marks)
    }
}
