import GRDB
import Storekeeper
import Synchronization

/// Lets short reads that wait at the same time share a connection and a snapshot of the file.
///
/// Acquiring a connection and beginning and ending a transaction costs more than looking up a row or two. A few reads
/// run concurrently, each alone; further ones gather and then run one after another. Each read sees all that was
/// written before it was requested, because its snapshot is opened later.
final class ReadQueue: Sendable {
    /// Reads, and resumes its caller.
    typealias Step = @Sendable (Result<Connection, VaultError>) -> Void

    private struct State {
        var waiting: [Step] = []
        var running = 0
    }

    /// The maximum number of reading connections; fewer than the pool has, so that a long read elsewhere finds one.
    private static let connections = 2
    /// The maximum number of steps that share a connection, so that the last one does not wait long while another
    /// connection is idle.
    private static let limit = 64

    private let pool: DatabasePool
    private let file: VaultFile
    private let headers: HeaderCache
    private let accountTokens: AccountTokenRule
    private let state = Mutex(State())

    init(pool: DatabasePool, file: VaultFile, headers: HeaderCache, accountTokens: AccountTokenRule) {
        self.pool = pool
        self.file = file
        self.headers = headers
        self.accountTokens = accountTokens
    }

    /// Runs a step as soon as a connection is free; it runs once in any case.
    func join(_ step: @escaping Step) {
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

    private func run(_ steps: [Step]) {
        // Uses the callback method, because the asynchronous one gives up when its task is cancelled.
        pool.asyncRead { [self] access in
            let connection = Result { () throws(VaultError) -> Connection in
                let database: Database
                do { database = try access.get() } catch { throw file.error(error) }
                return Connection(database, file: file, headers: headers, accountTokens: accountTokens)
            }
            for step in steps { step(connection) }
            if case .success(let connection) = connection { connection.cacheHeaders() }
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
