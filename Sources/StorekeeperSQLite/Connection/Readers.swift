import Storekeeper
import Synchronization

/// The reading connections of a vault; each read has a separate connection and snapshot of the file.
final class Readers: Sendable {
    /// A function that reads from a connection; if the connection cannot be opened or is closed, the function receives
    /// the error.
    typealias Step = @Sendable (Result<Connection, VaultError>) -> Void

    private struct State {
        /// The unused connections, with the most recently used connection at the end.
        var idle: [ConnectionQueue]
        var waiting: [Step] = []
    }

    private static let count = 5
    private let connections: [ConnectionQueue]
    private let state: Mutex<State>

    /// Creates queues, each of which opens its connection at the first use.
    init(of file: VaultFile, open: @escaping @Sendable () throws(VaultError) -> Connection) {
        connections = (0..<Self.count).map { _ in ConnectionQueue(to: file, open: open) }
        state = Mutex(State(idle: connections))
    }

    /// Runs a read as soon as a connection is free; each read runs exactly once, and receives an error if no connection
    /// can be opened.
    func join(_ step: @escaping Step) {
        let queue: ConnectionQueue? = state.withLock { state in
            let queue = state.idle.popLast()
            if queue == nil { state.waiting.append(step) }
            return queue
        }
        queue?.async { [self] connection in
            var next: Step? = step
            while let step = next {
                run(step, on: connection)
                next = state.withLock { state in
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    if let queue { state.idle.append(queue) }
                    return nil
                }
            }
        }
    }

    private func run(_ step: Step, on connection: Result<Connection, VaultError>) {
        do throws(VaultError) {
            let connection = try connection.get()
            try connection.beginReading()
            defer { connection.rollBack() }
            step(.success(connection))
            connection.cacheHeaders()
        } catch {
            step(.failure(error))
        }
    }

    /// Returns the work that all reading connections have done so far.
    func work() throws(VaultError) -> StatementWork {
        var work = StatementWork()
        for queue in connections {
            let own = try queue.sync { connection throws(VaultError) in connection.work }
            work.scanned += own.scanned
            work.operations += own.operations
        }
        return work
    }

    /// Closes all connections after the reads that were already requested.
    func close() {
        for queue in connections { queue.close() }
    }
}
