import Synchronization

/// The position in a stream whose items are processed concurrently.
final class StreamPlace: Sendable {
    private struct State {
        /// The items after ``done``: their cursors, and whether they were processed.
        var open: [(cursor: UpdateCursor?, isDone: Bool)] = []
        /// The number of the first open item.
        var first = 0
        var cursor: UpdateCursor?
        /// Whether the position has moved since it was last written.
        var isUnwritten = false
        var isBeingWritten = false
    }

    private let state: Mutex<State>

    init(_ cursor: UpdateCursor?) { state = Mutex(State(cursor: cursor)) }

    /// The last cursor before which everything was processed.
    var cursor: UpdateCursor? { state.withLock { $0.cursor } }

    /// Begins an item.
    ///
    /// - Returns: Its number.
    func begin(_ cursor: UpdateCursor?) -> Int {
        state.withLock { state in
            state.open.append((cursor, false))
            return state.first + state.open.count - 1
        }
    }

    /// Ends an item.
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

    /// Returns the position to write, so that no two tasks write it concurrently and an older one last.
    ///
    /// - Returns: `nil` if it has not moved, or if another task is writing and will write it next.
    func beginWriting() -> UpdateCursor? {
        state.withLock { state in
            guard state.isUnwritten, !state.isBeingWritten else { return nil }
            state.isUnwritten = false
            state.isBeingWritten = true
            return state.cursor
        }
    }

    /// Ends writing the position.
    func endWriting() { state.withLock { $0.isBeingWritten = false } }
}
