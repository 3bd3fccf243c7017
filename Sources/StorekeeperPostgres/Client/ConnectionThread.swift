import Dispatch
import Foundation
import Synchronization

/// A connection with a thread of its own, so that none of the tasks' threads waits for a server.
///
/// Work is done one after the other, in the order in which it was asked for. The connection is made when it is needed
/// and again after it was lost. Work that was asked for is done, also when its task is cancelled: a write must not end
/// unknown.
final class ConnectionThread: Sendable {
    private let queue: Queue

    /// Makes a thread.
    ///
    /// - Parameter onConnect: Is told of each connection that is made, before it is used.
    init(_ settings: ConnectionSettings, onConnect: @escaping @Sendable () -> Void = {}) {
        let queue = Queue()
        self.queue = queue
        let thread = Thread {
            var link = Link(settings: settings, onConnect: onConnect)
            while let job = queue.next() { job(&link) }
        }
        thread.name = "storekeeper-postgres"
        thread.start()
    }

    deinit { queue.close() }

    /// Lets the thread end once all that was asked for is done; what is asked for later fails.
    func close() { queue.close() }

    /// Begins something with the connection, on its thread: a transaction, or a question by itself.
    ///
    /// Where the connection was lost while it stood idle, as all are when a server is started anew, another one is made.
    ///
    /// - Throws: What the work throws, or why there is no connection.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        try await perform { link throws(PostgresFailure) in
            try work(try link.connect())
        }
    }

    /// Begins something anew, whatever was begun before; the work undoes that first.
    ///
    /// - Throws: What the work throws, or why there is no connection.
    func runAnew<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        try await perform { link throws(PostgresFailure) in
            if let connection = link.connection, connection.isOpen { return try work(connection) }
            return try work(try link.connect())
        }
    }

    /// Does something before all that is asked for later, and tells nobody when; nothing where the connection is no more.
    func post(_ work: @escaping @Sendable (Connection) -> Void) {
        _ = queue.append { link in
            if let connection = link.connection, connection.isOpen { work(connection) }
        }
    }

    /// Goes on with what was begun, on the same connection: on another one nothing is as it was.
    ///
    /// - Throws: What the work throws; `lost` where the connection is no more.
    func proceed<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        try await perform { link throws(PostgresFailure) in
            guard let connection = link.connection, connection.isOpen else {
                throw PostgresFailure(.lost, "the connection was lost")
            }
            return try work(connection)
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (inout Link) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        let result: Result<Value, PostgresFailure> = await withCheckedContinuation { continuation in
            let isAccepted = queue.append { link in
                do throws(PostgresFailure) {
                    continuation.resume(returning: .success(try work(&link)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isAccepted {
                continuation.resume(returning: .failure(PostgresFailure(.closed, "the connection is closed")))
            }
        }
        return try result.get()
    }

    /// The connection of the thread, made when it is needed.
    private struct Link {
        private(set) var connection: Connection?
        let settings: ConnectionSettings
        let onConnect: @Sendable () -> Void

        init(settings: ConnectionSettings, onConnect: @escaping @Sendable () -> Void) {
            self.settings = settings
            self.onConnect = onConnect
        }

        mutating func connect() throws(PostgresFailure) -> Connection {
            // One that was left in a transaction is of no use either.
            if let connection, connection.isReady { return connection }
            connection = nil
            let new = try Connection(settings)
            onConnect()
            connection = new
            return new
        }
    }

    /// What waits for the thread.
    private final class Queue: Sendable {
        typealias Job = @Sendable (inout Link) -> Void

        private struct State {
            var waiting: [Job] = []
            var first = 0
            var isClosed = false
        }

        private let state = Mutex(State())
        /// Counts the jobs that wait, and one more when it is closed.
        private let signal = DispatchSemaphore(value: 0)

        /// - Returns: Whether it will be done.
        func append(_ job: @escaping Job) -> Bool {
            let isAccepted = state.withLock { state in
                if state.isClosed { return false }
                state.waiting.append(job)
                return true
            }
            if isAccepted { signal.signal() }
            return isAccepted
        }

        /// Waits for the next job; `nil` when there will be none.
        func next() -> Job? {
            signal.wait()
            return state.withLock { state in
                guard state.first < state.waiting.count else { return nil }
                let job = state.waiting[state.first]
                state.first += 1
                if state.first == state.waiting.count {
                    state.waiting.removeAll(keepingCapacity: true)
                    state.first = 0
                }
                return job
            }
        }

        func close() {
            let isFirst = state.withLock { state in
                defer { state.isClosed = true }
                return !state.isClosed
            }
            if isFirst { signal.signal() }
        }
    }
}
