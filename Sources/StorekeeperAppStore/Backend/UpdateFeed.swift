public import FoundationEssentials
public import Storekeeper
import Synchronization

/// Hands on what a receiver of notifications has been told, to all who listen.
///
/// Keeps the newest items for those who come late or come back. Whoever comes back later than that is told so by an item
/// that is a failure, and reads the histories of its customers again. A feed lives as long as its process: a cursor of
/// another is answered in the same way.
public final class UpdateFeed: Sendable {
    private struct State {
        var items: [TransactionUpdate] = []
        /// How many items were dropped before the first that is kept.
        var dropped: Int64 = 0
    }

    private let id: String
    private let capacity: Int
    private let state = Mutex(State())
    private let signal = ChangeSignal()

    /// Makes a feed that holds nothing.
    ///
    /// - Parameters:
    ///   - capacity: How many items are kept, 1 or more.
    ///   - id: Tells this feed's cursors from those of another process.
    public init(capacity: Int = 10_000, id: UUID = UUID()) {
        self.capacity = max(capacity, 1)
        self.id = id.uuidString.lowercased()
    }

    /// Hands in what a notification has told.
    ///
    /// - Parameters:
    ///   - content: Compact JWS, or why a notification could not be read.
    ///   - customer: Whom it is about, where the receiver knows.
    /// - Returns: The cursor behind it.
    @discardableResult
    public func publish(_ content: TransactionUpdate.Content, customer: CustomerID? = nil) -> UpdateCursor {
        let cursor = state.withLock { state in
            let cursor = self.cursor(state.dropped + Int64(state.items.count) + 1)
            state.items.append(TransactionUpdate(content, customer: customer, cursor: cursor))
            // Dropped by the half, so that it costs nothing on the whole.
            if state.items.count >= 2 * capacity {
                let count = state.items.count - capacity
                state.items.removeFirst(count)
                state.dropped += Int64(count)
            }
            return cursor
        }
        signal.send()
        return cursor
    }

    /// How many tasks wait for something to be handed in.
    package var listenerCount: Int { signal.waiterCount }

    /// What was handed in after a cursor, and what will be; without a cursor, all that is kept.
    ///
    /// Ends with its task.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        Updates(feed: self, start: cursor)
    }

    private func cursor(_ position: Int64) -> UpdateCursor { UpdateCursor(rawValue: "\(id):\(position)") }

    /// How many items stand before a cursor; `nil` where it is another feed's.
    private func position(_ cursor: UpdateCursor) -> Int64? {
        let parts = cursor.rawValue.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == id, let position = Int64(parts[1]), position >= 0 else { return nil }
        return position
    }

    /// The item behind a position; one that says what was lost where it is no longer kept.
    private func item(after position: Int64) -> (item: TransactionUpdate, position: Int64)? {
        state.withLock { state in
            if position < state.dropped {
                return (lost("\(state.dropped - position) updates", upTo: state.dropped), state.dropped)
            }
            guard let index = Int(exactly: position - state.dropped), state.items.indices.contains(index) else {
                return nil
            }
            return (state.items[index], position + 1)
        }
    }

    private func lost(_ what: String, upTo position: Int64) -> TransactionUpdate {
        TransactionUpdate(
            .failure(
                AppStoreServerError(
                    .updatesLost, "\(what) can no longer be read; read the customers' histories again")),
            cursor: cursor(position))
    }
}

extension UpdateFeed {
    private struct Updates: AsyncSequence, Sendable {
        let feed: UpdateFeed
        let start: UpdateCursor?

        func makeAsyncIterator() -> Iterator {
            guard let start else { return Iterator(feed: feed, position: feed.state.withLock { $0.dropped }) }
            if let position = feed.position(start) { return Iterator(feed: feed, position: position) }
            let first = feed.state.withLock { $0.dropped }
            return Iterator(
                feed: feed, position: first,
                notice: feed.lost("The updates since the last start", upTo: first))
        }

        struct Iterator: AsyncIteratorProtocol {
            let feed: UpdateFeed
            var position: Int64
            /// What is said before anything else.
            var notice: TransactionUpdate?

            mutating func next() async -> TransactionUpdate? { await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async -> TransactionUpdate? {
                if let said = notice {
                    notice = nil
                    return said
                }
                while !Task.isCancelled {
                    let seen = feed.signal.count
                    if let (item, next) = feed.item(after: position) {
                        position = next
                        return item
                    }
                    await feed.signal.wait(after: seen)
                }
                return nil
            }
        }
    }
}
