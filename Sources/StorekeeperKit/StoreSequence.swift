import Storekeeper

/// An asynchronous sequence that reads a bound store.
///
/// A sequence returns either a fixed list of elements, or updates without end. Each iterator has its own position. The
/// sequence ends when the task that reads it is cancelled.
public struct StoreSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error type, which is `Never` because a failed read of the store is repeated.
    public typealias Failure = Never

    /// Reads the next elements; `nil` ends the sequence.
    typealias Read = @Sendable (inout Cursor) async -> [Element]?

    /// The position of an iterator.
    struct Cursor: Sendable {
        /// Whether the iterator has read before.
        var hasBegun = false
        /// The iterator over the remaining updates of the store.
        var updates: StoreUpdates.Iterator?
        /// The last state of each value that was sent, by the id of the value.
        var sent: [String: String] = [:]
    }

    let read: Read

    /// Creates a sequence that ends when `read` returns `nil`, or when the task is cancelled.
    init(reading read: @escaping Read) { self.read = read }

    /// Creates a sequence of the elements that one call of the closure returns.
    init(_ answer: @escaping @Sendable () async -> [Element]) {
        read = { cursor in
            guard !cursor.hasBegun else { return nil }
            cursor.hasBegun = true
            return await answer()
        }
    }

    /// Returns an iterator over the sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }

    /// An iterator with its own position in the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let read: Read
        fileprivate var cursor = Cursor()
        /// The elements that were read but not yet returned, in reverse order.
        fileprivate var elements: [Element] = []

        /// Returns the next element, and waits if necessary.
        ///
        /// - Returns: `nil` at the end, and when the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns the next element, and waits if necessary.
        ///
        /// - Parameter actor: The actor of the caller.
        /// - Returns: `nil` at the end, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while elements.isEmpty {
                guard !Task.isCancelled, let page = await read(&cursor) else { return nil }
                elements = page.reversed()
            }
            return elements.popLast()
        }
    }
}

extension StoreSequence {
    /// Creates a sequence of the elements that are derived from each update of a store.
    ///
    /// - Parameters:
    ///   - binding: The binding of the store; if it is `nil`, the sequence is empty.
    ///   - initial: Returns the elements before the first update.
    ///   - elements: Returns the elements that are derived from an update.
    static func updates(
        of binding: StoreBinding?,
        initial: @escaping @Sendable (StoreBinding, inout Cursor) async -> [Element] = { _, _ in [] },
        elements: @escaping @Sendable (StoreUpdate, StoreBinding, inout Cursor) async -> [Element]
    ) -> StoreSequence {
        StoreSequence(reading: { cursor in
            guard let binding else { return nil }
            guard cursor.hasBegun else {
                cursor.hasBegun = true
                cursor.updates = binding.store.updates().makeAsyncIterator()
                return await initial(binding, &cursor)
            }
            guard var updates = cursor.updates else { return nil }
            let update = await StoreBinding.reading { try await updates.next() }
            cursor.updates = updates
            guard case .some(.some(let update)) = update else { return nil }
            guard update.learnedAt >= binding.began else { return [] }
            return await elements(update, binding, &cursor)
        })
    }
}
