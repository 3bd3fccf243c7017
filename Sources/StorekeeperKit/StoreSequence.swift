import Storekeeper

/// An asynchronous sequence of a bound store: the elements of an answer, or updates without end.
///
/// Each iterator reads at its own speed. The sequence ends when the task is cancelled.
public struct StoreSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error type: a store that cannot be read is read again.
    public typealias Failure = Never

    /// Reads the next elements; `nil` ends the sequence.
    typealias Read = @Sendable (inout Cursor) async -> [Element]?

    /// The position of an iterator.
    struct Cursor: Sendable {
        /// Whether something was read.
        var hasBegun = false
        /// The updates that follow the updates read so far.
        var updates: StoreUpdates.Iterator?
        /// The last state that was sent of each value, by id.
        var sent: [String: String] = [:]
    }

    let read: Read

    /// Creates a sequence that never ends before its task.
    init(reading read: @escaping Read) { self.read = read }

    /// Creates a sequence of the elements of one answer.
    init(_ answer: @escaping @Sendable () async -> [Element]) {
        read = { cursor in
            guard !cursor.hasBegun else { return nil }
            cursor.hasBegun = true
            return await answer()
        }
    }

    /// Returns an iterator over the sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }

    /// The position of one reader.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let read: Read
        fileprivate var cursor = Cursor()
        /// The elements that were read and not yet returned, in reverse order.
        fileprivate var elements: [Element] = []

        /// Returns the next element; waits until there is one.
        ///
        /// - Returns: `nil` at the end, and when the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns the next element; waits until there is one.
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
    /// Creates a sequence of what follows from each update that a store learns.
    ///
    /// - Parameters:
    ///   - binding: The store; without one the sequence is empty.
    ///   - initial: The elements before the first update.
    ///   - elements: The elements of an update.
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
