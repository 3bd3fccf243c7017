/// One row as cells, which a kind of rows writes and a storage reads, or the reverse.
///
/// A kind writes and reads its own columns by plain calls, and a storage does the same with cells. Therefore only one
/// call for a row goes through a protocol, not one for each column, and nothing is allocated.
///
/// A buffer belongs to one connection or one thread. The texts of a row that a storage has lent are valid until the
/// storage moves to another row.
package final class RowBuffer {
    /// A value of a column.
    package struct Cell {
        package enum Tag: UInt8 {
            case null
            case int
            case text
            /// The text of a customer's id; see ``RowBuffer/owner``.
            case owner
        }

        package var tag: Tag
        /// The number of bytes.
        package var count: Int
        /// The number of an `int`.
        package var number: Int64
        /// The bytes of a text; `nil` if the count is 0.
        package var start: UnsafeRawPointer?

        /// The bytes as a text.
        package var text: String {
            String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }

    /// The maximum number of columns of a row.
    package static let width = 32

    // The state lies behind pointers, because accesses to properties of a class from another module would be checked
    // for exclusivity.
    package let cells: UnsafeMutablePointer<Cell>
    private let state: UnsafeMutablePointer<State>
    private let bytes: UnsafeMutableRawPointer
    private let capacity: Int

    private struct State {
        var count = 0
        var used = 0
        var owner: CustomerID?
        /// Copies of values for which ``bytes`` has no room.
        var others: [UnsafeMutableRawPointer] = []
    }

    /// Creates a buffer.
    ///
    /// - Parameter capacity: The number of bytes of the texts of most rows; longer texts have memory of their own.
    package init(capacity: Int = 1 << 16) {
        self.capacity = capacity
        cells = .allocate(capacity: Self.width)
        cells.initialize(repeating: Cell(tag: .null, count: 0, number: 0, start: nil), count: Self.width)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        bytes = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        for other in state.pointee.others { other.deallocate() }
        state.deinitialize(count: 1)
        state.deallocate()
        cells.deallocate()
        bytes.deallocate()
    }

    /// The number of cells.
    package var count: Int { state.pointee.count }
    /// The customer whom a cell names.
    package var owner: CustomerID? {
        if let known = state.pointee.owner { return known }
        for column in 0..<count where cells[column].tag == .owner {
            state.pointee.owner = CustomerID(rawValue: cells[column].text)
        }
        return state.pointee.owner
    }

    /// Removes all cells.
    package func removeAll() {
        state.pointee.count = 0
        state.pointee.used = 0
        state.pointee.owner = nil
        guard !state.pointee.others.isEmpty else { return }
        for other in state.pointee.others { other.deallocate() }
        state.pointee.others = []
    }

    private func append(_ cell: Cell) {
        let count = state.pointee.count
        precondition(count < Self.width, "a row has too many columns")
        cells[count] = cell
        state.pointee.count = count + 1
    }

    /// Appends bytes that stay valid as long as the buffer's cells, without copying them.
    package func lend(_ tag: Cell.Tag, _ bytes: UnsafeRawBufferPointer) {
        append(Cell(tag: tag, count: bytes.count, number: 0, start: bytes.baseAddress))
    }

    private func copy(_ tag: Cell.Tag, _ source: UnsafeRawBufferPointer) {
        append(Cell(tag: tag, count: source.count, number: 0, start: keep(source)))
    }

    /// Copies bytes, which stay valid as long as the buffer's cells; returns `nil` if there are none.
    func keep(_ source: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard let from = source.baseAddress, source.count > 0 else { return nil }
        let used = state.pointee.used
        let start: UnsafeMutableRawPointer
        if source.count <= capacity - used {
            start = bytes + used
            state.pointee.used = used + source.count
        } else {
            start = .allocate(byteCount: source.count, alignment: 1)
            state.pointee.others.append(start)
        }
        start.copyMemory(from: from, byteCount: source.count)
        return UnsafeRawPointer(start)
    }

    private func copy(_ tag: Cell.Tag, _ value: String) {
        // Almost every text has contiguous storage, so that it can be copied without an array between.
        let isCopied: Void? = value.utf8.withContiguousStorageIfAvailable { copy(tag, UnsafeRawBufferPointer($0)) }
        if isCopied == nil { Array(value.utf8).withUnsafeBytes { copy(tag, $0) } }
    }

    // MARK: Columns, in the order of the table

    package func place(_ place: FeedPlace) { int(place.number) }

    package func owner(_ customer: CustomerID) {
        state.pointee.owner = customer
        copy(.owner, customer.rawValue)
    }

    package func int(_ value: Int64) { append(Cell(tag: .int, count: 0, number: value, start: nil)) }
    package func instant(_ value: Instant) { int(value.millisecondsSince1970) }

    package func int(_ value: Int64?) {
        if let value { int(value) } else { null() }
    }

    package func instant(_ value: Instant?) { int(value?.millisecondsSince1970) }
    package func text(_ value: String) { copy(.text, value) }

    package func text(_ value: String?) {
        if let value { text(value) } else { null() }
    }

    package func null() { append(Cell(tag: .null, count: 0, number: 0, start: nil)) }

    /// Appends columns without values.
    package func nulls(_ count: Int) {
        for _ in 0..<count { null() }
    }
}

/// A buffer is used by one connection or thread at a time.
@available(*, unavailable)
extension RowBuffer: Sendable {}

/// Reads the columns of a row, in the order of the table.
///
/// A cell with another type, which only a damaged or changed table has, is read as 0 or as an empty text.
package struct RowReader {
    private let buffer: RowBuffer
    private var column = 0

    /// Creates a reader of the cells of a buffer.
    package init(_ buffer: RowBuffer) { self.buffer = buffer }

    private mutating func next() -> RowBuffer.Cell {
        guard column < buffer.count else { return RowBuffer.Cell(tag: .null, count: 0, number: 0, start: nil) }
        defer { column += 1 }
        return buffer.cells[column]
    }

    package mutating func place() -> FeedPlace { FeedPlace(int()) }
    package mutating func owner() -> CustomerID { CustomerID(rawValue: text()) }
    package mutating func int() -> Int64 { next().number }
    package mutating func instant() -> Instant { Instant(clamped: int()) }
    package mutating func text() -> String { next().text }

    package mutating func optionalInt() -> Int64? {
        let cell = next()
        return cell.tag == .null ? nil : cell.number
    }

    package mutating func optionalInstant() -> Instant? { optionalInt().map { Instant(clamped: $0) } }

    package mutating func optionalText() -> String? {
        let cell = next()
        return cell.tag == .null ? nil : cell.text
    }
}
