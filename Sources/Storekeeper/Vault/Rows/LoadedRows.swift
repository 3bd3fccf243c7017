/// The rows that a remote storage has found: the answers to the questions of a ``Footprint``, each row once.
package struct LoadedRows: Sendable {
    /// What is noted of a customer.
    package struct Customer: Sendable {
        /// The row; `nil` for one of whom nothing was written.
        package var row: CustomerRow?
        /// Where the account ends.
        package var lastEntry: AccountEnd

        /// Makes what is noted.
        package init(row: CustomerRow?, lastEntry: AccountEnd) {
            self.row = row
            self.lastEntry = lastEntry
        }
    }

    /// Who was asked for by ``RowKey/customer(_:)``.
    package var customers: [CustomerID: Customer] = [:]
    /// Bindings by the number of their place.
    package var bindings: [Int64: Binding] = [:]
    /// Chains that the vault has heard of, for ``RowKey/chains(originalID:)``.
    package var chains: Set<ChainID> = []
    /// How often chains and tokens of others were presented.
    package var attempts: [BindingSubject: Int] = [:]
    /// The newest tokens of chains.
    package var tokens: [ChainID: NewestToken] = [:]
    /// Facts by the number of their place.
    package var facts: [Int64: StoredFact] = [:]
    /// Parked facts by the number of their place.
    package var parked: [Int64: ParkedFact] = [:]
    /// Entries by the number of their place.
    package var entries: [Int64: LedgerEntry] = [:]
    /// Balances by customer and name.
    package var balances: [CustomerID: [Balance.ID: Balance]] = [:]
    /// What transactions were owed, by the number of their place.
    package var deliveries: [Int64: DeliveryRow] = [:]
    /// Purchases that wait for approval; customers with none are left out.
    package var pending: [CustomerID: [PendingPurchase]] = [:]
    /// Notifications that were seen.
    package var notifications: Set<ServerNotification.ID> = []
    /// Steps that were written.
    package var steps: Set<StepID> = []
    /// How far backends were read.
    package var cursors: [UpdateCursor.Backend: UpdateCursor] = [:]
    /// Marks that erased customers have left.
    package var marks: Set<ErasedMark> = []

    /// The rows of ``Footprint/list``.
    package var list: ListedRows?

    /// Makes an answer of no rows.
    package init() {}

    /// Adds rows that were loaded under the same locks, or of the same state of the storage.
    package mutating func merge(_ other: LoadedRows) {
        list = list ?? other.list
        customers.merge(other.customers) { _, new in new }
        bindings.merge(other.bindings) { _, new in new }
        chains.formUnion(other.chains)
        attempts.merge(other.attempts) { _, new in new }
        tokens.merge(other.tokens) { _, new in new }
        facts.merge(other.facts) { _, new in new }
        parked.merge(other.parked) { _, new in new }
        entries.merge(other.entries) { _, new in new }
        balances.merge(other.balances) { known, new in known.merging(new) { _, new in new } }
        deliveries.merge(other.deliveries) { _, new in new }
        pending.merge(other.pending) { _, new in new }
        notifications.formUnion(other.notifications)
        steps.formUnion(other.steps)
        cursors.merge(other.cursors) { _, new in new }
        marks.formUnion(other.marks)
    }
}
