extension MemoryTables: Rows {
    package var keys: RowBuffer { RowBuffer(capacity: 256) }
    package var cells: RowBuffer { RowBuffer(capacity: 1_024) }

    package func read(
        _ table: TableShape, _ key: RowKeyCells?, _ extent: RowExtent,
        _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        let cells = cells
        for row in try packedRows(table, key, extent) {
            cells.unpack(row)
            var reader = RowReader(cells)
            try body(&reader)
        }
    }

    private func packedRows(
        _ table: TableShape, _ key: RowKeyCells?, _ extent: RowExtent
    ) throws(VaultError) -> [PackedRow] {
        // A list that was read before the step is one of all rows, or of all rows of a customer.
        let page: (after: FeedPlace, limit: Int)? =
            switch extent {
            case .page(let place, let limit): (place, limit)
            case .all where key == nil: (.start, .max)
            case .first, .last, .all: nil
            }
        if let page, key.map({ $0.index.name == "customer" }) ?? true,
            case .rows(let rows)? = listed(.rows(table, after: page.after, of: key?.cells.owner, limit: page.limit))
        {
            return rows
        }
        let own = rows.tables[table.number]
        let found: SortedElements<PackedRow>
        if let key {
            let packed = key.cells.packed()
            found = own.keys(key.index, packed)
            // A row that no other row can equal is known without a look at the storage.
            if !key.index.isUnique || found.isEmpty { log?.requireRows(RowQuestion(table, key.index, packed)) }
        } else {
            try checkLists("rows")
            found = own.all
        }
        let keys =
            switch extent {
            case .first: found.first.map { [$0] } ?? []
            case .last: found.last.map { [$0] } ?? []
            case .all: found.all
            case .page(let place, let limit): found.elements(after: PackedRow(place), limit: limit)
            }
        return keys.compactMap { own[$0] }
    }

    package func read(
        _ list: RowList, limit: Int, _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        let cells = cells
        for row in try packedRows(list, limit) {
            cells.unpack(row)
            var reader = RowReader(cells)
            try body(&reader)
        }
    }

    private func packedRows(_ list: RowList, _ limit: Int) throws(VaultError) -> [PackedRow] {
        if case .rows(let rows)? = listed(.ordered(list, limit: limit)) { return rows }
        try checkLists("rows")
        let own = rows.tables[list.table.number]
        return own.keys(list, limit: limit).compactMap { own[$0] }
    }

    package mutating func remove(_ old: OldRows) throws(VaultError) {
        // Only a remote storage has all of its rows.
        guard log == nil else { return record(.oldRows(old)) }
        let (cells, column) = (cells, old.index.columns[0])
        precondition(
            old.table.order?.isDescending == true && old.table.order?.columns.first == column,
            "the oldest rows of the table \(old.table.name) are not its last ones")
        for _ in 0..<old.count {
            // No variable holds the table, so that the removal does not copy it.
            guard let key = rows.tables[old.table.number].lastKey, let row = rows.tables[old.table.number][key] else {
                return
            }
            cells.unpack(row)
            guard cells.cells[column].number < old.limit else { return }
            replace(key, with: nil, in: old.table)
        }
    }

    package mutating func remove(_ table: TableShape, _ key: RowKeyCells) throws(VaultError) -> Int {
        let question = RowQuestion(table, key.index, key.cells.packed())
        record(.removedRows(question))
        return removeRows(question)
    }

    /// Removes rows without recording the change for a remote storage, and returns their number.
    mutating func removeRows(_ question: RowQuestion) -> Int {
        let keys = rows.tables[question.table.number].keys(question.index, question.key).all
        for key in keys.reversed() { replace(key, with: nil, in: question.table) }
        return keys.count
    }

    package mutating func insert(_ row: RowBuffer, into table: TableShape) throws(VaultError) -> Bool {
        let change = RowChange.Row(row, of: table, isNew: true)
        guard rows.tables[table.number][change.key] == nil else { return false }
        // A new place is known to have no row.
        if !table.hasPlace { log?.requireRows(RowQuestion(table, table.primary, change.key)) }
        store(change)
        return true
    }

    package mutating func set(_ row: RowBuffer, in table: TableShape) throws(VaultError) {
        store(RowChange.Row(row, of: table, isNew: false))
    }

    package mutating func update(_ row: RowBuffer, in table: TableShape) throws(VaultError) {
        store(RowChange.Row(row, of: table, isNew: false))
    }

    private mutating func store(_ row: RowChange.Row) {
        replace(row.key, with: row.cells, in: row.table)
        record(.row(row))
    }

    package func webhookSummaries() throws(VaultError) -> [WebhookSummary] {
        if case .webhooks(let summaries)? = listed(.webhooks) { return summaries }
        let queues = try all(of: WebhookQueueRow.self)
        let parked = try all(of: ParkedWebhook.self)
        let limit = WebhookSummary.countLimit
        return try all(of: WebhookRow.self).map { row in
            let own = queues.filter { $0.webhook.hasSameBytes(as: row.name) }.map(\.queue)
            return WebhookSummary(
                name: row.name, state: row.state, waiting: min(own.count, limit),
                failing: min(own.count { $0.failures > 0 }, limit), failingSince: own.compactMap(\.failingSince).min(),
                parked: min(parked.count { $0.webhook.hasSameBytes(as: row.name) }, limit))
        }
    }

    package mutating func nextPlace() throws(VaultError) -> FeedPlace { FeedPlace(nextSequence()) }
}

/// The calls about accounts that use what was loaded or listed before.
extension MemoryTables {
    package mutating func append(_ draft: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let entry = try append(draft, after: lastEntry(of: draft.customer))
        set(AccountEnd(entry), at: entry.customer, in: \.accountEnds)
        return entry
    }

    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        requireRows(.customer(customer))
        return rows.accountEnds[customer] ?? .none
    }
}
