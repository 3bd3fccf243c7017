/// The rows of one kind in memory, with the indices of the kind's table.
struct MemoryTable: Sendable {
    let shape: TableShape
    private(set) var rows: [PackedRow: PackedRow] = [:]
    /// The keys of all rows with a place in the feed, in order.
    private var order = SortedElements<PackedRow>()
    /// The keys of the rows, by index and key in the index.
    private var lists: [SortedLists<PackedRow, PackedRow>]
    /// The rows in the order of the table's pages, by the set of the fixed columns and by their values.
    private var pages: [SortedLists<PackedRow, PagePlace>]

    init(_ shape: TableShape) {
        self.shape = shape
        lists = shape.indices.map { _ in SortedLists() }
        pages = (shape.order?.fixed ?? []).map { _ in SortedLists() }
    }

    /// The keys of all rows, in order.
    var all: SortedElements<PackedRow> {
        shape.hasPlace ? order : rows.keys.sorted().reduce(into: SortedElements()) { $0.insert($1) }
    }

    /// Returns the row with a key.
    subscript(key: PackedRow) -> PackedRow? { rows[key] }

    /// Returns the keys of the rows with a key in an index.
    func keys(_ index: TableShape.Index, _ key: PackedRow) -> SortedElements<PackedRow> { lists[index.number][key] }

    /// Returns the keys of the rows of a page in the order of the table.
    func keys(_ list: RowList, limit: Int) -> [PackedRow] {
        let fixed = list.fixed.cells
        guard let order = shape.order, let values = fixed.packed(fixed.given) else { return [] }
        let last = PagePlace(values: list.after, key: nil, isDescending: order.isDescending)
        return pages[fixed.givenSet][values].elements(after: last, limit: limit).compactMap(\.key)
    }

    /// The key of the last row in the order of the table.
    var lastKey: PackedRow? { pages.first?[RowBuffer(capacity: 0).packed()].last?.key }

    /// Inserts, replaces or removes the row with a key.
    ///
    /// - Returns: The previous row.
    @discardableResult mutating func replace(_ key: PackedRow, with row: PackedRow?) -> PackedRow? {
        let previous = row.map { rows.updateValue($0, forKey: key) } ?? rows.removeValue(forKey: key)
        if shape.hasPlace {
            if row == nil { order.remove(key) } else if previous == nil { order.insert(key) }
        }
        let (old, new) = (previous.map { keys(of: $0, key) }, row.map { keys(of: $0, key) })
        for index in shape.indices.indices where old?.lists[index] != new?.lists[index] {
            if let known = old?.lists[index] { lists[index].remove(key, under: known) }
            if let added = new?.lists[index] { lists[index].insert(key, under: added) }
        }
        for set in pages.indices where old?.place != new?.place || old?.pages[set] != new?.pages[set] {
            if let place = old?.place, let known = old?.pages[set] { pages[set].remove(place, under: known) }
            if let place = new?.place, let added = new?.pages[set] { pages[set].insert(place, under: added) }
        }
        return previous
    }

    /// The key of a row in each index, its place in the order of the table, and its fixed values by their set; `nil` for
    /// a list that does not contain the row.
    private typealias RowKeys = (lists: [PackedRow?], place: PagePlace?, pages: [PackedRow?])

    private func keys(of row: PackedRow, _ key: PackedRow) -> RowKeys {
        let cells = RowBuffer(capacity: 1_024)
        cells.unpack(row)
        let lists = shape.indices.map { index -> PackedRow? in
            if let least = index.least, cells.cells[least.column].number < least.number { return nil }
            return cells.packed(index.columns)
        }
        guard let order = shape.order else { return (lists, nil, []) }
        let place = cells.packed(order.columns)
            .map { PagePlace(values: $0, key: key, isDescending: order.isDescending) }
        return (lists, place, order.fixed.map { cells.packed($0) })
    }
}

/// The place of a row in the order of its table.
private struct PagePlace: Comparable, Sendable {
    /// The values of the sorted columns.
    let values: PackedRow
    /// The key of the row; `nil` for the place after all rows with these values.
    let key: PackedRow?
    let isDescending: Bool

    static func < (left: PagePlace, right: PagePlace) -> Bool {
        if left.values != right.values { return (left.values < right.values) != left.isDescending }
        guard let key = left.key else { return false }
        return right.key.map { key < $0 } ?? true
    }
}
