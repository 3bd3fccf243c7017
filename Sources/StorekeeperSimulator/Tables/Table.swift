/// The index of a row in its table: four bytes, typed by the kind of row so that tables cannot be confused.
///
/// Only a ``Table`` makes places, each only once.
struct Place<Row>: Hashable, Strideable, Sendable {
    private let number: Int32

    /// The number of rows before it.
    var index: Int { Int(number) }

    fileprivate init(_ index: Int) { number = Int32(index) }

    // Without these two a range of places would compare distances.

    static func == (left: Place, right: Place) -> Bool { left.number == right.number }

    static func < (left: Place, right: Place) -> Bool { left.number < right.number }

    func distance(to other: Place) -> Int { other.index - index }

    func advanced(by distance: Int) -> Place { Place(index + distance) }
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
    mutating func append(_ row: Row) -> Place<Row> {
        rows.append(row)
        return Place(rows.count - 1)
    }

    /// Returns the place for an external number; `nil` if the table has no such row.
    func place(at index: Int) -> Place<Row>? { rows.indices.contains(index) ? Place(index) : nil }

    /// Returns the places after the first `count` rows; empty if no rows follow.
    func indices(after count: Int) -> Range<Place<Row>> { Place(Swift.max(0, Swift.min(count, rows.count)))..<endIndex }
}

extension Table: RandomAccessCollection {
    typealias Index = Place<Row>
    // Not the default indices, which would retain the rows and so copy all on a change within a loop.
    typealias Indices = Range<Place<Row>>

    var startIndex: Place<Row> { Place(0) }
    /// The place that the next row will have.
    var endIndex: Place<Row> { Place(rows.count) }

    subscript(place: Place<Row>) -> Row {
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
