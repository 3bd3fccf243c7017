/// The rows of one kind in memory, with the indices of the kind's table.
struct MemoryTable: Sendable {
    let shape: TableShape
    private(set) var rows: [PackedRow: PackedRow] = [:]
    /// The keys of all rows with a place in the feed, in order.
    private var order = SortedElements<PackedRow>()
    /// The keys of the rows, by index and key in the index.
    private var lists: [SortedLists<PackedRow, PackedRow>]

    init(_ shape: TableShape) {
        self.shape = shape
        lists = shape.indices.map { _ in SortedLists() }
    }

    /// The keys of all rows, in order.
    var all: SortedElements<PackedRow> {
        shape.hasPlace ? order : rows.keys.sorted().reduce(into: SortedElements()) { $0.insert($1) }
    }

    /// Returns the row with a key.
    subscript(key: PackedRow) -> PackedRow? { rows[key] }

    /// Returns the keys of the rows with a key in an index.
    func keys(_ index: TableShape.Index, _ key: PackedRow) -> SortedElements<PackedRow> { lists[index.number][key] }

    /// Inserts, replaces or removes the row with a key.
    ///
    /// - Returns: The previous row.
    @discardableResult mutating func replace(_ key: PackedRow, with row: PackedRow?) -> PackedRow? {
        let previous = row.map { rows.updateValue($0, forKey: key) } ?? rows.removeValue(forKey: key)
        if shape.hasPlace {
            if row == nil { order.remove(key) } else if previous == nil { order.insert(key) }
        }
        let (old, new) = (previous.map(indexKeys), row.map(indexKeys))
        for index in shape.indices.indices where old?[index] != new?[index] {
            if let known = old?[index] { lists[index].remove(key, under: known) }
            if let added = new?[index] { lists[index].insert(key, under: added) }
        }
        return previous
    }

    /// Returns the key of a row in each index; `nil` for an index that does not contain the row.
    private func indexKeys(of row: PackedRow) -> [PackedRow?] {
        let cells = RowBuffer(capacity: 1_024)
        cells.unpack(row)
        return shape.indices.map { index in
            if let least = index.least, cells.cells[least.column].number < least.number { return nil }
            return cells.packed(index.columns)
        }
    }
}
