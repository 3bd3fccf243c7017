import Synchronization

/// A bounded number of connections, each lent to one session at a time.
final class ConnectionPool: Sendable {
    private struct State {
        var free: [ConnectionThread]
        var waiting: [CheckedContinuation<ConnectionThread?, Never>] = []
        var isClosed = false
    }

    private let all: [ConnectionThread]
    private let state: Mutex<State>

    /// Makes a pool, and no connection yet.
    ///
    /// - Parameter onConnect: Is told of each connection that is made, before it is used.
    init(_ settings: ConnectionSettings, size: Int, onConnect: @escaping @Sendable () -> Void = {}) {
        all = (0..<max(1, size)).map { _ in ConnectionThread(settings, onConnect: onConnect) }
        state = Mutex(State(free: all))
    }

    /// Lends a connection; whoever came first is first.
    ///
    /// - Throws: ``PostgresFailure`` with `closed` where the pool was.
    func take() async throws(PostgresFailure) -> ConnectionThread {
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

    /// Takes a connection back.
    func giveBack(_ connection: ConnectionThread) {
        let next: CheckedContinuation<ConnectionThread?, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(connection)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: connection)
    }

    /// Does something by itself with a connection and gives it back; see ``ConnectionThread/run(_:)``.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.run(work)
    }

    /// Lets each connection end after what it does now; whoever waits, or comes later, is refused.
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
