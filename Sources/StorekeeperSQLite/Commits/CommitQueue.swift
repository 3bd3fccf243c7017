import CLibsqlite3
import Storekeeper
import Synchronization

/// Lets concurrent writers share durable transactions; each writer waits until its own data is on disk.
///
/// Writing a transaction to disk takes about a hundred times as long as running a step. While one transaction is
/// written, further steps collect in the queue. The collected steps then run one after another in one transaction, and
/// their callers resume when this transaction is durable.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: [any WaitingStep] = []
        var isDraining = false
        var isClosed = false
    }

    /// The number of transactions that are written before other work on the connection can run.
    private static let drainLimit = 16

    private let file: VaultFile
    private let writer: ConnectionQueue
    private let checkpointer: Checkpointer
    private let foreignCommits: ForeignCommits
    /// The maximum number of steps that share a transaction.
    private let limit: Int
    private let state = Mutex(State())
    private let needsEmptying = Atomic(false)

    init(
        to file: VaultFile, writer: ConnectionQueue, checkpointer: Checkpointer, foreignCommits: ForeignCommits,
        limit: Int = 1_024
    ) {
        self.file = file
        self.writer = writer
        self.checkpointer = checkpointer
        self.foreignCommits = foreignCommits
        self.limit = limit
    }

    /// Runs a step inside a transaction and returns after that transaction is on disk.
    ///
    /// A step that is in the queue runs to its end, even if the caller's task is cancelled.
    func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await withCheckedContinuation { join(AnyStep(body, $0)) }.get()
    }

    private func join(_ step: any WaitingStep) {
        let isAccepted = state.withLock { state in
            if state.isClosed { return false }
            state.waiting.append(step)
            // `scheduleDrain()` is called inside the lock, so that `close()` cannot close the connection first.
            if !state.isDraining { scheduleDrain() }
            state.isDraining = true
            return true
        }
        if !isAccepted {
            step.fail(with: file.closed)
            step.resume()
        }
    }

    /// Refuses further steps, runs the waiting steps, and closes the connections.
    func close() {
        state.withLock { $0.isClosed = true }
        // If the connection is already closed, `sync` throws, and nothing is left to do.
        try? writer.sync(shortenLogAtEnd)
        writer.close()
        // The checkpointer's connection is closed last, because the last connection to a file copies and removes the
        // log, and must therefore be able to write.
        checkpointer.close()
    }

    private func scheduleDrain() {
        writer.async { [self] connection in
            switch connection {
            case .success(let connection): drain(connection)
            case .failure(let error):
                state.withLock { $0.isDraining = false }
                for step in fail(dequeue(atMost: .max), with: error) { step.resume() }
            }
        }
    }

    private func dequeue(atMost count: Int) -> [any WaitingStep] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    private func shortenLogAtEnd(_ connection: Connection) {
        // The checkpoint need not wait for another writer, because every writer shortens the log when it closes.
        sqlite3_busy_timeout(connection.handle, 0)
        // A long log is copied before the connection closes. While the last connection to close the file copies the
        // log, it blocks other processes from opening the file.
        if connection.logLength.pages > Checkpointer.shortRest { checkpointer.checkpointExclusively(connection) }
        if holdsErasedBytes { emptyLog(connection) }
    }

    /// Whether the log or the file may still contain the bytes of erased data.
    var holdsErasedBytes: Bool { needsEmptying.load(ordering: .acquiring) }

    /// Requests that the bytes of erased data are overwritten, at the latest when the vault closes.
    func requireEmptying() { needsEmptying.store(true, ordering: .releasing) }

    /// Overwrites the bytes of erased data in the file and the log, unless a reader uses the log.
    ///
    /// ``holdsErasedBytes`` is `false` afterwards if all erased data was overwritten.
    func emptyLog() async {
        await withCheckedContinuation { continuation in
            writer.async { [self] connection in
                if let connection = try? connection.get() { emptyLog(connection) }
                continuation.resume()
            }
        }
    }

    /// Checkpoints the whole log and restarts it at its minimum size, unless a reader uses the log.
    ///
    /// SQLite's own pragma for this purpose is not used, because it continues without the write lock if it cannot
    /// acquire the lock.
    private func emptyLog(_ connection: Connection) {
        var isEmpty = false
        if checkpointer.checkpointExclusively(connection) {
            isEmpty = (try? connection.startLogOver()) ?? false
        }
        needsEmptying.store(!isEmpty, ordering: .releasing)
    }

    /// Runs shared transactions while steps wait.
    ///
    /// After ``drainLimit`` transactions, the remaining steps are scheduled again, so that other work on the connection
    /// can run first.
    private func drain(_ connection: Connection) {
        var batches = 0
        while true {
            for step in runBatch(in: connection) { step.resume() }
            batches += 1
            let isDue = checkpointer.shortenLog(for: connection)
            if isDue, holdsErasedBytes { emptyLog(connection) }
            let goesOn = state.withLock { state in
                state.isDraining = !state.waiting.isEmpty
                // After a close, work that is scheduled on the connection no longer runs. The remaining steps must
                // therefore run here.
                guard state.isDraining, !state.isClosed, batches >= Self.drainLimit else { return state.isDraining }
                scheduleDrain()
                return false
            }
            if !goesOn { return }
        }
    }

    /// Runs the waiting steps in one transaction, and returns the steps with their results.
    ///
    /// The caller must then resume each step.
    private func runBatch(in connection: Connection) -> [any WaitingStep] {
        var batch: [any WaitingStep] = []
        do {
            try connection.begin()
        } catch {
            connection.rollBack()
            return fail(dequeue(atMost: limit), with: error)
        }
        let before = connection.totalChanges
        // Steps that arrive while other steps run join the same transaction. Otherwise, when a commit resumes many
        // tasks, the first task that writes again would get a transaction of its own.
        while batch.count < limit {
            let arrived = dequeue(atMost: limit - batch.count)
            if arrived.isEmpty { break }
            for (offset, step) in arrived.enumerated() {
                let changes = connection.totalChanges
                guard let error = step.run(in: connection) else {
                    batch.append(step)
                    continue
                }
                // A step that failed before it wrote anything leaves nothing to undo, so the transaction continues.
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
            if connection.totalChanges == before { connection.rollBack() } else { try commit(connection) }
            return batch
        } catch {
            connection.rollBack()
            return fail(batch, with: error)
        }
    }

    /// Runs each step of a failed batch in a separate transaction, so that only the faulty step fails.
    private func runAlone(_ batch: [any WaitingStep], in connection: Connection) -> [any WaitingStep] {
        for (offset, step) in batch.enumerated() {
            do throws(VaultError) {
                try connection.begin()
                if let error = step.run(in: connection) { throw error }
                try commit(connection)
            } catch {
                connection.rollBack()
                // A held lock or a failing disk would make every later step fail, each after a separate timeout.
                // Therefore all remaining steps fail now.
                if error.stopsAll { return Array(batch[..<offset]) + fail(Array(batch[offset...]), with: error) }
                step.fail(with: error)
            }
        }
        return batch
    }

    private func commit(_ connection: Connection) throws(VaultError) {
        foreignCommits.beginOwn()
        defer { foreignCommits.endOwn(of: connection) }
        try connection.commit()
    }

    private func fail(_ batch: [any WaitingStep], with error: VaultError) -> [any WaitingStep] {
        for step in batch { step.fail(with: error) }
        return batch
    }
}

extension VaultError {
    /// Whether every other step would fail with the same error.
    fileprivate var stopsAll: Bool { (cause as? SQLiteFailure)?.stopsAll ?? (code == .notFound) }
}

extension Connection {
    private static let beginReading = Statement("BEGIN")
    private static let begin = Statement("BEGIN IMMEDIATE")
    private static let commit = Statement("COMMIT")
    private static let rollback = Statement("ROLLBACK")
    private static let limitLog = Statement("PRAGMA journal_size_limit = 0")
    private static let unlimitLog = Statement("PRAGMA journal_size_limit = -1")
    /// Changes a number in the table `meta`; `untouch` restores the number.
    ///
    /// The number must change, because SQLite does not write a row that stays the same.
    private static let touch = Statement("UPDATE meta SET sequence = sequence - 1")
    private static let untouch = Statement("UPDATE meta SET sequence = sequence + 1")
    private static let readDataVersion = Statement("PRAGMA data_version")

    /// Begins to read one snapshot of the file.
    func beginReading() throws(VaultError) {
        // An earlier snapshot that could not be released must not be used for this read.
        if isInsideTransaction { try run(Self.rollback) }
        try run(Self.beginReading)
    }

    /// Returns SQLite's `data_version`, which changes when another connection has committed.
    func currentDataVersion() throws(VaultError) -> Int64? {
        try first(Self.readDataVersion, { _ in }, { $0.int() })
    }

    func begin() throws(VaultError) {
        // Earlier changes that could not be rolled back must not become part of this transaction.
        if isInsideTransaction { try run(Self.rollback) }
        try run(Self.begin)
        let version = try currentDataVersion()
        if version != dataVersion { forgetAll() }
        dataVersion = version
    }

    /// Writes a page of the database, so that a fully checkpointed log restarts and is truncated.
    ///
    /// - Returns: Whether the log restarted; a reader may prevent the restart.
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

    /// Commits the current transaction durably.
    func commit() throws(VaultError) {
        let hasNumbers = try closeChainHead()
        do throws(VaultError) {
            try run(Self.commit)
        } catch {
            // A commit that was interrupted at its very end may have succeeded. It has succeeded if the file contains
            // the chain head that this transaction wrote.
            guard hasNumbers, !isInsideTransaction, (try? holdsWrittenNumbers()) == true else { throw error }
        }
        // A write to a removed file succeeds, but its data is lost. Therefore the commit must fail.
        if isFileMoved { throw file.moved }
        cacheHeaders()
    }

    /// Rolls back the transaction, unless SQLite has already rolled it back.
    func rollBack() {
        forgetAll()
        // A rollback that fails is repeated before the next transaction.
        if isInsideTransaction { _ = try? run(Self.rollback) }
    }
}
