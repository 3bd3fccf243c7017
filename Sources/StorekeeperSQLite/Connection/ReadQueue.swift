import GRDB
import Storekeeper
import Synchronization

/// Lets short reads that wait at the same time share a connection and a state of the file.
///
/// To get a connection, to begin and to end costs more than to look up a row or two. Up to a few reads run at once, as
/// if each were alone; those that come meanwhile gather, and then run one after another. Each sees all that was written
/// before it was asked for: it is known before the state that it sees is opened.
final class ReadQueue: Sendable {
    /// Reads, and tells whoever waits.
    typealias Step = @Sendable (Result<Connection, VaultError>) -> Void

    private struct State {
        var waiting: [Step] = []
        var running = 0
    }

    /// How many connections read at most; fewer than the pool has, so that a long read elsewhere finds one.
    private static let connections = 2
    /// How many steps share a connection at most, so that the last does not wait long while another is idle.
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

    /// Runs a step as soon as there is a connection for it; it is run once, whatever happens.
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
        // The call with a callback, because the asynchronous one gives up when its task is cancelled.
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
