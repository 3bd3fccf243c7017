/// One change that a step makes to the rows of a storage.
///
/// The provisional places of new rows begin at ``MemoryTables/firstPlace``; the storage replaces them by the next
/// places of its own feed.
package enum RowChange: Sendable {
    /// A new or replaced row of a customer.
    case customer(CustomerRow)
    /// An unbound chain or token is bound to a customer.
    case binding(Binding)
    /// The new number of times that customers other than the owner have presented a chain or token.
    case attempts(BindingSubject, count: Int, at: Instant)
    /// A new fact with the owner of its chain; for a fact other than a transaction, the owner is `nil`, because it may
    /// belong to several customers.
    case fact(StoredFact)
    /// A fact is parked.
    case parked(ParkedFact, place: Int64, claimant: CustomerID?)
    /// A new or replaced row of a described table.
    case row(Row)
    /// A new delivery of a transaction.
    case delivery(DeliveryRow, place: Int64)
    /// The new state of a delivery.
    case deliveryState(DeliveryRow)
    /// A step is recorded as written; at most two records of steps that were written before an instant are deleted.
    case step(StepID, at: Instant, forgettingBefore: Instant)
    /// Marks of erased customers are added to the existing marks.
    case marks(ErasedMarks)
    /// Old rows of a described table are deleted.
    case oldRows(OldRows)

    /// A parked fact is deleted, with the row of its chain if no other row refers to the chain.
    case unparked(VerifiedFact)
    /// The facts of a chain are deleted.
    case removedFacts(of: ChainID)
    /// The facts other than transactions of an environment and original transaction are deleted.
    case removedRenewalInfos(of: RenewalInfoKey)
    /// The binding of a chain or token is deleted.
    case unbound(BindingSubject)
    /// The binding of a customer's chain or token and the chain's facts are deleted, and their links stay.
    case released(BindingSubject, of: CustomerID)
    /// The name of a customer is removed from the parked facts that were presented for the customer.
    case forgottenClaimant(CustomerID)
    /// The number of times that other customers have presented a chain or token is deleted.
    case removedAttempts(on: BindingSubject)
    /// All deliveries of a customer's transactions are deleted.
    case removedDeliveries(of: CustomerID)
    /// The rows of a described table with a key are deleted.
    case removedRows(RowQuestion)
    /// The content of a customer's entries is removed, the customer is deleted, and the erasure is recorded.
    case erasure(ErasureDraft)
}

extension RowChange {
    /// A new or replaced row of a described table.
    package struct Row: Sendable {
        package let table: TableShape
        /// The row.
        package let cells: PackedRow
        /// The row's key, which is its place if it has one.
        let key: PackedRow
        /// The owner of the row; `nil` if the row has no owner.
        let owner: CustomerID?
        /// The number of the row's provisional place; `nil` for a row without a place.
        package let place: Int64?
        /// Whether the row must not replace another row.
        package let isNew: Bool

        init(_ row: RowBuffer, of table: TableShape, isNew: Bool) {
            self.table = table
            cells = row.packed()
            key = row.packed(table.key) ?? cells
            owner = row.owner
            place = table.hasPlace ? row.cells[0].number : nil
            self.isNew = isNew
        }
    }
}

extension RowChange {
    /// The kind of a change; one SQL statement can write several changes of the same kind.
    ///
    /// The cases for insertions and replacements are ordered so that a row is written before the rows that refer to it.
    package enum Kind: Int, Comparable, Sendable {
        case customer, binding, attempts, fact, parked, row, delivery, deliveryState, step, marks, oldRows
        case unparked, removedFacts, removedRenewalInfos, unbound, released, forgottenClaimant, removedAttempts
        case removedDeliveries, removedRows, erasure

        /// Whether changes of this kind delete rows; a deletion is written after all earlier changes and before all
        /// later changes.
        package var isRemoval: Bool { self >= .unparked }

        package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind of the change.
    package var kind: Kind {
        switch self {
        case .customer: .customer
        case .binding: .binding
        case .attempts: .attempts
        case .fact: .fact
        case .parked: .parked
        case .row: .row
        case .delivery: .delivery
        case .deliveryState: .deliveryState
        case .step: .step
        case .marks: .marks
        case .oldRows: .oldRows
        case .unparked: .unparked
        case .removedFacts: .removedFacts
        case .removedRenewalInfos: .removedRenewalInfos
        case .unbound: .unbound
        case .released: .released
        case .forgottenClaimant: .forgottenClaimant
        case .removedAttempts: .removedAttempts
        case .removedDeliveries: .removedDeliveries
        case .removedRows: .removedRows
        case .erasure: .erasure
        }
    }

    /// The customer whose row must be locked, because the change affects the customer's row, chain or account; `nil` if
    /// no lock is needed.
    package var writtenAbout: CustomerID? {
        switch self {
        case .customer(let row): row.id
        case .binding(let row): row.customer
        case .fact(let row): row.customer
        case .row(let row): row.owner
        case .delivery(let row, _): row.customer
        case .erasure(let draft): draft.customer
        case .released(_, let customer): customer
        default: nil
        }
    }

    /// The ``RowKey`` of the row that the change replaces; `nil` if the change does not replace a row.
    ///
    /// Of several changes that replace the same row, only the last change is written.
    private var replacedRow: RowKey? {
        switch self {
        case .customer(let row): .customer(row.id)
        case .attempts(let subject, _, _): .attempts(on: subject)
        case .row(let row) where !row.isNew: .rows(RowQuestion(row.table, row.table.primary, row.key))
        case .deliveryState(let row): .delivery(of: row.key)
        default: nil
        }
    }

    /// Groups changes into runs of the same kind, in the order in which a storage writes the runs.
    ///
    /// Each run is written by one statement. If several changes replace the same row, a run contains only the last of
    /// these changes.
    ///
    /// - Parameter changes: The changes, in the order in which they were made.
    package static func runs(of changes: [RowChange]) -> [[RowChange]] {
        var runs: [[RowChange]] = []
        var rest = changes[...]
        while let first = rest.first {
            if first.kind.isRemoval {
                let run = rest.prefix { $0.kind == first.kind }
                runs.append(Array(run))
                rest = rest.dropFirst(run.count)
            } else {
                let additions = rest.prefix { !$0.kind.isRemoval }
                runs += Self.runs(ofAdditions: additions)
                rest = rest.dropFirst(additions.count)
            }
        }
        return runs
    }

    private static func runs(ofAdditions changes: ArraySlice<RowChange>) -> [[RowChange]] {
        var runs: [Int: [RowChange]] = [:]
        var places: [RowKey: Int] = [:]
        for change in changes {
            // The new rows of each described table are a run of their own, which must not replace rows, and the other
            // rows are the next run, in the order of the tables.
            let part = if case .row(let row) = change { 2 * row.table.number + (row.isNew ? 0 : 1) } else { 0 }
            let run = 2 * change.kind.rawValue * allTables.count + part
            if let row = change.replacedRow {
                if let place = places[row] {
                    runs[run]?[place] = change
                    continue
                }
                places[row] = runs[run]?.count ?? 0
            }
            runs[run, default: []].append(change)
        }
        return runs.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension RowChange {
    /// The provisional place that the step has assigned to the row; `nil` for a row without a place.
    package var place: Int64? {
        switch self {
        case .binding(let row): row.place.number
        case .fact(let row): row.place.number
        case .parked(_, let place, _): place
        case .row(let row): row.place
        case .delivery(_, let place): place
        case .erasure(let draft): draft.place
        default: nil
        }
    }
}
