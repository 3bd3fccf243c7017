/// A kind of rows, which describes its table and writes and reads its columns.
package protocol RowKind: Sendable {
    static var table: TableShape { get }

    /// Writes the columns, in the order of the table.
    func write(to row: RowBuffer)
    /// Reads the columns, in the order of the table.
    ///
    /// - Throws: ``VaultError`` with `corrupt` if the values are not those of a row; the message names the row.
    init(from row: inout RowReader) throws(VaultError)
}

/// A value that can be part of a key.
package protocol KeyPart {
    func write(to key: RowBuffer)
}

extension String: KeyPart {
    package func write(to key: RowBuffer) { key.text(self) }
}

extension CustomerID: KeyPart {
    package func write(to key: RowBuffer) { key.owner(self) }
}

/// An index of a kind of rows, with the types of its columns.
package struct RowIndex<Row: RowKind, each Part: KeyPart>: Sendable {
    package let shape: TableShape.Index

    /// Creates an index from its name in the table.
    package init(_ name: String) { shape = Row.table.index(name) }
}

/// The rows of all kinds, as a step sees them.
///
/// The requirements take the parts of a key from ``keys``; a caller passes the parts as arguments.
package protocol Rows {
    /// The buffer for the key of the next question.
    var keys: RowBuffer { get }

    /// Returns the first or last row with the key, in the order of the feed or of the table's key.
    func row<Row: RowKind>(_ kind: Row.Type, _ index: TableShape.Index, isLast: Bool) throws(VaultError) -> Row?
    /// Returns the rows with the key, in the order of the feed or of the table's key.
    func rows<Row: RowKind>(_ kind: Row.Type, _ index: TableShape.Index) throws(VaultError) -> [Row]
    /// Returns a page of the rows with the key, or of all rows, in the order of the feed.
    func page<Row: RowKind>(
        _ kind: Row.Type, _ index: TableShape.Index?, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> [Row]
    /// Removes the rows with the key, and returns their number.
    mutating func remove(_ table: TableShape, _ index: TableShape.Index) throws(VaultError) -> Int

    /// Inserts a row.
    ///
    /// - Returns: Whether the row was inserted; `false` if the table has a row with its key.
    mutating func insert<Row: RowKind>(_ row: Row) throws(VaultError) -> Bool
    /// Inserts a row, or replaces the row with its key.
    mutating func set<Row: RowKind>(_ row: Row) throws(VaultError)
    /// Replaces the row with the key of a row, which must be in the table.
    mutating func update<Row: RowKind>(_ row: Row) throws(VaultError)
    /// Returns a place in the feed, greater than all others.
    mutating func nextPlace() throws(VaultError) -> FeedPlace
}

extension Rows {
    private func ask<each Part: KeyPart>(_ key: repeat each Part) {
        let keys = keys
        keys.removeAll()
        repeat (each key).write(to: keys)
    }

    package func first<Row: RowKind, each Part: KeyPart>(
        _ index: RowIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Row? {
        ask(repeat each key)
        return try row(Row.self, index.shape, isLast: false)
    }

    package func last<Row: RowKind, each Part: KeyPart>(
        _ index: RowIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Row? {
        ask(repeat each key)
        return try row(Row.self, index.shape, isLast: true)
    }

    package func all<Row: RowKind, each Part: KeyPart>(
        _ index: RowIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> [Row] {
        ask(repeat each key)
        return try rows(Row.self, index.shape)
    }

    package func page<Row: RowKind, each Part: KeyPart>(
        _ index: RowIndex<Row, repeat each Part>, _ key: repeat each Part, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> [Row] {
        ask(repeat each key)
        return try page(Row.self, index.shape, after: place, limit: limit)
    }

    package mutating func remove<Row: RowKind, each Part: KeyPart>(
        _ index: RowIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Int {
        ask(repeat each key)
        return try remove(Row.table, index.shape)
    }
}
