import Storekeeper
import Synchronization

/// Lets short reads that wait at the same time share a connection and a snapshot of the file.
///
/// Acquiring a connection, and beginning and ending a transaction, takes longer than looking up a row or two. The first
/// reads run concurrently, each on its own connection; further reads wait until a connection is free. Several waiting
/// reads then run one after another on that connection. Each read sees all data that were written before the read was
/// requested, because its snapshot is opened after the request.
final class ReadQueue: Sendable {
    private struct State {
        var waiting: [Readers.Step] = []
        var running = 0
    }

    /// The maximum number of connections that short reads use at the same time; other reading connections stay free for
    /// long reads.
    private static let connections = 2
    /// The maximum number of reads that share a snapshot; without this limit, the last read could wait long while
    /// another connection is idle.
    private static let limit = 64

    private let readers: Readers
    private let state = Mutex(State())

    init(_ readers: Readers) { self.readers = readers }

    /// Runs a read as soon as a connection is free; each read runs exactly once, and receives an error if no connection
    /// can be opened.
    func join(_ step: @escaping Readers.Step) {
        let isFirst = state.withLock { state in
            guard state.running < Self.connections else {
                state.waiting.append(step)
                return false
            }
            state.running += 1
            return true
        }
        if isFirst { run([step]) }
    }

    private func run(_ steps: [Readers.Step]) {
        readers.join { [self] connection in
            for step in steps { step(connection) }
            let next = state.withLock { state in
                let next = Array(state.waiting.prefix(Self.limit))
                state.waiting.removeFirst(next.count)
                if next.isEmpty { state.running -= 1 }
                return next
            }
            if !next.isEmpty { run(next) }
        }
    }
}
