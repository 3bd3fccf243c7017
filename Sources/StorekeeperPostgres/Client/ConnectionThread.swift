import Dispatch
import Foundation
import Synchronization

/// A connection with its own thread, so that no thread of Swift's concurrency runtime is blocked while a server works.
///
/// Jobs run one after another, in the order of their submission. The connection is opened when a job needs it, and
/// opened again after a loss. A submitted job runs even if the task that submitted it is cancelled, because otherwise
/// the result of a write could be unknown.
final class ConnectionThread: Sendable {
    private let queue: Queue

    /// Creates a thread.
    ///
    /// - Parameters:
    ///   - setupLimit: The time limit for the first statement of each new connection.
    ///   - onConnect: A closure that is called for each new connection, before the connection is used.
    init(
        _ settings: ConnectionSettings, setupLimit: Duration = .seconds(10),
        onConnect: @escaping @Sendable (Connection) throws(PostgresFailure) -> Void = { _ in }
    ) {
        let queue = Queue()
        self.queue = queue
        let thread = Thread {
            var link = Link(settings: settings, setupLimit: setupLimit, onConnect: onConnect)
            while let job = queue.next() { job(&link) }
        }
        thread.name = "storekeeper-postgres"
        thread.start()
    }

    deinit { queue.close() }

    /// Ends the thread after it has run all submitted jobs.
    ///
    /// Jobs that are submitted later fail.
    func close() { queue.close() }

    /// Runs, on the connection's thread, work that begins a transaction or that is a single query.
    ///
    /// If the connection was lost while it was idle, for example because the server restarted, another connection is
    /// opened.
    ///
    /// - Throws: The error of the work, or of opening a connection.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        try await perform { link throws(PostgresFailure) in
            try work(try link.connect())
        }
    }

    /// Runs work on a connection that may still have an open transaction, or that receives notifications.
    ///
    /// If a transaction may be open, the work must first roll it back.
    ///
    /// - Throws: The error of the work, or of opening a connection.
    func runAnew<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        try await perform { link throws(PostgresFailure) in
            if let connection = link.connection, connection.isOpen { return try work(connection) }
            return try work(try link.connect())
        }
    }

    /// Submits work without waiting for its end.
    ///
    /// The work is skipped if the connection is lost.
    func post(_ work: @escaping @Sendable (Connection) -> Void) {
        _ = queue.append { link in
            if let connection = link.connection, connection.isOpen { work(connection) }
        }
    }

    /// Runs work that continues a transaction on the same connection.
    ///
    /// The call fails if the connection was lost, because another connection does not have the transaction.
    ///
    /// - Throws: The error of the work; `lost` if the connection is lost.
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

    /// The thread's connection, which is opened when it is needed.
    private struct Link {
        private(set) var connection: Connection?
        let settings: ConnectionSettings
        let setupLimit: Duration
        let onConnect: @Sendable (Connection) throws(PostgresFailure) -> Void

        init(
            settings: ConnectionSettings, setupLimit: Duration,
            onConnect: @escaping @Sendable (Connection) throws(PostgresFailure) -> Void
        ) {
            self.settings = settings
            self.setupLimit = setupLimit
            self.onConnect = onConnect
        }

        mutating func connect() throws(PostgresFailure) -> Connection {
            // A connection that was lost, or that has an open transaction, is replaced.
            if let connection, connection.isReady { return connection }
            connection = nil
            let new = try Connection(settings, setupLimit: setupLimit)
            try onConnect(new)
            connection = new
            return new
        }
    }

    /// The jobs that wait for the thread.
    private final class Queue: Sendable {
        typealias Job = @Sendable (inout Link) -> Void

        private struct State {
            var waiting: [Job] = []
            var first = 0
            var isClosed = false
        }

        private let state = Mutex(State())
        /// A semaphore whose value is the number of waiting jobs, plus 1 after the queue is closed.
        private let signal = DispatchSemaphore(value: 0)

        /// Adds a job at the end of the queue.
        ///
        /// - Returns: Whether the job will run.
        func append(_ job: @escaping Job) -> Bool {
            let isAccepted = state.withLock { state in
                if state.isClosed { return false }
                state.waiting.append(job)
                return true
            }
            if isAccepted { signal.signal() }
            return isAccepted
        }

        /// Waits for the next job, and returns it; `nil` if the queue is closed and has no more jobs.
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
