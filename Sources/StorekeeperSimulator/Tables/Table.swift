/// The index of a row in its table: four bytes, typed by the kind of row so that tables cannot be confused.
///
/// Only a ``Table`` creates indexes, each only once.
struct RowIndex<Row>: Hashable, Strideable, Sendable {
    private let number: Int32

    /// The number of rows before it.
    var index: Int { Int(number) }

    fileprivate init(_ index: Int) { number = Int32(index) }

    // Without these two, a range of indexes would compare distances.

    static func == (left: RowIndex, right: RowIndex) -> Bool { left.number == right.number }

    static func < (left: RowIndex, right: RowIndex) -> Bool { left.number < right.number }

    func distance(to other: RowIndex) -> Int { other.index - index }

    func advanced(by distance: Int) -> RowIndex { RowIndex(index + distance) }
}

/// Rows of one kind, which refer to each other by place: a million of them cost little more than their bytes.
///
/// Rows are added and changed; none is ever moved or removed.
struct Table<Row: Sendable>: Sendable {
    private var rows: ContiguousArray<Row>

    /// Creates an empty table.
    init() { rows = [] }

    /// Creates a table of some rows, in their order.
    init(_ rows: some Sequence<Row>) { self.rows = ContiguousArray(rows) }

    /// Adds a row.
    @discardableResult
    mutating func append(_ row: Row) -> RowIndex<Row> {
        rows.append(row)
        return RowIndex(rows.count - 1)
    }

    /// Returns the place for an external number; `nil` if the table has no such row.
    func place(at index: Int) -> RowIndex<Row>? { rows.indices.contains(index) ? RowIndex(index) : nil }

    /// Returns the places after the first `count` rows; empty if no rows follow.
    func indices(after count: Int) -> Range<RowIndex<Row>> {
        RowIndex(Swift.max(0, Swift.min(count, rows.count)))..<endIndex
    }
}

extension Table: RandomAccessCollection {
    typealias Index = RowIndex<Row>
    // Not the default indices, which would retain the rows and so copy all on a change within a loop.
    typealias Indices = Range<RowIndex<Row>>

    var startIndex: RowIndex<Row> { RowIndex(0) }
    /// The place that the next row will have.
    var endIndex: RowIndex<Row> { RowIndex(rows.count) }

    subscript(place: RowIndex<Row>) -> Row {
        _read { yield rows[place.index] }
        _modify { yield &rows[place.index] }
    }

    func makeIterator() -> ContiguousArray<Row>.Iterator { rows.makeIterator() }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Row>) throws -> Result
    ) rethrows -> Result? {
        try rows.withContiguousStorageIfAvailable(body)
    }
}
