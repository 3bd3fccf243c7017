/// One row that a step changes.
///
/// Places that the step has given out begin at ``MemoryTables/firstPlace``; the storage counts them on from its own.
package enum RowChange: Sendable {
    /// What is noted of a customer, new or in place of what was noted.
    case customer(CustomerRow)
    /// A chain or token that was nobody's becomes a customer's.
    case binding(Binding)
    /// How often anybody has now presented a chain or token that is another's.
    case attempts(BindingSubject, count: Int, at: Instant)
    /// A fact that was not there, with the customer of its chain; a renewal info, which may be several's, with none.
    case fact(StoredFact)
    /// A fact is put aside.
    case parked(ParkedFact, place: Int64, claimant: CustomerID?)
    /// An entry is added.
    case entry(LedgerEntry)
    /// A balance, new or in place of what it was.
    case balance(Balance, of: CustomerID)
    /// An event is added.
    case event(StoreEvent)
    /// A transaction is owed a delivery that it was not owed before.
    case delivery(DeliveryRow, place: Int64)
    /// How far a transaction that was owed a delivery has come.
    case deliveryState(DeliveryRow)
    /// The purchases of a customer that wait for approval, in place of those that did.
    case pending([PendingPurchase], of: CustomerID)
    /// A notification is seen.
    case notification(uuid: ServerNotification.ID, at: Instant)
    /// A step is written, and one or two of those written before an instant are forgotten.
    case step(StepID, at: Instant, forgettingBefore: Instant)
    /// How far a backend was read, in place of what was noted.
    case cursor(UpdateCursor, of: String)
    /// Marks of erased customers are kept; those that are there already stay as they are.
    case marks(ErasedMarks)

    /// A fact is taken out of the park, with its chain where nothing else is of it.
    case unparked(VerifiedFact)
    /// The facts of a chain are taken out.
    case removedFacts(of: ChainID)
    /// The renewal infos of an environment and original transaction are taken out.
    case removedRenewalInfos(of: RenewalInfoKey)
    /// A chain or token becomes nobody's.
    case unbound(BindingSubject)
    /// The count of attempts is taken out.
    case removedAttempts(on: BindingSubject)
    /// All that a customer's transactions were owed is taken out.
    case removedDeliveries(of: CustomerID)
    /// The events about a customer are taken out.
    case removedEvents(of: CustomerID)
    /// The balances of a customer are taken out.
    case removedBalances(of: CustomerID)
    /// The entries of a customer are emptied, the customer is taken out, and this is written down.
    case erasure(ErasureDraft)
}

extension RowChange {
    /// Which statement writes it; those that only add or replace stand in an order in which each finds what it refers
    /// to.
    package enum Kind: Int, Comparable, Sendable {
        case customer, binding, attempts, fact, parked, entry, balance, event, delivery, deliveryState, pending
        case notification, step, cursor, marks
        case unparked, removedFacts, removedRenewalInfos, unbound, removedAttempts, removedDeliveries, removedEvents
        case removedBalances, erasure

        /// Whether it takes rows out: what was changed before stays before it, what comes after stays after it.
        var isRemoval: Bool { self >= .unparked }

        package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// The statement that writes it.
    package var kind: Kind {
        switch self {
        case .customer: .customer
        case .binding: .binding
        case .attempts: .attempts
        case .fact: .fact
        case .parked: .parked
        case .entry: .entry
        case .balance: .balance
        case .event: .event
        case .delivery: .delivery
        case .deliveryState: .deliveryState
        case .pending: .pending
        case .notification: .notification
        case .step: .step
        case .cursor: .cursor
        case .marks: .marks
        case .unparked: .unparked
        case .removedFacts: .removedFacts
        case .removedRenewalInfos: .removedRenewalInfos
        case .unbound: .unbound
        case .removedAttempts: .removedAttempts
        case .removedDeliveries: .removedDeliveries
        case .removedEvents: .removedEvents
        case .removedBalances: .removedBalances
        case .erasure: .erasure
        }
    }

    /// The customer whose row, chain or account it is about, who is to be locked while it is written; `nil` where it
    /// stands by itself.
    package var writtenAbout: CustomerID? {
        switch self {
        case .customer(let row): row.id
        case .binding(let row): row.customer
        case .fact(let row): row.customer
        case .entry(let row): row.customer
        case .balance(_, let customer), .pending(_, let customer): customer
        case .event(let row): row.customer
        case .delivery(let row, _): row.customer
        case .erasure(let draft): draft.customer
        default: nil
        }
    }

    /// The row of which only the last change counts; `nil` for what is written once.
    private var replacedRow: RowKey? {
        switch self {
        case .customer(let row): .customer(row.id)
        case .attempts(let subject, _, _): .attempts(on: subject)
        case .balance(let balance, let customer): .balance(of: customer, name: balance.id)
        case .deliveryState(let row): .delivery(of: row.key)
        case .pending(_, let customer): .pending(of: customer)
        case .cursor(_, let backend): .cursor(of: UpdateCursor.Backend(backend))
        default: nil
        }
    }

    /// Changes as a storage writes them: in runs of one kind, each for one statement, each row in a run once.
    ///
    /// - Parameter changes: In the order in which they were made.
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
        var byKind: [Kind: [RowChange]] = [:]
        var places: [RowKey: Int] = [:]
        for change in changes {
            if let row = change.replacedRow {
                if let place = places[row] {
                    byKind[change.kind]?[place] = change
                    continue
                }
                places[row] = byKind[change.kind]?.count ?? 0
            }
            byKind[change.kind, default: []].append(change)
        }
        return byKind.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension RowChange {
    /// The place that the step has given to its row; `nil` for a row without one.
    package var place: Int64? {
        switch self {
        case .binding(let row): row.place.number
        case .fact(let row): row.place.number
        case .parked(_, let place, _): place
        case .entry(let row): row.place.number
        case .event(let row): row.place.number
        case .delivery(_, let place): place
        case .erasure(let draft): draft.place
        default: nil
        }
    }
}
