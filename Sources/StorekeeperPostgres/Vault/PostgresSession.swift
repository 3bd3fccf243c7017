import Storekeeper
import StorekeeperDurable
import Synchronization

/// A step that has begun in a database: one connection, one transaction.
final class PostgresSession: FarSession {
    private let storage: PostgresStorage
    private let connection: ConnectionThread
    private let isReadOnly: Bool
    /// What was loaded so far; a step asks, and then writes, one after the other.
    private let found = Mutex(Loading.Found())

    private init(_ storage: PostgresStorage, _ connection: ConnectionThread, isReadOnly: Bool) {
        self.storage = storage
        self.connection = connection
        self.isReadOnly = isReadOnly
    }

    /// Begins a step: one round trip, unless headers are to be loaded first.
    static func begin(
        _ footprint: Footprint, isReadOnly: Bool, in storage: PostgresStorage
    ) async throws(VaultError) -> (session: PostgresSession, found: LoadedRows) {
        try await asVault { () async throws(PostgresFailure) in
            let connection = try await storage.pool.take()
            let session = PostgresSession(storage, connection, isReadOnly: isReadOnly)
            do throws(PostgresFailure) {
                var first = [Call(isReadOnly ? .beginReading : .begin)]
                let customers = footprint.customers.map { RowID.of($0) }
                if !isReadOnly, !customers.isEmpty {
                    first.append(Call(LoadStatements.lockCustomers, [.bytes(customers)]))
                }
                return (session, try await session.load(footprint, after: first))
            } catch {
                await session.rollBack()
                throw error
            }
        }
    }

    func load(_ footprint: Footprint) async throws(VaultError) -> LoadedRows {
        var first: [Call] = []
        let customers = footprint.customers.map { RowID.of($0) }
        if !isReadOnly, !customers.isEmpty {
            first.append(Call(LoadStatements.lockMoreCustomers, [.bytes(customers)]))
        }
        return try await asVault { () async throws(PostgresFailure) in
            do throws(PostgresFailure) {
                return try await load(footprint, after: first)
            } catch {
                // Somebody has a lock who may wait for one of ours: the step begins anew and asks for all in order.
                guard error.sqlState == "55P03" else { throw error }
                throw PostgresFailure(.conflict, sqlState: error.sqlState, error.message)
            }
        }
    }

    private func load(_ footprint: Footprint, after first: [Call]) async throws(PostgresFailure) -> LoadedRows {
        let loading = Loading(footprint, headers: storage.headers)
        let (calls, limit) = (first + loading.calls, storage.limit)
        let tables = try await connection.run { connection throws(PostgresFailure) in
            TableList(try connection.run(calls, within: limit))
        }
        var loaded = Loading.Found()
        try loading.read(tables.list.dropFirst(first.count), into: &loaded)
        let wanted = loading.headers.takeWanted()
        if !wanted.isEmpty {
            try await loadHeaders(wanted)
            loaded = Loading.Found()
            try loading.read(tables.list.dropFirst(first.count), into: &loaded)
            if let missing = loading.headers.takeWanted().first {
                throw .damaged("a fact without its header \(missing.hexadecimal.prefix(16))")
            }
        }
        let rows = loaded.rows
        found.withLock { [loaded] in $0.merge(loaded) }
        return rows
    }

    private func loadHeaders(_ digests: [[UInt8]]) async throws(PostgresFailure) {
        let limit = storage.limit
        let tables = try await connection.run { connection throws(PostgresFailure) in
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

    func write(_ runs: [[RowChange]], as id: StepID) async throws(VaultError) -> FarWriteOutcome {
        do throws(VaultError) {
            let difference = try await difference(of: runs)
            let outcome = try await asVault { () async throws(PostgresFailure) in
                try await write(difference, as: id)
            }
            storage.pool.giveBack(connection)
            return outcome
        } catch {
            await rollBack()
            throw error
        }
    }

    private func difference(of runs: [[RowChange]]) async throws(VaultError) -> Difference {
        let missing = Self.customers(of: runs).filter { customer in
            found.withLock { $0.rows.customers[customer] == nil }
        }
        // A step may write about customers whom it has asked nothing.
        if !missing.isEmpty { _ = try await load(Footprint(missing.map { .customer($0) })) }
        let erases = runs.contains { $0.first?.kind == .erasure }
        let erasureKey = erases ? try await storage.erasureKey() : nil
        return try Difference(
            runs, found: found.withLock { $0 }, headers: storage.headers, erasureKey: erasureKey)
    }

    private static func customers(of runs: [[RowChange]]) -> Set<CustomerID> {
        var customers: Set<CustomerID> = []
        for change in runs.joined() {
            switch change {
            case .customer(let row): customers.insert(row.id)
            case .binding(let row): customers.insert(row.customer)
            case .fact(let row): if let customer = row.customer { customers.insert(customer) }
            case .entry(let row): customers.insert(row.customer)
            case .balance(_, let customer), .pending(_, let customer): customers.insert(customer)
            case .event(let row): customers.insert(row.customer)
            case .delivery(let row, _): customers.insert(row.customer)
            case .erasure(let draft): customers.insert(draft.customer)
            default: break
            }
        }
        return customers
    }

    private func write(_ difference: Difference, as id: StepID) async throws(PostgresFailure) -> FarWriteOutcome {
        let (limit, placeCount) = (storage.limit, difference.placeCount)
        var news: [Call] = []
        if storage.notifies, !difference.changed.isEmpty {
            let told = NodeNews(node: storage.node, customers: Set(difference.changed.map { RowID.of($0) }))
            news = [Call(WriteStatements.tell, [.texts(told.texts)])]
        }
        let calls =
            difference.calls + news + [
                Call(
                    WriteStatements.group,
                    [.bytes(id.bytes), .int(storage.now().millisecondsSince1970), .int(placeCount)]),
                Call(WriteStatements.forgetGroups, [.int(storage.oldestStep.millisecondsSince1970), .int(2)]),
                Call(.commit),
            ]
        let index = difference.takePlacesIndex
        let result: Result<Int64, PostgresFailure>
        do throws(PostgresFailure) {
            result = .success(
                try await connection.run { connection throws(PostgresFailure) in
                    let tables = try connection.run(calls, within: limit)
                    guard let index else { return 0 }
                    return try tables[index].first { row throws(PostgresFailure) in try row.int() } ?? 0
                })
        } catch {
            result = .failure(error)
        }
        let first: Int64
        switch result {
        case .success(let place): first = place
        case .failure(let failure) where failure.kind == .inDoubt:
            guard let place = try await storage.firstPlace(of: id) else { return .overtaken }
            first = place
        case .failure(let failure) where failure.isOvertaking:
            await undo()
            return .overtaken
        case .failure(let failure): throw failure
        }
        for (digest, segment) in difference.newHeaders { storage.headers.add(segment, digest: digest) }
        return .written(WrittenRows(first: first, proofs: difference.proofs))
    }

    func end() async { await rollBack() }

    /// Undoes what the transaction has done, and gives the connection back.
    private func rollBack() async {
        await undo()
        storage.pool.giveBack(connection)
    }

    private func undo() async {
        let limit = storage.limit
        // A connection that is lost has undone it by itself.
        _ = try? await connection.run { connection throws(PostgresFailure) in
            guard connection.isOpen else { return }
            _ = try connection.run(.rollback, within: limit)
        }
    }
}

/// Answers of statements on their way from the connection's thread to who has asked.
// Unchecked, because an answer is never changed once it is there: libpq allows any thread to read a result, and the last
// who holds it frees it.
struct TableList: @unchecked Sendable {
    let list: [ResultTable]

    init(_ list: [ResultTable]) { self.list = list }
}
