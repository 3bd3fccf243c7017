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

extension FeedPlace: KeyPart {
    package func write(to key: RowBuffer) { key.place(self) }
}

extension CustomerID: KeyPart {
    package func write(to key: RowBuffer) { key.owner(self) }
}

/// An index of a kind of rows, with the types of its columns.
package struct TableIndex<Row: RowKind, each Part: KeyPart>: Sendable {
    package let shape: TableShape.Index

    /// Creates an index from its name in the table.
    package init(_ name: String) { shape = Row.table.index(name) }
}

/// The rows that a question asks for, in the order of the feed or of the table's key.
package enum RowExtent {
    case first
    case last
    case all
    /// The rows after a place in the feed, up to a number of them.
    case page(after: FeedPlace, limit: Int)
}

/// The parts of a key, and the index with which rows are looked up by the key.
package typealias RowKeyCells = (index: TableShape.Index, cells: RowBuffer)

/// The rows of all kinds, as a step sees them.
///
/// A storage sees a row as the cells of a buffer. Its functions are therefore not generic. The types of a row and of a
/// key are known only in the module of the kinds, where the compiler specializes the code.
package protocol Rows {
    /// An empty or used buffer for the key of the next question.
    var keys: RowBuffer { get }
    /// An empty or used buffer for the row that is written next.
    var cells: RowBuffer { get }

    /// Calls a function with each row that has a key, or with each row of the table.
    ///
    /// - Parameter key: The key, in a buffer that was ``keys``.
    func read(
        _ table: TableShape, _ key: RowKeyCells?, _ extent: RowExtent,
        _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError)
    /// Calls a function with each row of a page in the order of the table.
    func read(
        _ list: RowList, limit: Int, _ body: (inout RowReader) throws(VaultError) -> Void
    ) throws(VaultError)
    /// Removes old rows.
    mutating func remove(_ rows: OldRows) throws(VaultError)
    /// Removes the rows with a key, and returns their number.
    mutating func remove(_ table: TableShape, _ key: RowKeyCells) throws(VaultError) -> Int

    /// Inserts a row, in a buffer that was ``cells``.
    ///
    /// - Returns: Whether the row was inserted; `false` if the table has a row with its key.
    mutating func insert(_ row: RowBuffer, into table: TableShape) throws(VaultError) -> Bool
    /// Inserts a row, or replaces the row with its key.
    mutating func set(_ row: RowBuffer, in table: TableShape) throws(VaultError)
    /// Replaces the row with the key of a row, which must be in the table.
    mutating func update(_ row: RowBuffer, in table: TableShape) throws(VaultError)
    /// Returns a place in the feed, greater than all others.
    mutating func nextPlace() throws(VaultError) -> FeedPlace
}

// These functions are always inlined, so that they are compiled for the types of a row and of a key that their callers
// use, and not for any type.
extension Rows {
    @inline(__always)
    private func cells<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) -> RowKeyCells {
        let keys = keys
        keys.removeAll()
        repeat (each key).write(to: keys)
        return (index.shape, keys)
    }

    @inline(__always)
    private func one<Row: RowKind>(
        _ kind: Row.Type, _ key: RowKeyCells, _ extent: RowExtent
    ) throws(VaultError) -> Row? {
        var found: Row?
        try read(Row.table, key, extent) { row throws(VaultError) in found = try Row(from: &row) }
        return found
    }

    @inline(__always)
    private func list<Row: RowKind>(
        _ kind: Row.Type, _ key: RowKeyCells?, _ extent: RowExtent
    ) throws(VaultError) -> [Row] {
        var found: [Row] = []
        try read(Row.table, key, extent) { row throws(VaultError) in found.append(try Row(from: &row)) }
        return found
    }

    @inline(__always)
    func first<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Row? {
        try one(Row.self, cells(index, repeat each key), .first)
    }

    @inline(__always)
    func last<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Row? {
        try one(Row.self, cells(index, repeat each key), .last)
    }

    @inline(__always)
    func all<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> [Row] {
        try list(Row.self, cells(index, repeat each key), .all)
    }

    @inline(__always)
    package func all<Row: RowKind>(of kind: Row.Type) throws(VaultError) -> [Row] { try list(Row.self, nil, .all) }

    @inline(__always)
    func page<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> [Row] {
        try list(Row.self, cells(index, repeat each key), .page(after: place, limit: limit))
    }

    @inline(__always)
    func page<Row: RowKind>(of kind: Row.Type, after place: FeedPlace, limit: Int) throws(VaultError) -> [Row] {
        try list(Row.self, nil, .page(after: place, limit: limit))
    }

    @inline(__always)
    func page<Row: RowKind>(of kind: Row.Type, _ list: RowList, limit: Int) throws(VaultError) -> [Row] {
        var found: [Row] = []
        try read(list, limit: limit) { row throws(VaultError) in found.append(try Row(from: &row)) }
        return found
    }

    @inline(__always)
    mutating func remove<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) throws(VaultError) -> Int {
        try remove(Row.table, cells(index, repeat each key))
    }

    @inline(__always)
    private func cells(of row: some RowKind) -> RowBuffer {
        let cells = cells
        cells.removeAll()
        row.write(to: cells)
        return cells
    }

    @inline(__always)
    mutating func insert<Row: RowKind>(_ row: Row) throws(VaultError) -> Bool {
        try insert(cells(of: row), into: Row.table)
    }

    @inline(__always)
    mutating func set<Row: RowKind>(_ row: Row) throws(VaultError) {
        try set(cells(of: row), in: Row.table)
    }

    @inline(__always)
    mutating func update<Row: RowKind>(_ row: Row) throws(VaultError) {
        try update(cells(of: row), in: Row.table)
    }
}
