package import Storekeeper
import StorekeeperDurable

extension SQLiteTables: Rows {
    package var keys: RowBuffer { connection.keys }

    /// Returns the row number of the customer in the key, 0 for a key without a customer; `nil` if the customer is not
    /// stored.
    private func ownerOfKey() throws(VaultError) -> Int64? {
        guard let owner = connection.keys.owner else { return 0 }
        return try number(of: owner)
    }

    package func row<Row: RowKind>(
        _ kind: Row.Type, _ index: TableShape.Index, isLast: Bool
    ) throws(VaultError) -> Row? {
        guard let owner = try ownerOfKey() else { return nil }
        let questions = SQLiteTable.of(Row.table).questions[index.number]
        return try connection.first(isLast ? questions.last : questions.all) {
            $0.cells(connection.keys, owner: owner)
        } _: { row throws(VaultError) in
            try connection.read(kind, &row)
        }
    }

    package func rows<Row: RowKind>(_ kind: Row.Type, _ index: TableShape.Index) throws(VaultError) -> [Row] {
        guard let owner = try ownerOfKey() else { return [] }
        return try connection.all(SQLiteTable.of(Row.table).questions[index.number].all) {
            $0.cells(connection.keys, owner: owner)
        } _: { row throws(VaultError) in
            try connection.read(kind, &row)
        }
    }

    package func page<Row: RowKind>(
        _ kind: Row.Type, _ index: TableShape.Index?, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> [Row] {
        let table = SQLiteTable.of(Row.table)
        guard let index else {
            return try connection.all(table.page) {
                $0.int(place.number)
                $0.int(limit)
            } _: { row throws(VaultError) in
                try connection.read(kind, &row)
            }
        }
        guard let owner = try ownerOfKey() else { return [] }
        return try connection.all(table.questions[index.number].page) {
            $0.cells(connection.keys, owner: owner)
            $0.int(place.number)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try connection.read(kind, &row)
        }
    }

    package mutating func remove(_ table: TableShape, _ index: TableShape.Index) throws(VaultError) -> Int {
        guard let owner = try ownerOfKey() else { return 0 }
        return Int(
            clamping: try connection.run(SQLiteTable.of(table).questions[index.number].remove) {
                $0.cells(connection.keys, owner: owner)
            })
    }

    package mutating func insert<Row: RowKind>(_ row: Row) throws(VaultError) -> Bool {
        let (table, cells) = (SQLiteTable.of(Row.table), connection.row)
        let owner = try write(row)
        guard table.shape.isLinked else {
            return try connection.run(table.insert) { $0.cells(cells, owner: owner?.number ?? 0) } > 0
        }
        let place = cells.cells[0].number
        let link = try connection.link(LinkContent(cells, of: table.shape, salt: owner?.salt ?? []))
        let added = try connection.run(table.insert) {
            $0.cells(cells, owner: owner?.number ?? 0)
            $0.link(link)
        }
        guard added > 0 else { return false }
        connection.endChain(at: place, with: link.hash)
        return true
    }

    package mutating func set<Row: RowKind>(_ row: Row) throws(VaultError) {
        let owner = try write(row)
        try connection.run(SQLiteTable.of(Row.table).set) { $0.cells(connection.row, owner: owner?.number ?? 0) }
    }

    package mutating func update<Row: RowKind>(_ row: Row) throws(VaultError) {
        let owner = try write(row)
        try connection.run(SQLiteTable.of(Row.table).update) { $0.cells(connection.row, owner: owner?.number ?? 0) }
    }

    package mutating func nextPlace() throws(VaultError) -> FeedPlace { FeedPlace(try connection.nextSequence()) }

    /// Writes a row to the connection's buffer, and returns its owner.
    private mutating func write(_ row: some RowKind) throws(VaultError) -> CachedCustomer? {
        let cells = connection.row
        cells.removeAll()
        row.write(to: cells)
        guard let owner = cells.owner else { return nil }
        return try knownToWrite(owner)
    }
}

extension Connection {
    /// Reads a row, whose columns are the first of a query.
    func read<Row: RowKind>(_ kind: Row.Type, _ row: inout RowReader) throws(VaultError) -> Row {
        row.lend(to: self.row, count: Row.table.columns.count)
        var reader = Storekeeper.RowReader(self.row)
        do throws(VaultError) {
            return try Row(from: &reader)
        } catch {
            throw file.corrupt(error.message)
        }
    }
}
