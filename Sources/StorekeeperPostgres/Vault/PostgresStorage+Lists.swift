import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// Lists that are read outside of a step, each by one query of the current state.
extension PostgresStorage {
    private static let firstCustomers = Statement("SELECT name FROM storekeeper.customer ORDER BY name LIMIT $1")
    private static let pageOfCustomers = Statement(
        "SELECT name FROM storekeeper.customer WHERE name > $2 ORDER BY name LIMIT $1")
    private static let firstWake = Statement(
        "SELECT name, wake FROM storekeeper.customer WHERE wake IS NOT NULL ORDER BY wake, name LIMIT 1")

    func rows(of list: VaultList) async throws(VaultError) -> ListedRows {
        switch list {
        case .customers(let previous, let limit):
            .customers(try await customers(Self.firstCustomers, Self.pageOfCustomers, after: previous, limit))
        case .customersOwed(let previous, let limit):
            .customers(try await customers(Self.firstOwed, Self.pageOfOwed, after: previous, limit))
        case .earliestWake:
            .wake(
                try await self.list(Self.firstWake, []) { row throws(PostgresFailure) in
                    (CustomerID(rawValue: try row.text()), try row.instant())
                }.first)
        case .facts(let place, nil, let limit):
            .facts(
                try await readFeed(limit: limit) { () async throws(VaultError) in
                    try await pageOfFacts(after: place, of: nil, limit: limit)
                })
        case .facts(let place, let customer, let limit):
            .facts(try await pageOfFacts(after: place, of: customer, limit: limit))
        case .rows(let table, let place, let customer, let limit):
            .rows(try await page(of: table, after: place, of: customer, limit))
        case .ordered(let list, let limit): .rows(try await page(list, limit))
        case .webhooks: .webhooks(try await webhookSummaries())
        case .parked(let place, let limit):
            .parked(
                try await pageOfParked(Self.pageOfParked, [.int(place.number), .int(Int64(limit))], limit))
        case .parkedFor(let customer, let place, let limit):
            .parked(try await pageOfParked(for: customer, after: place, limit))
        case .erasures(let customer): .erasures(try await rowsOfErasures(about: customer))
        }
    }

    /// Returns a page of customers, in the order of their names.
    private func customers(
        _ first: Statement, _ next: Statement, after previous: CustomerID?, _ limit: Int
    ) async throws(VaultError) -> [CustomerID] {
        let count = Argument.int(Int64(limit))
        let arguments = previous.map { [count, .text($0.rawValue)] } ?? [count]
        return try await list(previous == nil ? first : next, arguments) { row throws(PostgresFailure) in
            CustomerID(rawValue: try row.text())
        }
    }

    // MARK: Facts

    private static let fact = "f.place, f.learned, f.header, f.payload, f.signature, f.verbatim"
    private static let allFacts = Statement(
        """
        SELECT * FROM (
          (SELECT c.name, \(fact) FROM storekeeper.fact f JOIN storekeeper.customer c ON c.id = f.customer
           WHERE f.place > $1 AND f.place < \(FeedTicket.lowest) ORDER BY f.place LIMIT $2)
          UNION ALL
          (SELECT (SELECT s.holder FROM storekeeper.subject s WHERE s.purchase = f.purchase AND s.holder IS NOT NULL
             ORDER BY s.place LIMIT 1), \(fact)
           FROM storekeeper.renewal_info f WHERE f.place > $1 AND f.place < \(FeedTicket.lowest)
           ORDER BY f.place LIMIT $2)
        ) feed ORDER BY place LIMIT $2
        """)
    private static let factsOfCustomer = Statement(
        """
        SELECT $3::text, \(fact) FROM (
          SELECT * FROM (SELECT f.place, f.learned, f.header, f.payload, f.signature, f.verbatim
            FROM storekeeper.fact f WHERE f.customer = $4) own
          UNION
          SELECT f.place, f.learned, f.header, f.payload, f.signature, f.verbatim
          FROM storekeeper.subject s JOIN storekeeper.renewal_info f ON f.purchase = s.purchase WHERE s.customer = $4
        ) f WHERE f.place > $1 ORDER BY f.place LIMIT $2
        """)

    private func pageOfFacts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        var arguments: [Argument] = [.int(place.number), .int(Int64(limit))]
        if let customer { arguments += [.text(customer.rawValue), .bytes(RowID.of(customer))] }
        return try await listEvidence(customer == nil ? Self.allFacts : Self.factsOfCustomer, arguments) {
            row, headers throws(PostgresFailure) in
            let customer = try row.optionalText().map(CustomerID.init(rawValue:))
            let (place, learnedAt) = (try row.int(), try row.instant())
            guard let fact = try row.evidence(headers) else { return nil }
            return StoredFact(place: FeedPlace(place), customer: customer, learnedAt: learnedAt, fact: fact)
        }
    }

    // MARK: Parked evidence

    private static let park = "f.place, f.since, f.reason, f.claimant, f.header, f.payload, f.signature, f.verbatim"
    private static let pageOfParked = Statement(
        "SELECT \(park) FROM storekeeper.parked f WHERE f.place > $1 ORDER BY f.place LIMIT $2")
    private static let parkedOfHolder = Statement(
        """
        SELECT \(park) FROM (
          \(LoadStatements.parkedUnder("f.*"))
          UNION ALL SELECT f.* FROM storekeeper.parked f WHERE f.token = $4 AND NOT EXISTS (
            SELECT 1 FROM storekeeper.subject s WHERE s.id = $5 AND s.customer IS NOT NULL)
        ) f WHERE f.place > $2 GROUP BY \(park) ORDER BY f.place LIMIT $3
        """)

    private func pageOfParked(
        _ statement: Statement, _ arguments: [Argument], _ limit: Int
    ) async throws(VaultError) -> VaultPage<ParkedFact> {
        let rows = try await listEvidence(statement, arguments) { row, headers throws(PostgresFailure) in
            try row.parked(headers)
        }
        return VaultPage(rows.map { (FeedPlace($0.0), $0.1) }, limit: limit)
    }

    private func pageOfParked(
        for customer: CustomerID, after place: FeedPlace, _ limit: Int
    ) async throws(VaultError) -> VaultPage<ParkedFact> {
        // If the tokens are customer ids, a token without an owner belongs to the customer with this id.
        let token = accountTokens.token(naming: customer)
        return try await pageOfParked(
            Self.parkedOfHolder,
            [
                .bytes([RowID.of(customer)]), .int(place.number), .int(Int64(limit)), .bytes(token?.bytes),
                .bytes(token.map { RowID.of(.token($0)) }),
            ], limit)
    }

    /// Queries rows of evidence.
    ///
    /// If this process has not seen some headers of the rows, the function loads the headers and reads the rows again.
    private func listEvidence<Row: Sendable>(
        _ statement: Statement, _ arguments: [Argument],
        _ read: @escaping @Sendable (inout RowReader, HeaderLookup) throws(PostgresFailure) -> Row?
    ) async throws(VaultError) -> [Row] {
        let (limit, headers) = (limit, headers)
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                let table = try connection.run(statement, arguments, within: limit)
                let lookup = HeaderLookup(headers)
                var rows = try table.map { row throws(PostgresFailure) in try read(&row, lookup) }
                let wanted = lookup.takeMissing()
                if !wanted.isEmpty {
                    let found = try connection.run(LoadStatements.headers, [.bytes(wanted)], within: limit)
                    try found.forEach { row throws(PostgresFailure) in
                        let digest = try row.bytes()
                        headers.add(CompactJWS.HeaderSegment(bytes: try row.bytes()), digest: digest)
                    }
                    rows = try table.map { row throws(PostgresFailure) in try read(&row, lookup) }
                }
                guard rows.allSatisfy({ $0 != nil }) else { throw PostgresFailure.damaged("a fact without its header") }
                return rows.compactMap { $0 }
            }
        }
    }

    // MARK: Deliveries and described rows

    private static let owed =
        "EXISTS (SELECT 1 FROM storekeeper.transaction t WHERE t.customer = c.id AND t.state < 2)"
    private static let firstOwed = Statement(
        "SELECT c.name FROM storekeeper.customer c WHERE \(owed) ORDER BY c.name LIMIT $1")
    private static let pageOfOwed = Statement(
        "SELECT c.name FROM storekeeper.customer c WHERE c.name > $2 AND \(owed) ORDER BY c.name LIMIT $1")

    /// Returns a page of all rows, or of the rows of one customer, in the order of their places in the feed or of their
    /// keys.
    private func page(
        of shape: TableShape, after place: FeedPlace, of customer: CustomerID?, _ limit: Int
    ) async throws(VaultError) -> [PackedRow] {
        let page = PostgresTable.of(shape).page
        let arguments: [Argument] = [.int(place.number), .int(Int64(limit))]
        if let customer { return try await rows(of: shape, page.own, arguments + [.bytes(RowID.of(customer))]) }
        guard shape.hasPlace else { return try await rows(of: shape, page.all, arguments) }
        return try await readFeed(limit: limit) { () async throws(VaultError) in
            try await rows(of: shape, page.all, arguments)
        }
    }

    private func rows(
        of shape: TableShape, _ statement: Statement, _ arguments: [Argument]
    ) async throws(VaultError) -> [PackedRow] {
        try await list(statement, arguments) { row throws(PostgresFailure) in
            let cells = RowBuffer(capacity: 1_024)
            try row.cells(of: shape, into: cells)
            return cells.packed()
        }
    }

    /// Returns a page of rows in the order of their table.
    private func page(_ list: RowList, _ limit: Int) async throws(VaultError) -> [PackedRow] {
        let (fixed, after) = (list.fixed.cells, list.after.cells)
        var arguments = fixed.given.map { column -> Argument in
            let cell = fixed.cells[column]
            return cell.tag == .owner ? .bytes(RowID.of(CustomerID(rawValue: cell.text))) : .text(cell.text)
        }
        // Rows are sorted by the names of their owners.
        for column in 0..<after.count {
            let cell = after.cells[column]
            arguments.append(cell.tag == .owner ? .text(cell.text) : .int(cell.number))
        }
        return try await rows(
            of: list.table, PostgresTable.of(list.table).lists[fixed.givenSet], arguments + [.int(Int64(limit))])
    }

    // MARK: Webhooks

    private static let summaries = Statement(
        """
        SELECT name, queued, paused, pause_reason,
          (SELECT count(*) FROM (SELECT 1 FROM storekeeper.webhook_queue q WHERE q.webhook = w.name LIMIT $1) n),
          (SELECT count(*) FROM (
            SELECT 1 FROM storekeeper.webhook_queue q WHERE q.webhook = w.name AND failures > 0 LIMIT $1) n),
          (SELECT min(failing) FROM storekeeper.webhook_queue q WHERE q.webhook = w.name),
          (SELECT count(*) FROM (SELECT 1 FROM storekeeper.webhook_parked p WHERE p.webhook = w.name LIMIT $1) n)
        FROM storekeeper.webhook w ORDER BY name
        """)

    private func webhookSummaries() async throws(VaultError) -> [WebhookSummary] {
        try await list(Self.summaries, [.int(Int64(WebhookSummary.countLimit))]) { row throws(PostgresFailure) in
            let webhook = try row.row(WebhookRow.self, in: RowBuffer(capacity: 1_024))
            return WebhookSummary(
                name: webhook.name, state: webhook.state, waiting: Int(clamping: try row.int()),
                failing: Int(clamping: try row.int()), failingSince: try row.optionalInstant(),
                parked: Int(clamping: try row.int()))
        }
    }
}
