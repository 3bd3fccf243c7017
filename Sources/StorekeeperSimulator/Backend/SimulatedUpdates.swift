import Storekeeper

/// The stream of a simulated backend.
///
/// Its cursor is how much of the journal was sent in full: whoever goes on from there gets again what had overtaken
/// something that was still on its way, and misses nothing.
struct SimulatedUpdates: AsyncSequence, Sendable {
    typealias Element = TransactionUpdate
    typealias Failure = Never

    let backend: SimulatedBackend
    let cursor: UpdateCursor?

    func makeAsyncIterator() -> Iterator {
        if let place = cursor.flatMap({ Int($0.rawValue) }) {
            return Iterator(backend: backend, position: Swift.max(0, place), unfinished: 0..<0)
        }
        let (journal, transactions) = backend.store.read { ($0.journal.count, $0.transactions.count) }
        return Iterator(backend: backend, position: journal, unfinished: 0..<Int32(transactions))
    }

    struct Iterator: AsyncIteratorProtocol {
        let backend: SimulatedBackend
        /// How much of the journal was looked at.
        var position: Int
        /// The transactions that are still to be sent to whoever has just begun to listen.
        var unfinished: Range<Int32>
        /// What is on its way, by its place in the journal.
        var travelling: [(at: Instant, sequence: Int)] = []

        mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
            while !Task.isCancelled {
                let seen = backend.store.signal.count
                while let number = unfinished.popFirst() {
                    if var update = backend.unfinished(number) {
                        if unfinished.isEmpty { update.cursor = cursor }
                        return update
                    }
                }
                lookAtJournal()
                if let update = arrive() { return update }
                await backend.store.signal.wait(after: seen)
            }
            return nil
        }

        private var cursor: UpdateCursor {
            UpdateCursor(rawValue: String(travelling.map(\.sequence).min() ?? position))
        }

        private mutating func lookAtJournal() {
            let (start, app) = (position, backend.app)
            let fresh = backend.store.read { world in
                (start..<Swift.max(start, world.journal.count)).map { sequence in
                    let entry = world.journal[sequence]
                    return (at: entry.at, isOurs: entry.download.map { world.downloads[Int($0)].app == app } ?? false)
                }
            }
            for entry in fresh {
                if entry.isOurs {
                    for delay in backend.weather.delays(ofItem: position) {
                        travelling.append((entry.at.adding(milliseconds: delay), position))
                    }
                }
                position += 1
            }
        }

        /// What has arrived by now, the earliest first.
        private mutating func arrive() -> TransactionUpdate? {
            let now = backend.store.now
            while let place = travelling.indices.min(by: {
                (travelling[$0].at, travelling[$0].sequence) < (travelling[$1].at, travelling[$1].sequence)
            }),
                travelling[place].at <= now
            {
                let sequence = travelling.remove(at: place).sequence
                guard let content = backend.update(sequence) else { continue }
                let customer = backend.store.read { world in
                    world.journal[sequence].account.map { world.accounts[Int($0)].name }
                }
                return TransactionUpdate(content, customer: customer, cursor: cursor)
            }
            return nil
        }
    }
}

extension Range where Bound == Int32 {
    fileprivate mutating func popFirst() -> Int32? {
        guard let first else { return nil }
        self = (first + 1)..<upperBound
        return first
    }
}
