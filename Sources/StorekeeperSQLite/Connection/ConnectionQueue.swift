import Dispatch
import Storekeeper

/// A connection and its dispatch queue; the connection is used only on this queue, so that no caller's thread waits for
/// the disk.
final class ConnectionQueue: Sendable {
    private enum State {
        case unopened(() throws(VaultError) -> Connection)
        case open(Connection)
        case closed
    }

    private let queue = DispatchQueue(label: "Storekeeper.connection")
    private let file: VaultFile
    // `nonisolated(unsafe)` is safe, because the state is accessed only on the queue, and by `deinit` when no other
    // reference is left.
    private nonisolated(unsafe) var state: State

    /// Creates the queue of an open connection, which must then be used only through this queue.
    init(_ connection: sending Connection) {
        file = connection.file
        state = .open(connection)
    }

    /// Creates a queue that opens its connection at the first use.
    init(to file: VaultFile, open: @escaping @Sendable () throws(VaultError) -> Connection) {
        self.file = file
        state = .unopened(open)
    }

    /// Runs a closure after the closures that already wait in the queue.
    ///
    /// Each closure runs exactly once. If the connection cannot be opened or is closed, the closure receives the error.
    ///
    /// A closure must not hold a reference to the vault. If the closure released the last reference, the vault would
    /// wait for this queue on the queue itself, which is a deadlock.
    func async(_ body: @escaping @Sendable (Result<Connection, VaultError>) -> Void) {
        queue.async { [self] in body(Result { () throws(VaultError) -> Connection in try connection() }) }
    }

    /// Runs a closure after the closures that already wait in the queue, and returns the result of the closure.
    ///
    /// This method must not be called on the queue itself.
    func sync<Outcome>(_ body: (Connection) throws(VaultError) -> Outcome) throws(VaultError) -> Outcome {
        try queue.sync { Result { () throws(VaultError) -> Outcome in try body(try connection()) } }.get()
    }

    /// Closes the connection after the waiting closures have run; later closures receive the error `closed`.
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
