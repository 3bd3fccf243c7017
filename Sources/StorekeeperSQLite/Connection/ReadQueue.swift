import Storekeeper
import Synchronization

/// Lets short reads that wait at the same time share a connection and a snapshot of the file.
///
/// Acquiring a connection and beginning and ending a transaction costs more than looking up a row or two. A few reads
/// run concurrently, each alone; further ones gather and then run one after another. Each read sees all that was
/// written before it was requested, because its snapshot is opened later.
final class ReadQueue: Sendable {
    private struct State {
        var waiting: [Readers.Step] = []
        var running = 0
    }

    /// The maximum number of reading connections; fewer than there are, so that a long read elsewhere finds one.
    private static let connections = 2
    /// The maximum number of steps that share a connection, so that the last one does not wait long while another
    /// connection is idle.
    private static let limit = 64

    private let readers: Readers
    private let state = Mutex(State())

    init(_ readers: Readers) { self.readers = readers }

    /// Runs a step as soon as a connection is free; it runs once in any case.
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
