import Synchronization

/// How far a stream was dealt with, while several of its items are dealt with at the same time.
final class StreamPlace: Sendable {
    private struct State {
        /// The items that are not behind ``done`` yet: their cursors, and whether they were dealt with.
        var open: [(cursor: UpdateCursor?, isDone: Bool)] = []
        /// The number of the first open item.
        var first = 0
        var cursor: UpdateCursor?
        /// Whether the place has moved since it was last taken to be written down.
        var isUnwritten = false
        var isBeingWritten = false
    }

    private let state: Mutex<State>

    init(_ cursor: UpdateCursor?) { state = Mutex(State(cursor: cursor)) }

    /// The last cursor before which everything was dealt with.
    var cursor: UpdateCursor? { state.withLock { $0.cursor } }

    /// Notes that an item is being dealt with.
    ///
    /// - Returns: Its number.
    func begin(_ cursor: UpdateCursor?) -> Int {
        state.withLock { state in
            state.open.append((cursor, false))
            return state.first + state.open.count - 1
        }
    }

    /// Notes that an item was dealt with.
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

    /// Takes the place to write it down, so that never two write it at once and an older one last.
    ///
    /// - Returns: `nil` where it has not moved, and where somebody is writing: they will take it when they are done.
    func beginWriting() -> UpdateCursor? {
        state.withLock { state in
            guard state.isUnwritten, !state.isBeingWritten else { return nil }
            state.isUnwritten = false
            state.isBeingWritten = true
            return state.cursor
        }
    }

    /// Notes that the place is written down.
    func endWriting() { state.withLock { $0.isBeingWritten = false } }
}
