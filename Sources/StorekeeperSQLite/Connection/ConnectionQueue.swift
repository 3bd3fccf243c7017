import Dispatch
import Storekeeper

/// A connection and the queue on which alone it is used, so that no caller's thread waits for the disk.
final class ConnectionQueue: Sendable {
    private enum State {
        case unopened(() throws(VaultError) -> Connection)
        case open(Connection)
        case closed
    }

    private let queue = DispatchQueue(label: "Storekeeper.connection")
    private let file: VaultFile
    // Safe though unchecked: only accessed on the queue, and by `deinit`, when no other reference is left.
    private nonisolated(unsafe) var state: State

    /// Takes over a connection, which nothing else uses from now on.
    init(_ connection: sending Connection) {
        file = connection.file
        state = .open(connection)
    }

    /// Opens a connection at its first use.
    init(to file: VaultFile, open: @escaping @Sendable () throws(VaultError) -> Connection) {
        self.file = file
        state = .unopened(open)
    }

    /// Runs a body after those that wait; it runs once in any case.
    ///
    /// A body must not hold the vault: its last reference closes the connections, which waits for their queues.
    func async(_ body: @escaping @Sendable (Result<Connection, VaultError>) -> Void) {
        queue.async { [self] in body(Result { () throws(VaultError) -> Connection in try connection() }) }
    }

    /// Runs a body after those that wait, and waits for it; not to be called on the queue itself.
    func sync<Outcome>(_ body: (Connection) throws(VaultError) -> Outcome) throws(VaultError) -> Outcome {
        try queue.sync { Result { () throws(VaultError) -> Outcome in try body(try connection()) } }.get()
    }

    /// Closes the connection after the waiting bodies have run; later ones get the error `closed`.
    func close() {
        queue.sync { state = .closed }
    }

    private func connection() throws(VaultError) -> Connection {
        switch state {
        case .open(let connection): return connection
        case .closed: throw file.closed
        case .unopened(let open):
            let connection = try open()
            state = .open(connection)
            return connection
        }
    }
}
