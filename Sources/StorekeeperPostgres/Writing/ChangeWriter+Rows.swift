import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// The statements that insert or replace rows of each kind.
extension ChangeWriter {
    /// Adds the statements for consecutive changes of one kind.
    mutating func add(_ run: [RowChange], of kind: RowChange.Kind) throws(VaultError) {
        switch kind {
        case .customer: try addCustomers(run)
        case .binding: try addBindings(run)
        case .attempts: addAttempts(run)
        case .fact: try addFacts(run)
        case .parked: try addParked(run)
        case .row: try addRows(run)
        case .delivery, .deliveryState: addDeliveries(run)
        case .step: addSteps(run)
        case .marks: try addMarks(run)
        case .oldRows: removeOldRows(run)
        default: try deleteRows(run, of: kind)
        }
    }

    private mutating func addCustomers(_ run: [RowChange]) throws(VaultError) {
        for case .customer(let row) in run { try changeCustomer(row.id) { $0.row = row } }
    }

    private mutating func addBindings(_ run: [RowChange]) throws(VaultError) {
        for case .binding(let row) in run {
            let (number, hash) = try link(row.customer) { number, salt in
                LinkContent(
                    Binding(place: FeedPlace(number), subject: row.subject, customer: row.customer, at: row.at),
                    salt: salt)
            }
            changeSubject(row.subject) { $0.binding = (row, number, hash) }
        }
    }

    private mutating func addAttempts(_ run: [RowChange]) {
        for case .attempts(let subject, let count, let at) in run {
            changeSubject(subject) { $0.attempts = (count, at) }
        }
    }

    // MARK: Evidence

    /// The columns that all rows of evidence share.
    private struct Evidence {
        let header: [UInt8]
        let payload: [UInt8]
        let digest: [UInt8]
        let signature: StoredContent.Signature

        var isVerbatim: Bool { if case .verbatim = signature { true } else { false } }
    }

    private mutating func evidence(_ fact: VerifiedFact) throws(VaultError) -> Evidence {
        let content = try StoredContent(fact)
        return Evidence(
            header: digest(of: content.header), payload: content.payload, digest: content.digest,
            signature: content.signature)
    }

    private mutating func addFacts(_ run: [RowChange]) throws(VaultError) {
        typealias Row = (
            home: [UInt8], place: Int64, learned: Instant, evidence: Evidence, link: (link: Int64, hash: [UInt8])
        )
        var facts: [(transaction: [UInt8], chain: [UInt8], row: Row)] = []
        var infos: [Row] = []
        for case .fact(let stored) in run {
            let evidence = try evidence(stored.fact)
            func content(_ number: Int64) -> LinkContent {
                LinkContent(
                    factAt: number, learnedAt: stored.learnedAt, digest: evidence.digest,
                    signature: evidence.signature.bytes)
            }
            switch stored.fact.content {
            case .transaction(let transaction):
                guard let customer = stored.customer else {
                    throw VaultError(.invalidRequest, "a transaction whose chain has no owner must be parked")
                }
                let key = TransactionKey(transaction)
                changeTransaction(key, of: customer) { _ in }
                if let token = transaction.appAccountToken {
                    record(NewestToken(token: token, signedAt: transaction.signedAt), of: ChainID(transaction))
                }
                let link = try link(customer) { number, _ in content(number) }
                facts.append(
                    (
                        RowID.of(key), RowID.of(ChainID(transaction)),
                        (RowID.of(customer), stored.place.offset, stored.learnedAt, evidence, link)
                    ))
            case .renewalInfo, .notification, .appTransaction:
                guard let id = stored.fact.purchase.map({ RowID.of($0) }) else { continue }
                infos.append((id, stored.place.offset, stored.learnedAt, evidence, try link(purchase: id, content)))
            }
        }
        func common(_ rows: [Row]) -> [Argument] {
            [
                .ints(rows.map(\.place)), .ints(rows.map(\.learned.millisecondsSince1970)),
                .bytes(rows.map(\.evidence.header)), .bytes(rows.map(\.evidence.payload)),
                .bytes(rows.map(\.evidence.signature.bytes)), .bools(rows.map(\.evidence.isVerbatim)),
                .ints(rows.map(\.link.link)), .bytes(rows.map(\.link.hash)),
            ]
        }
        if !facts.isEmpty {
            let rows = facts.map(\.row)
            call(
                WriteStatements.facts,
                [
                    .int(base), .bytes(rows.map(\.home)), .bytes(facts.map(\.transaction)),
                    .bytes(rows.map(\.evidence.digest)), .bytes(facts.map(\.chain)),
                ] + common(rows))
        }
        if !infos.isEmpty {
            call(
                WriteStatements.infos,
                [.int(base), .bytes(infos.map(\.home)), .bytes(infos.map(\.evidence.digest))] + common(infos))
        }
    }

    private mutating func addParked(_ run: [RowChange]) throws(VaultError) {
        var rows: [(fact: ParkedFact, place: Int64, evidence: Evidence)] = []
        for case .parked(let parked, let place, _) in run {
            rows.append((parked, FeedPlace(place).offset, try evidence(parked.fact)))
            if let chain = parked.fact.chain {
                changeSubject(.chain(chain)) { _ in }
                if let token = parked.fact.appAccountToken { changeSubject(.token(token)) { _ in } }
                // A step that binds the predecessor must notice that this evidence waits for it.
                if let predecessor = parked.fact.predecessor { changeSubject(.chain(predecessor)) { _ in } }
            } else if let purchase = parked.fact.purchase {
                // The same group of steps may erase the owner of a chain of this purchase. Therefore the chain's row is
                // written in addition to the purchase's row.
                for chain in found.subjects.keys.compactMap(\.chain) where RenewalInfoKey(chain) == purchase {
                    changeSubject(.chain(chain)) { _ in }
                }
            }
        }
        let contents = rows.map(\.fact.fact)
        // Evidence that names its chain waits for the owner of this chain, and not for the owner of its purchase.
        let purchases = contents.map { $0.chain == nil ? $0.purchase : nil }
        call(
            WriteStatements.parked,
            [
                .int(base), .bytes(rows.map(\.evidence.digest)), .ints(rows.map(\.place)),
                .ints(rows.map(\.fact.since.millisecondsSince1970)), .ints(rows.map(\.fact.reason.code)),
                .bytes(contents.map { $0.chain.map { RowID.of($0) } }),
                .bytes(purchases.map { $0.map { RowID.of($0) } }),
                .bytes(contents.map { $0.appAccountToken?.bytes }),
                .bytes(rows.map(\.evidence.header)), .bytes(rows.map(\.evidence.payload)),
                .bytes(rows.map(\.evidence.signature.bytes)), .bools(rows.map(\.evidence.isVerbatim)),
                .bytes(contents.map { $0.predecessor.map { RowID.of($0) } }),
                .texts(rows.map { $0.fact.claimant?.rawValue }),
            ])
    }

    // MARK: Described rows

    /// Adds the statement for rows of one table, which are either all new or all replaced.
    private mutating func addRows(_ run: [RowChange]) throws(VaultError) {
        guard case .row(let first)? = run.first else { return }
        let (shape, table) = (first.table, PostgresTable.of(first.table))
        let (cells, width) = (RowBuffer(capacity: 1_024), shape.columns.count)
        var columns = PostgresTable.Columns(table.writtenTypes)
        for case .row(let row) in run {
            cells.unpack(row.cells)
            if shape.isLinked, let owner = cells.owner {
                // In the hash chain, the number of the link is used instead of the place in the feed.
                let link = try link(owner) { number, salt in
                    cells.cells[0].number = number
                    return LinkContent(cells, of: shape, salt: salt)
                }
                columns.add(link.link, at: columns.count - 2)
                columns.add(link.hash, at: columns.count - 1)
            }
            if let place = row.place.map({ FeedPlace($0).offset }) {
                cells.cells[0].number = place
                if shape == LedgerEntry.table, let owner = cells.owner {
                    try changeCustomer(owner) { draft in
                        (draft.entries, draft.entryOffset) = (cells.cells[LedgerEntry.numberColumn].number, place)
                    }
                }
            }
            columns.add(cells)
            guard let directory = table.directory else { continue }
            // Rows are looked up through a row of the directory, so this row must exist.
            let key = table.directoryKey(cells, directory.columns)
            columns.add(key.map { RowID.of($0) }, at: width)
            if let key, let owner = cells.owner { changeTransaction(key, of: owner) { _ in } }
        }
        call(first.isNew ? table.insert : table.set, (shape.hasPlace ? [.int(base)] : []) + columns.arguments)
    }

    /// Adds the statement that deletes old rows, one for each table of the group.
    private mutating func removeOldRows(_ run: [RowChange]) {
        var old: [TableShape: OldRows] = [:]
        for case .oldRows(let rows) in run { old[rows.table]?.formUnion(rows) ?? (old[rows.table] = rows) }
        for (table, rows) in old {
            let statement = PostgresTable.of(table).questions[rows.index.number].removeOld
            call(statement, [.int(rows.limit), .int(Int64(rows.count))])
        }
    }

    // MARK: Deliveries and steps

    private mutating func addDeliveries(_ run: [RowChange]) {
        var states: [DeliveryRow] = []
        for change in run {
            switch change {
            case .delivery(let row, let place):
                changeTransaction(row.key, of: row.customer) { draft in
                    (draft.place, draft.state, draft.isOwed) = (FeedPlace(place).offset, row.state, true)
                }
            case .deliveryState(let row): states.append(row)
            default: break
            }
        }
        guard !states.isEmpty else { return }
        // The rows of the transactions are written first, because the states update these rows, and this group may have
        // to insert the rows.
        flushTransactions()
        call(
            WriteStatements.deliveryStates,
            [
                .bytes(states.map { RowID.of($0.key) }), .bytes(states.map { RowID.of($0.customer) }),
                .ints(states.map { OutboxItem.code($0.state) }),
            ])
    }

    private mutating func addSteps(_ run: [RowChange]) {
        var steps: [(step: StepID, at: Instant)] = []
        var oldest: Instant?
        for case .step(let step, let at, let limit) in run {
            steps.append((step, at))
            oldest = max(oldest ?? limit, limit)
        }
        guard let oldest else { return }
        call(WriteStatements.forgetSteps, [.instant(oldest), .int(2 * Int64(steps.count))])
        let new = steps.filter { claim(of: $0.step) == nil }
        if !new.isEmpty {
            call(
                WriteStatements.steps,
                [.bytes(new.map(\.step.bytes)), .ints(new.map(\.at.millisecondsSince1970))])
        }
        let claimed = steps.filter { claim(of: $0.step) != nil }
        if !claimed.isEmpty {
            call(
                WriteStatements.claimedSteps,
                [
                    .bytes(claimed.map(\.step.bytes)), .ints(claimed.map(\.at.millisecondsSince1970)),
                    .ints(claimed.map { claim(of: $0.step) }),
                ])
        }
    }
}

extension RowChange {
    /// The number of places between the first place of a step and the row's place; `nil` for a row without a place.
    var offset: Int64? { place.map { FeedPlace($0).offset } }
}
