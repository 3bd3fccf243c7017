/// The index of a row in its table.
///
/// An index has four bytes. The type of the row prevents the use of an index with a table of other rows.
///
/// Only a ``Table`` creates indexes.
struct RowIndex<Row>: Hashable, Strideable, Sendable {
    private let number: Int32

    /// The number of rows before the row.
    var index: Int { Int(number) }

    fileprivate init(_ index: Int) { number = Int32(index) }

    // These two operators replace the default operators of `Strideable`, which compare distances.

    static func == (left: RowIndex, right: RowIndex) -> Bool { left.number == right.number }

    static func < (left: RowIndex, right: RowIndex) -> Bool { left.number < right.number }

    func distance(to other: RowIndex) -> Int { other.index - index }

    func advanced(by distance: Int) -> RowIndex { RowIndex(index + distance) }
}

/// Rows of one kind, which refer to rows of other tables by index.
///
/// A million rows need little more memory than their bytes.
///
/// Rows are added and changed; no row is ever moved or removed. The rows are stored in chunks. Copies of a table share
/// a chunk until a copy changes a row of the chunk. Therefore neither a prediction in a copy of a large world nor the
/// growth of a table copies all rows.
struct Table<Row: Sendable>: Sendable {
    /// The rows; all chunks but the last are full.
    private var chunks: ContiguousArray<ContiguousArray<Row>> = []
    private(set) var count = 0

    /// The number of rows in a chunk: two to the power of `chunkBits`.
    static var chunkSize: Int { 1 << chunkBits }
    private static var chunkBits: Int { 12 }

    /// Creates an empty table.
    init() {}

    /// Creates a table of some rows, in their order.
    init(_ rows: some Sequence<Row>) {
        for row in rows { append(row) }
    }

    /// Adds a row.
    @discardableResult
    mutating func append(_ row: Row) -> RowIndex<Row> {
        if count.isMultiple(of: Self.chunkSize) {
            chunks.append([])
            // A table that has filled one chunk will probably fill others, so reserve the memory of a whole chunk.
            if count > 0 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSize) }
        }
        chunks[chunks.count - 1].append(row)
        count += 1
        return RowIndex(count - 1)
    }

    /// Returns the index of the row with a number, from 0; `nil` if the table has no such row.
    func place(at index: Int) -> RowIndex<Row>? { (0..<count).contains(index) ? RowIndex(index) : nil }

    /// Returns the indexes of all rows after the first `count` rows; empty if no rows follow.
    func indices(after count: Int) -> Range<RowIndex<Row>> {
        RowIndex(Swift.max(0, Swift.min(count, self.count)))..<endIndex
    }

    /// The memory addresses of the chunks.
    ///
    /// Tests compare these addresses to see which chunks two tables share.
    var addresses: [UnsafeRawPointer?] {
        chunks.map { $0.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) } }
    }
}

extension Table: RandomAccessCollection {
    typealias Index = RowIndex<Row>
    // The default indices are not used, because they would retain the rows. A change of a row within a loop over the
    // indices would then copy chunks.
    typealias Indices = Range<RowIndex<Row>>

    var startIndex: RowIndex<Row> { RowIndex(0) }
    /// The index that the next row will have.
    var endIndex: RowIndex<Row> { RowIndex(count) }

    subscript(place: RowIndex<Row>) -> Row {
        _read { yield chunks[place.index >> Self.chunkBits][place.index & (Self.chunkSize - 1)] }
        _modify { yield &chunks[place.index >> Self.chunkBits][place.index & (Self.chunkSize - 1)] }
    }
}
