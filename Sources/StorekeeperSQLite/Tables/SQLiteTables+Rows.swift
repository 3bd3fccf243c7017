package import Storekeeper
import StorekeeperDurable

extension SQLiteTables: Rows {
    package var keys: RowBuffer { connection.keys }
    package var cells: RowBuffer { connection.row }

    /// Returns the row number of the customer in a key, 0 for a key without a customer; `nil` if the customer is not
    /// stored.
    private func owner(of key: RowKeyCells) throws(VaultError) -> Int64? {
        guard let owner = key.cells.owner else { return 0 }
        return try number(of: owner)
    }

    package func read(
        _ table: TableShape, _ key: RowKeyCells?, _ extent: RowExtent,
        _ body: (inout Storekeeper.RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        let own = SQLiteTable.of(table)
        guard let key else {
            let (place, limit) = if case .page(let place, let limit) = extent { (place, limit) } else { (.start, .max) }
            return try connection.forEach(own.page) {
                $0.int(place.number)
                $0.int(limit)
            } _: { row throws(VaultError) in
                try connection.read(table, &row, body)
            }
        }
        guard let owner = try owner(of: key) else { return }
        let (questions, keys) = (own.questions[key.index.number], key.cells)
        func bind(_ arguments: inout ArgumentBinder) {
            arguments.cells(keys, owner: owner)
            guard case .page(let place, let limit) = extent else { return }
            arguments.int(place.number)
            arguments.int(limit)
        }
        func read(_ row: inout RowReader) throws(VaultError) {
            try connection.read(table, &row, owner: questions.owner, body)
        }
        switch extent {
        case .first: _ = try connection.first(questions.all, bind, read)
        case .last: _ = try connection.first(questions.last, bind, read)
        case .all: try connection.forEach(questions.all, bind, read)
        case .page: try connection.forEach(questions.page, bind, read)
        }
    }

    package func read(
        _ list: RowList, limit: Int, _ body: (inout Storekeeper.RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        let (fixed, after) = (list.fixed.cells, list.after.cells)
        guard let owner = try owner(of: (list.table.primary, fixed)) else { return }
        try connection.forEach(SQLiteTable.of(list.table).lists[fixed.givenSet]) {
            for column in fixed.given {
                let cell = fixed.cells[column]
                if cell.tag == .owner { $0.int(owner) } else { $0.text(cell.text) }
            }
            // Rows are sorted by the names of their owners.
            for column in 0..<after.count {
                let cell = after.cells[column]
                if cell.tag == .owner { $0.text(cell.text) } else { $0.int(cell.number) }
            }
            $0.int(limit)
        } _: { row throws(VaultError) in
            try connection.read(list.table, &row, body)
        }
    }

    package mutating func remove(_ old: OldRows) throws(VaultError) {
        try connection.run(SQLiteTable.of(old.table).questions[old.index.number].removeOld) {
            $0.int(old.limit)
            $0.int(old.count)
        }
    }

    package mutating func remove(_ table: TableShape, _ key: RowKeyCells) throws(VaultError) -> Int {
        guard let owner = try owner(of: key) else { return 0 }
        return Int(
            clamping: try connection.run(SQLiteTable.of(table).questions[key.index.number].remove) {
                $0.cells(key.cells, owner: owner)
            })
    }

    package mutating func insert(_ cells: RowBuffer, into table: TableShape) throws(VaultError) -> Bool {
        let own = SQLiteTable.of(table)
        let owner = try ownerToWrite(cells)
        guard table.isLinked else {
            return try connection.run(own.insert) { $0.cells(cells, owner: owner?.number ?? 0) } > 0
        }
        let place = cells.cells[0].number
        let link = try connection.link(LinkContent(cells, of: table, salt: owner?.salt ?? []))
        let added = try connection.run(own.insert) {
            $0.cells(cells, owner: owner?.number ?? 0)
            $0.link(link)
        }
        guard added > 0 else { return false }
        connection.endChain(at: place, with: link.hash)
        return true
    }

    package mutating func set(_ cells: RowBuffer, in table: TableShape) throws(VaultError) {
        let owner = try ownerToWrite(cells)
        try connection.run(SQLiteTable.of(table).set) { $0.cells(cells, owner: owner?.number ?? 0) }
    }

    package mutating func update(_ cells: RowBuffer, in table: TableShape) throws(VaultError) {
        let owner = try ownerToWrite(cells)
        try connection.run(SQLiteTable.of(table).update) { $0.cells(cells, owner: owner?.number ?? 0) }
    }

    package mutating func nextPlace() throws(VaultError) -> FeedPlace { FeedPlace(try connection.nextSequence()) }

    /// Returns the owner of a row that is written.
    private mutating func ownerToWrite(_ row: RowBuffer) throws(VaultError) -> CachedCustomer? {
        guard let owner = row.owner else { return nil }
        return try knownToWrite(owner)
    }
}

extension Connection {
    /// Calls a function with a row, whose columns begin with those of a table.
    ///
    /// - Parameter owner: The positions of the owner in the table and in the key, if the row has no value for it.
    func read(
        _ table: TableShape, _ row: inout RowReader, owner: (column: Int, part: Int)? = nil,
        _ body: (inout Storekeeper.RowReader) throws(VaultError) -> Void
    ) throws(VaultError) {
        row.lend(to: self.row, count: table.columns.count)
        if let owner { self.row.cells[owner.column] = keys.cells[owner.part] }
        var reader = Storekeeper.RowReader(self.row)
        do throws(VaultError) {
            try body(&reader)
        } catch {
            throw file.corrupt(error.message)
        }
    }
}
