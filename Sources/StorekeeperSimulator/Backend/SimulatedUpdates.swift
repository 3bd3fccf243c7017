import Storekeeper

/// The stream of updates from a simulated backend.
///
/// The cursor is the number of journal entries up to which all items were delivered. A listener that resumes from a
/// cursor misses no item, but receives an item twice if the item had overtaken a delayed item.
struct SimulatedUpdates: AsyncSequence, Sendable {
    typealias Element = TransactionUpdate
    typealias Failure = Never

    let backend: SimulatedBackend
    let cursor: UpdateCursor?

    func makeAsyncIterator() -> Iterator {
        let position = cursor.flatMap { Int($0.rawValue) }
        return backend.store.read { world in
            Iterator(
                backend: backend, position: position.map { Swift.max(0, $0) } ?? world.journal.count,
                unfinished: world.transactions.indices(after: position == nil ? 0 : .max))
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        let backend: SimulatedBackend
        /// The number of journal entries that were read.
        var position: Int
        /// The unfinished transactions that are still to be sent to a new listener.
        var unfinished: Range<RowIndex<TransactionState>>
        /// The items that were sent but have not arrived, each with its arrival time and the id of its happening.
        var travelling: [(at: Instant, id: Happening.ID)] = []

        mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
            while !Task.isCancelled {
                let seen = backend.store.signal.count
                while let transaction = unfinished.popFirst() {
                    if var update = backend.unfinished(transaction) {
                        if unfinished.isEmpty { update.cursor = cursor }
                        return update
                    }
                }
                readJournal()
                if let update = popArrived() { return update }
                await backend.store.signal.wait(after: seen)
            }
            return nil
        }

        private var cursor: UpdateCursor {
            UpdateCursor(rawValue: String(travelling.map(\.id).min() ?? position))
        }

        private mutating func readJournal() {
            let (start, app) = (position, backend.app)
            let fresh = backend.store.read { world in
                world.journal.indices(after: start).map { place in
                    let entry = world.journal[place]
                    return (at: entry.at, isOurs: entry.download.map { world.downloads[$0].app == app } ?? false)
                }
            }
            for entry in fresh {
                if entry.isOurs {
                    for delay in backend.conditions.delays(ofItem: position) {
                        travelling.append((entry.at.adding(milliseconds: delay), position))
                    }
                }
                position += 1
            }
        }

        /// Removes and returns the first item that has arrived by now.
        private mutating func popArrived() -> TransactionUpdate? {
            let now = backend.store.now
            while let index = travelling.indices.min(by: {
                (travelling[$0].at, travelling[$0].id) < (travelling[$1].at, travelling[$1].id)
            }),
                travelling[index].at <= now
            {
                let id = travelling.remove(at: index).id
                guard let content = backend.update(id) else { continue }
                let customer = backend.store.read { world -> CustomerID? in
                    guard let place = world.journal.place(at: id) else { return nil }
                    return world.journal[place].account.map { world.accounts[$0].name }
                }
                return TransactionUpdate(content, customer: customer, cursor: cursor)
            }
            return nil
        }
    }
}
