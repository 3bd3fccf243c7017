import Synchronization

/// The cursor up to which a stream's items were processed; several items may be processed at the same time.
final class StreamPlace: Sendable {
    private struct State {
        /// The cursors of the items from the number ``first`` on, and whether each item was processed.
        var open: [(cursor: UpdateCursor?, isDone: Bool)] = []
        /// The number of the first item in ``open``.
        var first = 0
        var cursor: UpdateCursor?
        /// Whether the cursor has moved since it was last written.
        var isUnwritten = false
        var isBeingWritten = false
    }

    private let state: Mutex<State>

    init(_ cursor: UpdateCursor?) { state = Mutex(State(cursor: cursor)) }

    /// The last cursor up to which all items were processed.
    var cursor: UpdateCursor? { state.withLock { $0.cursor } }

    /// Begins the processing of an item.
    ///
    /// - Returns: The number of the item.
    func begin(_ cursor: UpdateCursor?) -> Int {
        state.withLock { state in
            state.open.append((cursor, false))
            return state.first + state.open.count - 1
        }
    }

    /// Ends the processing of an item.
    func end(_ number: Int) {
        state.withLock { state in
            guard state.open.indices.contains(number - state.first) else { return }
            state.open[number - state.first].isDone = true
            let done = state.open.prefix { $0.isDone }
            guard !done.isEmpty else { return }
            let moved = done.last { $0.cursor != nil }?.cursor
            state.first += done.count
            state.open.removeFirst(done.count)
            guard let moved else { return }
            state.cursor = moved
            state.isUnwritten = true
        }
    }

    /// Begins writing the cursor, if the cursor has moved and no other task is writing.
    ///
    /// Only one task writes at a time, because an older cursor could otherwise overwrite a newer cursor.
    ///
    /// - Returns: The cursor to write; `nil` if the cursor has not moved, or if another task is writing. That task then
    ///   writes the newest cursor as well.
    func beginWriting() -> UpdateCursor? {
        state.withLock { state in
            guard state.isUnwritten, !state.isBeingWritten else { return nil }
            state.isUnwritten = false
            state.isBeingWritten = true
            return state.cursor
        }
    }

    /// Ends writing the cursor.
    func endWriting() { state.withLock { $0.isBeingWritten = false } }
}
