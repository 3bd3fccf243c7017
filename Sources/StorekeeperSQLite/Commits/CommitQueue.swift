import GRDB
import GRDBSQLite
import Storekeeper
import Synchronization

/// Lets concurrent writers share durable transactions: each of them waits until its own data is on disk.
///
/// Writing to disk takes a hundred times longer than a step. While one transaction is written, the next steps gather;
/// then they run one after another inside one transaction, and all their callers are told when it is durable.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: [any WaitingStep] = []
        var isDraining = false
        var isClosed = false
    }

    /// How many transactions are written before other work on the connection gets its turn.
    private static let turn = 16

    private let pool: DatabasePool
    private let file: VaultFile
    private let headers: HeaderCache
    private let accountTokens: AccountTokenRule
    /// `nil` where nothing is written.
    private let checkpointer: Checkpointer?
    /// How many steps share a transaction at most.
    private let limit: Int
    private let state = Mutex(State())
    private let owesEmptying = Atomic(false)
    // Of the connection that writes. Safe though unchecked: it is touched on that connection's queue only, and by
    // `deinit`, when nobody else can.
    private nonisolated(unsafe) var connection: Connection?

    init(
        pool: DatabasePool, file: VaultFile, headers: HeaderCache, checkpointer: Checkpointer?,
        accountTokens: AccountTokenRule = .asIDs, limit: Int = 1_024
    ) {
        self.pool = pool
        self.file = file
        self.headers = headers
        self.checkpointer = checkpointer
        self.accountTokens = accountTokens
        self.limit = limit
    }

    deinit { connection = nil }

    /// Runs a step inside a transaction and returns after that transaction is on disk.
    ///
    /// A step that was accepted runs to its end, also when the caller's task is cancelled.
    func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await withCheckedContinuation { join(AnyStep(body, $0)) }.get()
    }

    private func join(_ step: any WaitingStep) {
        let (isAccepted, mustStart) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.waiting.append(step)
            defer { state.isDraining = true }
            return (true, !state.isDraining)
        }
        if !isAccepted {
            step.fail(with: file.closed)
            step.resume()
        } else if mustStart {
            scheduleDrain()
        }
    }

    /// Accepts no more steps; those that wait are still carried out.
    ///
    /// - Returns: Whether it was open.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    private func scheduleDrain() {
        // The call with a callback, because the asynchronous one gives up when its task is cancelled.
        pool.asyncWriteWithoutTransaction { database in self.drain(database) }
    }

    private func dequeue(atMost count: Int) -> [any WaitingStep] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Lets go of what the connection has prepared, which keeps it from being closed; called on its queue, last.
    func discardStatements(on database: Database) {
        if let checkpointer {
            let connection = connection(on: database)
            // Those who write meanwhile do the same when they close.
            sqlite3_busy_timeout(database.sqliteConnection, 0)
            // The last to close the file keeps others from opening it while it takes in the log.
            if connection.logLength.pages > Checkpointer.little { checkpointer.checkpointExclusively(connection) }
            if holdsErasedBytes { emptyLog(database) }
        }
        connection = nil
    }

    /// Whether the log, or the file, may hold what was erased.
    var holdsErasedBytes: Bool { owesEmptying.load(ordering: .acquiring) }

    /// Takes in all of the log and starts it over, as short as can be, unless somebody reads from it; called on the
    /// connection's queue.
    ///
    /// SQLite's own way to empty a log goes on without the lock of those who write where it does not get it.
    func emptyLog(_ database: Database) {
        guard let checkpointer else { return }
        let connection = connection(on: database)
        var isEmpty = false
        if checkpointer.checkpointExclusively(connection) {
            isEmpty = (try? connection.startLogOver()) ?? false
        }
        owesEmptying.store(!isEmpty, ordering: .releasing)
    }

    private func connection(on database: Database) -> Connection {
        if let connection { return connection }
        let made = Connection(database, file: file, headers: headers, accountTokens: accountTokens)
        made.watchLog()
        connection = made
        return made
    }

    /// Runs shared transactions while steps wait, then hands the connection back so that other work on it gets its
    /// turn.
    private func drain(_ database: Database) {
        var batches = 0
        while true {
            for step in runBatch(database) { step.resume() }
            batches += 1
            if let connection, let checkpointer {
                let isDue = checkpointer.shortenLog(for: connection)
                if isDue, holdsErasedBytes { emptyLog(database) }
            }
            let (goesOn, isClosed) = state.withLock { state in
                state.isDraining = !state.waiting.isEmpty
                return (state.isDraining, state.isClosed)
            }
            if !goesOn { return }
            // Behind a close nothing runs any more, so that what waits must not queue up again.
            if !isClosed, batches >= Self.turn { return scheduleDrain() }
        }
    }

    /// Runs what waits, and returns it with its results kept and nobody told yet.
    private func runBatch(_ database: Database) -> [any WaitingStep] {
        var batch: [any WaitingStep] = []
        let connection = connection(on: database)
        do {
            try connection.begin()
        } catch {
            connection.rollBack()
            return fail(dequeue(atMost: limit), with: error)
        }
        let before = connection.totalChanges
        // Steps that arrive while others run join the same transaction: of many tasks that were woken by the last
        // commit the first would otherwise pay for a transaction of its own.
        while batch.count < limit {
            let arrived = dequeue(atMost: limit - batch.count)
            if arrived.isEmpty { break }
            for (offset, step) in arrived.enumerated() {
                let changes = connection.totalChanges
                guard let error = step.run(in: connection) else {
                    batch.append(step)
                    continue
                }
                // A step that was refused before it wrote anything leaves nothing to undo.
                if !error.stopsAll, connection.totalChanges == changes, connection.isInsideTransaction {
                    step.fail(with: error)
                    batch.append(step)
                    continue
                }
                batch.append(contentsOf: arrived[offset...])
                connection.rollBack()
                return error.stopsAll ? fail(batch, with: error) : runAlone(batch, in: connection)
            }
        }
        do {
            if connection.totalChanges == before { connection.rollBack() } else { try connection.commit() }
            return batch
        } catch {
            connection.rollBack()
            return fail(batch, with: error)
        }
    }

    /// After a batch fell, each step gets a transaction of its own, so that only the guilty one fails.
    private func runAlone(_ batch: [any WaitingStep], in connection: Connection) -> [any WaitingStep] {
        for (offset, step) in batch.enumerated() {
            do throws(VaultError) {
                try connection.begin()
                if let error = step.run(in: connection) { throw error }
                try connection.commit()
            } catch {
                connection.rollBack()
                // A held lock or a failing disk would stop every later step, too, each after a wait of its own.
                if error.stopsAll { return Array(batch[..<offset]) + fail(Array(batch[offset...]), with: error) }
                step.fail(with: error)
            }
        }
        return batch
    }

    private func fail(_ batch: [any WaitingStep], with error: VaultError) -> [any WaitingStep] {
        for step in batch { step.fail(with: error) }
        return batch
    }
}

extension VaultError {
    /// Whether the same would happen to every other step, too.
    fileprivate var stopsAll: Bool { (cause as? SQLiteFailure)?.stopsAll ?? (code == .notFound) }
}

extension Connection {
    private static let begin = Statement("BEGIN IMMEDIATE")
    private static let commit = Statement("COMMIT")
    private static let rollback = Statement("ROLLBACK")
    private static let limitLog = Statement("PRAGMA journal_size_limit = 0")
    private static let unlimitLog = Statement("PRAGMA journal_size_limit = -1")
    /// A row that stays the same is not written.
    private static let touch = Statement("UPDATE meta SET sequence = sequence - 1")
    private static let untouch = Statement("UPDATE meta SET sequence = sequence + 1")
    private static let readDataVersion = Statement("PRAGMA data_version")

    func begin() throws(VaultError) {
        // What could not be undone before must not become part of what is written now.
        if isInsideTransaction { try run(Self.rollback) }
        try run(Self.begin)
        let version = try first(Self.readDataVersion) { _ in
        } _: {
            $0.int()
        }
        if version != dataVersion { forgetAll() }
        dataVersion = version
    }

    /// Writes a page, with which a log that was taken in as a whole starts over and gives up its room.
    ///
    /// - Returns: Whether it did: somebody may read from it.
    func startLogOver() throws(VaultError) -> Bool {
        _ = try first(Self.limitLog, { _ in }, { $0.int() })
        defer { _ = try? first(Self.unlimitLog, { _ in }, { $0.int() }) }
        do throws(VaultError) {
            try begin()
            try run(Self.touch)
            try run(Self.untouch)
            try commit()
        } catch {
            rollBack()
            throw error
        }
        return logLength.pages <= 4
    }

    /// Makes all that was written durable.
    func commit() throws(VaultError) {
        let hasNumbers = try closeChainHead()
        do throws(VaultError) {
            try run(Self.commit)
        } catch {
            // One that is broken off at its very end has been carried out: the file tells by the numbers in it.
            guard hasNumbers, !isInsideTransaction, (try? holdsWrittenNumbers()) == true else { throw error }
        }
        // A file that was removed takes every write, and nobody will ever read them.
        if isFileMoved { throw file.moved }
        cacheHeaders()
    }

    /// Undoes all that was written, where SQLite has not done so by itself.
    func rollBack() {
        forgetAll()
        // A rollback that fails is tried again before anything else is written.
        if isInsideTransaction { _ = try? run(Self.rollback) }
    }
}
