import Synchronization

/// A fixed number of connections, each of which is lent to one session at a time.
final class ConnectionPool: Sendable {
    private struct State {
        var free: [ConnectionThread]
        var waiting: [CheckedContinuation<ConnectionThread?, Never>] = []
        var isClosed = false
    }

    private let all: [ConnectionThread]
    private let state: Mutex<State>

    /// Creates a pool.
    ///
    /// The pool opens a connection when a session needs the connection.
    ///
    /// - Parameter onConnect: A closure that is called for each new connection, before the connection is used.
    init(
        _ settings: ConnectionSettings, size: Int,
        onConnect: @escaping @Sendable (Connection) throws(PostgresFailure) -> Void = { _ in }
    ) {
        all = (0..<max(1, size)).map { _ in ConnectionThread(settings, onConnect: onConnect) }
        state = Mutex(State(free: all))
    }

    /// The number of lent connections, and of callers that wait for one.
    var use: (busy: Int, waiting: Int) {
        state.withLock { (all.count - $0.free.count, $0.waiting.count) }
    }

    /// Waits until a connection is free, and lends it to the caller.
    ///
    /// Waiting callers receive connections in the order of their requests.
    ///
    /// - Throws: ``PostgresFailure`` with `closed` if the pool is closed.
    func acquire() async throws(PostgresFailure) -> ConnectionThread {
        let lent: ConnectionThread? = await withCheckedContinuation { continuation in
            let answer: ConnectionThread?? = state.withLock { state in
                if state.isClosed { return .some(nil) }
                if let free = state.free.popLast() { return .some(free) }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard let lent else { throw PostgresFailure(.closed, "the vault was closed") }
        return lent
    }

    /// Returns a connection to the pool.
    func release(_ connection: ConnectionThread) {
        let next: CheckedContinuation<ConnectionThread?, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(connection)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: connection)
    }

    /// Runs a function with a connection, and then returns the connection to the pool; see
    /// ``ConnectionThread/run(_:)``.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        let connection = try await acquire()
        defer { release(connection) }
        return try await connection.run(work)
    }

    /// Closes each connection after its current work.
    ///
    /// Callers that wait for a connection, and later callers, receive an error.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
        for connection in all { connection.close() }
    }
}
