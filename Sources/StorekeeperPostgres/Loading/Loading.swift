import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// Converts the queries of a step's footprint into statements, and their results into the rows that the step can read.
///
/// All queries of one kind share a statement, and all statements need only one round trip. A fact whose header this
/// process has not seen is omitted. ``headers`` collects the missing headers, so that they can be loaded and the
/// results read again.
struct Loading {
    /// A statement with a closure that reads its result.
    struct Question {
        let call: Call
        let read: (ResultTable, inout Found) throws(PostgresFailure) -> Void
    }

    /// The loaded rows.
    struct Found {
        var rows = LoadedRows()
        var chainHeads = ChainHeads()
        var subjects: [BindingSubject: SubjectRow] = [:]
        /// Whether two statements have read different states of the row of the same chain or token.
        var isTruncated = false
        /// The unwritten steps about which a caller has asked whether they were written.
        ///
        /// Each such question writes a claim with a random number. The value is the number in the last claim; see
        /// ``PostgresStorage/wasWritten(_:)``.
        var claims: [StepID: Int64] = [:]
    }

    private(set) var questions: [Question] = []
    /// The statements that lock rows without an owner, each by its key.
    private(set) var locks: [Call] = []
    let headers: HeaderLookup
    private let epoch: FeedEpoch

    /// Creates the statements for a footprint, which describes the rows that a step is expected to read.
    ///
    /// - Parameters:
    ///   - headers: The headers that this process has seen.
    ///   - epoch: The epoch, which a new connection reads before it runs the statements.
    init(_ footprint: Footprint, headers: HeaderCache, epoch: FeedEpoch) {
        self.headers = HeaderLookup(headers)
        self.epoch = epoch
        let sorted = SortedKeys(footprint)
        locks = sorted.turns.map { turn in
            let table = PostgresTable.of(turn.table)
            return Call(table.lock, table.arguments(of: turn.index, [turn.cells]))
        }
        querySubjects(sorted)
        queryFacts(sorted)
        queryParked(sorted)
        queryRows(sorted)
        queryOthers(sorted)
        // A customer who did not exist when the step locked its customers is not locked. The customers are read last, so
        // that the step starts again if such a customer was created while the other rows were read.
        queryCustomers(sorted)
    }

    var calls: [Call] { questions.map(\.call) }

    /// Adds the results of the statements to the loaded rows.
    func read(_ tables: some Sequence<ResultTable>, into found: inout Found) throws(PostgresFailure) {
        for (question, table) in zip(questions, tables) { try question.read(table, &found) }
    }

    private mutating func addQuery(
        _ statement: Statement, _ arguments: [Argument],
        _ read: @escaping (ResultTable, inout Found) throws(PostgresFailure) -> Void
    ) {
        questions.append(Question(call: Call(statement, arguments), read: read))
    }

    // MARK: Customers

    private mutating func queryCustomers(_ keys: SortedKeys) {
        guard !keys.customers.isEmpty else { return }
        let customers = keys.customers
        addQuery(LoadStatements.customers, [.bytes(customers.map { RowID.of($0) })]) {
            [epoch] table, found throws(PostgresFailure) in
            for customer in customers {
                found.rows.customers[customer] = LoadedRows.Customer(row: nil, lastEntry: .none)
            }
            try table.forEach { row throws(PostgresFailure) in
                let noted = CustomerRow(
                    id: CustomerID(rawValue: try row.text()), version: max(try row.int(), epoch.versionFloor),
                    evaluatedThrough: try row.optionalInstant(), syncedAt: try row.optionalInstant(),
                    wakeAt: try row.optionalInstant())
                let end = AccountEnd(number: try row.int(), place: FeedPlace(try row.int()))
                found.rows.customers[noted.id] = LoadedRows.Customer(row: noted, lastEntry: end)
                found.chainHeads.customers[noted.id] = CustomerChainHead(
                    salt: try row.bytes(), chainHead: ChainHead(count: try row.int(), hash: try row.bytes()))
                found.chainHeads.lastPlace = max(found.chainHeads.lastPlace, try row.int())
            }
        }
    }

    // MARK: Chains and tokens

    private mutating func querySubjects(_ keys: SortedKeys) {
        if !keys.subjects.isEmpty {
            let subjects = keys.subjects
            addQuery(LoadStatements.subjects, [.bytes(subjects.map { RowID.of($0) })]) {
                table, found throws(PostgresFailure) in
                try table.forEach { row throws(PostgresFailure) in
                    let subject = try found.add(&row)
                    guard let newest = try row.newestToken(), let chain = subject.chain else { return }
                    found.rows.tokens[chain] = newest
                }
                for subject in subjects where found.subjects[subject] == nil {
                    found.subjects[subject] = SubjectRow()
                }
            }
        }
        if !keys.originals.isEmpty {
            addQuery(LoadStatements.chainsOfOriginals, [.texts(keys.originals.map(\.rawValue))]) {
                table, found throws(PostgresFailure) in
                try table.forEach { row throws(PostgresFailure) in
                    if case .chain(let chain) = try found.add(&row) { found.rows.chains.insert(chain) }
                }
            }
        }
        guard !keys.bindings.isEmpty else { return }
        addQuery(LoadStatements.subjectsOfCustomers, [.bytes(keys.bindings.map { RowID.of($0) })]) {
            table, found throws(PostgresFailure) in
            try table.forEach { row throws(PostgresFailure) in try found.add(&row) }
        }
    }

    // MARK: Facts

    private mutating func queryFacts(_ keys: SortedKeys) {
        if !keys.facts.isEmpty {
            let customers = keys.facts
            let names = Dictionary(customers.map { (RowID.of($0), $0) }) { first, _ in first }
            addQuery(LoadStatements.factsOfCustomers, [.bytes(customers.map { RowID.of($0) })], facts(of: names))
            addQuery(LoadStatements.infosOfCustomers, [.bytes(customers.map { RowID.of($0) })], facts(of: names))
        }
        if !keys.chainFacts.isEmpty {
            addQuery(LoadStatements.factsOfChains, [.bytes(keys.chainFacts.map { RowID.of($0) })], facts(of: [:]))
        }
        if !keys.copies.isEmpty {
            addQuery(LoadStatements.copies, [.bytes(keys.copies.map { RowID.of($0) })], facts(of: [:]))
        }
        if !keys.purchases.isEmpty {
            addQuery(LoadStatements.infosOfPurchases, [.bytes(keys.purchases.map { RowID.of($0) })], facts(of: [:]))
        }
        guard !keys.infos.isEmpty else { return }
        let purchases = keys.infos.map { RowID.of($0.purchase) }
        addQuery(LoadStatements.infos, [.bytes(purchases), .bytes(keys.infos.map(\.digest))], facts(of: [:]))
        addQuery(LoadStatements.purchases, [.bytes(purchases)]) { table, found throws(PostgresFailure) in
            try table.forEach { row throws(PostgresFailure) in
                found.chainHeads.purchases[try row.bytes()] = ChainHead(count: try row.int(), hash: try row.bytes())
                found.chainHeads.lastPlace = max(found.chainHeads.lastPlace, try row.int())
            }
        }
    }

    /// Reads facts.
    ///
    /// - Parameter names: The requested customers, by row key. A fact of any other customer is added without an owner.
    private func facts(
        of names: [[UInt8]: CustomerID]
    ) -> (ResultTable, inout Found) throws(PostgresFailure) -> Void {
        { [headers] table, found throws(PostgresFailure) in
            try table.forEach { row throws(PostgresFailure) in
                let customer = names[try row.bytes()]
                let (place, learnedAt) = (try row.int(), try row.instant())
                guard let fact = try row.evidence(headers) else { return }
                // A fact may be loaded twice: as a fact of its customer, and as a copy that the rules look up.
                let owner = customer ?? found.rows.facts[place]?.customer
                found.rows.facts[place] = StoredFact(
                    place: FeedPlace(place), customer: owner, learnedAt: learnedAt, fact: fact)
            }
        }
    }

    // MARK: Parked evidence

    private mutating func queryParked(_ keys: SortedKeys) {
        func addQuery(_ statement: Statement, _ ids: [[UInt8]]) {
            if !ids.isEmpty { addKeys(statement, .bytes(ids)) }
        }
        func addKeys(_ statement: Statement, _ keys: Argument) {
            self.addQuery(statement, [keys]) { [headers] table, found throws(PostgresFailure) in
                try table.forEach { row throws(PostgresFailure) in
                    guard let (place, parked) = try row.parked(headers) else { return }
                    found.rows.parked[place] = parked
                }
            }
        }
        addQuery(LoadStatements.parked, keys.parkedDigests)
        addQuery(LoadStatements.parkedOfChains, keys.parkedChains.map { RowID.of($0) })
        addQuery(LoadStatements.parkedOfPurchases, keys.parkedInfos.map { RowID.of($0) })
        addQuery(LoadStatements.parkedOfTokens, keys.parkedTokens.map(\.bytes))
        addQuery(LoadStatements.parkedOfPredecessors, keys.parkedSuccessors.map { RowID.of($0) })
        if !keys.parkedClaimants.isEmpty {
            addKeys(LoadStatements.parkedOfClaimants, .texts(keys.parkedClaimants.map(\.rawValue)))
        }
        guard !keys.parkedHolders.isEmpty else { return }
        self.addQuery(LoadStatements.parkedOfHolders, [.bytes(keys.parkedHolders.map { RowID.of($0) })]) {
            [headers] table, found throws(PostgresFailure) in
            try table.forEach { row throws(PostgresFailure) in
                try found.add(&row)
                guard let (place, parked) = try row.parked(headers) else { return }
                found.rows.parked[place] = parked
            }
        }
    }

    // MARK: Described rows

    private mutating func queryRows(_ keys: SortedKeys) {
        for (index, questions) in Dictionary(grouping: keys.questions, by: \.index) {
            guard let table = questions.first?.table else { continue }
            let cells = questions.map(\.cells)
            let customers = cells.compactMap(\.owner).map { (RowID.of($0), $0) }
            let owners = customers.isEmpty ? nil : Dictionary(customers) { first, _ in first }
            let own = PostgresTable.of(table)
            addQuery(own.questions[index.number].load, own.arguments(of: index, cells)) {
                found, loaded throws(PostgresFailure) in
                let buffer = RowBuffer(capacity: 1_024)
                try found.forEach { row throws(PostgresFailure) in
                    try row.cells(of: table, into: buffer, owners: owners)
                    loaded.rows.add(buffer, to: table)
                }
            }
        }
    }

    // MARK: Deliveries, steps and marks

    private mutating func queryOthers(_ keys: SortedKeys) {
        func deliveries(_ table: ResultTable, _ found: inout Found) throws(PostgresFailure) {
            try table.forEach { row throws(PostgresFailure) in
                let (place, delivery) = try row.delivery()
                found.rows.deliveries[place] = delivery
            }
        }
        if !keys.deliveries.isEmpty {
            addQuery(LoadStatements.deliveries, [.bytes(keys.deliveries.map { RowID.of($0) })], deliveries)
        }
        if !keys.unfinished.isEmpty {
            addQuery(LoadStatements.unfinished, [.bytes(keys.unfinished.map { RowID.of($0) })], deliveries)
        }
        if !keys.steps.isEmpty {
            let names = Dictionary(keys.steps.map { ($0.bytes, $0) }) { first, _ in first }
            addQuery(LoadStatements.steps, [.bytes(Array(names.keys))]) { table, found throws(PostgresFailure) in
                try table.forEach { row throws(PostgresFailure) in
                    guard let step = names[try row.bytes()] else { return }
                    if let claim = try row.optionalInt() {
                        found.claims[step] = claim
                    } else {
                        found.rows.steps.insert(step)
                    }
                }
            }
        }
        if keys.hasVersionFloor {
            addQuery(LoadStatements.versionFloor, []) { [epoch] table, found throws(PostgresFailure) in
                try table.forEach { row throws(PostgresFailure) in
                    found.rows.versionFloor = max(try row.int(), epoch.versionFloor)
                }
            }
        }
        guard !keys.marks.isEmpty else { return }
        let marks = keys.marks
        addQuery(LoadStatements.marks, [.bytes(marks.map(\.bytes))]) { table, found throws(PostgresFailure) in
            try table.forEach { row throws(PostgresFailure) in
                let number = Int(clamping: try row.int()) - 1
                if marks.indices.contains(number) { found.rows.marks.insert(marks[number]) }
            }
        }
    }
}
