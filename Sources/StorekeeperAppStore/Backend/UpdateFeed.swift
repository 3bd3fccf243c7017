public import FoundationEssentials
public import Storekeeper
import Synchronization

/// Delivers the updates from notifications to all listeners.
///
/// A feed keeps its newest items in memory for listeners that start later or resume. If a listener resumes at a cursor,
/// and an item after the cursor was dropped, the listener first receives a failure. The listener should then read the
/// histories of its customers again. A listener with a cursor from another process receives the same failure, because a
/// feed exists only in memory.
public final class UpdateFeed: Sendable {
    private struct State {
        var items: [TransactionUpdate] = []
        /// The number of items that were dropped; they were published before `items`.
        var dropped: Int64 = 0
    }

    private let id: String
    private let capacity: Int
    private let state = Mutex(State())
    private let signal = ChangeSignal()

    /// Creates an empty feed.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest items that are always kept, 1 or more.
    ///   - id: An id that distinguishes this feed's cursors from the cursors of other feeds, such as the feed of an
    ///     earlier process.
    public init(capacity: Int = 10_000, id: UUID = UUID()) {
        self.capacity = max(capacity, 1)
        self.id = id.uuidString.lowercased()
    }

    /// Appends an item from a notification.
    ///
    /// - Parameters:
    ///   - content: A compact JWS, or the error of a notification that could not be read.
    ///   - customer: The customer that the item is about, if the receiver has found one.
    /// - Returns: The cursor after the item.
    @discardableResult
    public func publish(_ content: TransactionUpdate.Content, customer: CustomerID? = nil) -> UpdateCursor {
        let cursor = state.withLock { state in
            let cursor = self.cursor(state.dropped + Int64(state.items.count) + 1)
            state.items.append(TransactionUpdate(content, customer: customer, cursor: cursor))
            // Half of the items are dropped at once, so that the amortized cost is constant.
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

    /// The number of tasks that wait for an item.
    package var listenerCount: Int { signal.waiterCount }

    /// Returns the items after a cursor, followed by all future items.
    ///
    /// Without a cursor, the sequence begins with the oldest item in memory. The sequence ends when the task that reads
    /// it is cancelled.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        Updates(feed: self, start: cursor)
    }

    private func cursor(_ position: Int64) -> UpdateCursor { UpdateCursor(rawValue: "\(id):\(position)") }

    /// Returns the number of items before a cursor; `nil` if the cursor belongs to another feed.
    private func position(_ cursor: UpdateCursor) -> Int64? {
        let parts = cursor.rawValue.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == id, let position = Int64(parts[1]), position >= 0 else { return nil }
        return position
    }

    /// Returns the item that follows the first `position` items, or a failure if this item was dropped; `nil` if this
    /// item was not published yet.
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
            /// The failure that the sequence returns before the first item.
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
