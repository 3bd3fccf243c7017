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

    init(_ settings: ConnectionSettings) {
        let queue = Queue()
        self.queue = queue
        let thread = Thread { Self.work(queue, settings) }
        thread.name = "storekeeper-postgres"
        thread.start()
    }

    deinit { queue.close() }

    /// Lets the thread end once all that was asked for is done; what is asked for later fails.
    func close() { queue.close() }

    /// Does something with the connection, on its thread.
    ///
    /// - Throws: What the work throws, or why there is no connection.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(PostgresFailure) -> Value
    ) async throws(PostgresFailure) -> Value {
        let result: Result<Value, PostgresFailure> = await withCheckedContinuation { continuation in
            let isAccepted = queue.append { connection in
                do throws(PostgresFailure) {
                    continuation.resume(returning: .success(try work(try connection.get())))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isAccepted {
                continuation.resume(returning: .failure(PostgresFailure(.lost, "the connection is closed")))
            }
        }
        return try result.get()
    }

    private static func work(_ queue: Queue, _ settings: ConnectionSettings) {
        var connection: Connection?
        while let job = queue.next() {
            if connection?.isOpen != true { connection = nil }
            if let open = connection {
                job(.success(open))
                continue
            }
            do throws(PostgresFailure) {
                let new = try Connection(settings)
                connection = new
                job(.success(new))
            } catch {
                job(.failure(error))
            }
        }
    }

    /// What waits for the thread.
    private final class Queue: Sendable {
        typealias Job = @Sendable (Result<Connection, PostgresFailure>) -> Void

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
