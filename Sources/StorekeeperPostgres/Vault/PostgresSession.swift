import Storekeeper
import StorekeeperDurable
import Synchronization

/// A step that is in progress, with its connection and its current transaction.
final class PostgresSession: RemoteSession {
    /// The maximum number of attempts to load the first rows of a step; an attempt may fail because of concurrent
    /// changes.
    private static let attemptLimit = 100

    private let storage: PostgresStorage
    private let connection: ConnectionThread
    private let isReadOnly: Bool
    /// The time limit for waiting for a lock; `nil` for nearly the limit of the round trip.
    private let lockLimit: Duration?
    /// The value of ``HeaderCache/era`` when the session began.
    private let era: Int
    /// The loaded rows and the tickets.
    private let state = Mutex(State())

    private struct State {
        var found = Loading.Found()
        /// Whether the step has loaded rows.
        var hasLoaded = false
        /// The step's tickets, the last of which is used for writing; empty for a read-only step.
        var tickets: [FeedTicket] = []
    }

    /// The state of the transaction before rows are loaded.
    private enum Start {
        /// No transaction is open.
        case fresh
        /// The open transaction must be rolled back, and another transaction must begin.
        case restarted
        /// The transaction continues.
        case resumed

        /// Returns the statements that begin the transaction.
        ///
        /// - Parameter places: The number of places in the feed to reserve; `nil` for a read-only step.
        func calls(taking places: Int64?) -> [Call] {
            if case .resumed = self { return [] }
            let undoing = self == .restarted ? [Call(.rollback)] : []
            guard let places else { return undoing + [Call(.beginReading)] }
            return undoing + FeedTicket.takeCalls(places) + [Call(.begin)]
        }
    }

    private init(
        _ storage: PostgresStorage, _ connection: ConnectionThread, isReadOnly: Bool, lockLimit: Duration?
    ) {
        self.storage = storage
        self.connection = connection
        self.isReadOnly = isReadOnly
        self.lockLimit = lockLimit
        era = storage.headers.era
    }

    /// Begins a step and loads its first rows.
    ///
    /// The call requires one round trip, or two if headers are missing.
    ///
    /// - Parameters:
    ///   - lockLimit: The time limit for waiting for a lock; `nil` for nearly the limit of the round trip.
    ///   - former: A session of the same step that must begin again. Its transaction is rolled back in the same round
    ///     trip, and its connection is used for the new session.
    static func begin(
        _ footprint: Footprint, isReadOnly: Bool, lockLimit: Duration?, insteadOf former: PostgresSession?,
        in storage: PostgresStorage
    ) async throws(VaultError) -> (session: PostgresSession, found: LoadedRows) {
        try await asVault { () async throws(PostgresFailure) in
            let connection: ConnectionThread
            if let former { connection = former.connection } else { connection = try await storage.pool.acquire() }
            var start = former == nil ? Start.fresh : .restarted
            var failure: PostgresFailure?
            for _ in 0..<attemptLimit {
                let session = PostgresSession(storage, connection, isReadOnly: isReadOnly, lockLimit: lockLimit)
                do throws(PostgresFailure) {
                    if let found = try await session.load(footprint, start) { return (session, found) }
                } catch {
                    // The conflict is a deadlock with a transaction that locks rows in another order, or the standby
                    // has cancelled the query.
                    guard case .conflict = error.kind else {
                        await session.end()
                        throw error
                    }
                    failure = error
                }
                start = .restarted
            }
            storage.releaseAfterRollback(connection, isReadOnly: isReadOnly)
            throw failure ?? PostgresFailure(.conflict, "customers were added and removed \(attemptLimit) times")
        }
    }

    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows? {
        let isFirst = !state.withLock { $0.hasLoaded }
        // To lock further customers, the step must begin again, because rows that were read before may have changed.
        if !isReadOnly, !isFirst, footprint.anyCustomer != nil { return nil }
        return try await asVault { () async throws(PostgresFailure) in
            do throws(PostgresFailure) {
                return try await load(footprint, .resumed)
            } catch {
                guard case .conflict = error.kind, !isReadOnly else { throw error }
                return nil
            }
        }
    }

    /// Locks the customers that a footprint names, and then loads the rows that it requests.
    ///
    /// - Returns: The loaded rows; `nil` if the step must begin again, because a customer was created after the locks
    ///   were acquired and is not locked, or because a chain or token has changed since it was read.
    private func load(_ footprint: Footprint, _ start: Start) async throws(PostgresFailure) -> LoadedRows? {
        let loading = Loading(footprint, headers: storage.headers, epoch: storage.epoch)
        let customers = isReadOnly ? [] : footprint.customers.map { RowID.of($0) }
        let places = isReadOnly ? nil : storage.placesOfTickets.load(ordering: .relaxed)
        let beginning = start.calls(taking: places)
        var locks: [Call] = []
        // The server gives up before the round trip ends, so that this node removes its ticket, behind which readers of
        // the feed wait.
        let lockLimit = lockLimit ?? (isReadOnly ? nil : max(storage.limit - .seconds(1), storage.limit / 2))
        if let lockLimit, !beginning.isEmpty {
            let milliseconds = Int64(max(1, lockLimit / .milliseconds(1)))
            locks.append(Call(LoadStatements.limitLocks, [.text("\(milliseconds)")]))
        }
        if !isReadOnly { locks += loading.locks }
        if !customers.isEmpty { locks.append(Call(LoadStatements.lockCustomers, [.bytes(customers)])) }
        let (first, limit) = (beginning + locks, storage.limit)
        let calls = first + loading.calls
        let ask: @Sendable (Connection) throws(PostgresFailure) -> TableList = { connection throws(PostgresFailure) in
            TableList(try connection.run(calls, within: limit))
        }
        let tables =
            switch start {
            case .fresh: try await connection.run(ask)
            case .restarted: try await connection.runAnew(ask)
            case .resumed: try await connection.proceed(ask)
            }
        if let places, !beginning.isEmpty {
            let index = beginning.count - 1 - FeedTicket.takeCalls(places).count + FeedTicket.takeIndex
            let ticket = try FeedTicket(tables.list[index], count: places)
            state.withLock { $0.tickets = [ticket] }
        }
        var loaded = Loading.Found()
        try loading.read(tables.list.dropFirst(first.count), into: &loaded)
        let wanted = loading.headers.takeMissing()
        if !wanted.isEmpty {
            try await loadHeaders(wanted)
            loaded = Loading.Found()
            try loading.read(tables.list.dropFirst(first.count), into: &loaded)
            if let missing = loading.headers.takeMissing().first {
                throw .damaged("a fact without its header \(missing.hexadecimal.prefix(16))")
            }
        }
        if !customers.isEmpty, tables.list[first.count - 1].count < loaded.chainHeads.customers.count { return nil }
        if loaded.isTruncated { return nil }
        return state.withLock { [loaded] state in
            // A chain or token has changed since this step first read it.
            if loaded.subjects.contains(where: { state.found.subjects[$0] ?? $1 != $1 }) { return nil }
            state.found.merge(loaded)
            state.hasLoaded = state.hasLoaded || !footprint.isEmpty
            return loaded.rows
        }
    }

    private func loadHeaders(_ digests: [[UInt8]]) async throws(PostgresFailure) {
        let limit = storage.limit
        let tables = try await connection.proceed { connection throws(PostgresFailure) in
            TableList(try connection.run([Call(LoadStatements.headers, [.bytes(digests)])], within: limit))
        }
        for table in tables.list {
            try table.forEach { row throws(PostgresFailure) in
                let digest = try row.bytes()
                storage.headers.add(CompactJWS.HeaderSegment(bytes: try row.bytes()), digest: digest)
            }
        }
    }

    // MARK: Writing

    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> RemoteWriteOutcome {
        do throws(VaultError) {
            let ticket = try await ticket(for: runs)
            let writer = try await writer(of: runs, from: ticket.place)
            let outcome = try await asVault { () async throws(PostgresFailure) in
                try await write(writer, as: id)
            }
            if case .written = outcome { storage.pool.release(connection) } else { await end() }
            return outcome
        } catch {
            await end()
            throw error
        }
    }

    /// Returns a ticket with enough places for the changes, which is nearly always the ticket with which the step
    /// began.
    ///
    /// If this ticket has too few places, or if another step about the same customers was written after this step
    /// began, another ticket is taken. The customers are locked, so no other step can write rows about them in the
    /// meantime.
    private func ticket(for runs: [[RowChange]]) async throws(VaultError) -> FeedTicket {
        let count = ChangeWriter.placeCount(of: runs)
        let (known, last) = state.withLock { ($0.tickets.last, $0.found.chainHeads.lastPlace) }
        if let known, known.covers(count, after: last) { return known }
        return try await asVault { () async throws(PostgresFailure) in
            let ticket = try await storage.takeTicket(count, for: known?.backend)
            state.withLock { $0.tickets.append(ticket) }
            guard ticket.covers(count, after: last) else {
                throw .damaged("rows with places that were not assigned yet")
            }
            return ticket
        }
    }

    private func writer(of runs: [[RowChange]], from base: Int64) async throws(VaultError) -> ChangeWriter {
        let erases = runs.contains { $0.first?.kind == .erasure }
        let erasureKey = erases ? try await storage.erasureKey() : nil
        let keepsMarks = runs.contains { $0.first?.kind == .marks }
        let markKey = keepsMarks ? try await storage.markKey() : nil
        return try ChangeWriter(
            runs, from: base, found: state.withLock { $0.found }, headers: storage.headers, erasureKey: erasureKey,
            markKey: markKey)
    }

    private func write(_ writer: ChangeWriter, as id: StepID) async throws(PostgresFailure) -> RemoteWriteOutcome {
        let limit = storage.limit
        var news: [Call] = []
        if storage.notifies, !writer.changed.isEmpty {
            let told = NodeNotification(node: storage.node, customers: Set(writer.changed.map { RowID.of($0) }))
            news = [Call(WriteStatements.notifyNodes, [.texts(told.texts)])]
        }
        let calls =
            writer.calls + news + [
                // The rest waits for the commits of other nodes, and thereby for their standbys.
                Call(LoadStatements.limitLocks, [.text("0")]),
                Call(WriteStatements.forgetGroups, [.instant(storage.oldestStep), .int(2)]),
                writer.close(state.withLock { $0.tickets.map(\.place) }, as: id, at: storage.now()),
                Call(.commit),
            ]
        var first = writer.base
        do throws(PostgresFailure) {
            try await connection.proceed { connection throws(PostgresFailure) in
                _ = try connection.run(calls, within: limit)
            }
        } catch {
            if error.kind == .inDoubt {
                guard let place = try await storage.firstPlace(of: id) else { return .overtaken }
                first = place
            } else if error.isConcurrencyConflict {
                return .overtaken
            } else {
                throw error
            }
        }
        storage.headers.markWritten(writer.newHeaders, since: era)
        return .written(WrittenRows(first: first, proofs: writer.proofs))
    }

    func end() async { storage.releaseAfterRollback(connection, isReadOnly: isReadOnly) }
}

extension PostgresStorage {
    /// Begins to roll back a transaction and remove its tickets, and returns the connection to the pool without
    /// waiting.
    ///
    /// Later work on the connection runs after the rollback.
    fileprivate func releaseAfterRollback(_ connection: ConnectionThread, isReadOnly: Bool) {
        let limit = limit
        let calls = [Call(.rollback)] + (isReadOnly ? [] : FeedTicket.releaseCalls)
        // If the connection is lost, the server rolls the transaction back by itself, and other nodes remove the
        // tickets.
        connection.post { connection in _ = try? connection.run(calls, within: limit) }
        pool.release(connection)
    }
}

/// The results of statements, which the connection's thread passes to the task that requested them.
// The conformance is unchecked, because a result never changes after its creation. libpq allows any thread to read a
// result, and its last owner frees it.
struct TableList: @unchecked Sendable {
    let list: [ResultTable]

    init(_ list: [ResultTable]) { self.list = list }
}
