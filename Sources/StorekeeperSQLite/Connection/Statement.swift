import CLibsqlite3
import Storekeeper
import StorekeeperDurable
import Synchronization

/// An SQL statement, prepared once for each connection.
final class Statement: Sendable {
    let sql: String
    /// The number of the statement in this process, from 0.
    ///
    /// The number is the statement's index in each connection's array of prepared statements.
    let number: Int

    private static let count = Atomic<Int>(0)

    init(_ sql: String) {
        self.sql = sql
        number = Self.count.add(1, ordering: .relaxed).oldValue
    }
}

/// Binds the parameters of a statement, from the first to the last.
struct ArgumentBinder {
    let raw: OpaquePointer
    private let memory: ArgumentMemory
    private var index: CInt = 0
    /// The first result code of a binding other than `SQLITE_OK`; `SQLITE_OK` if all bindings succeeded.
    private(set) var code: CInt = SQLITE_OK

    init(raw: OpaquePointer, memory: ArgumentMemory) {
        self.raw = raw
        self.memory = memory
    }

    /// Whether all parameters are bound.
    var isComplete: Bool { index == sqlite3_bind_parameter_count(raw) }

    private mutating func next() -> CInt {
        index += 1
        return index
    }

    private mutating func record(_ result: CInt) {
        if code == SQLITE_OK { code = result }
    }

    mutating func int(_ value: Int64) { record(sqlite3_bind_int64(raw, next(), value)) }
    mutating func int(_ value: Int64?) {
        if let value { int(value) } else { null() }
    }
    mutating func int(_ value: Int) { int(Int64(value)) }
    mutating func null() { record(sqlite3_bind_null(raw, next())) }
    mutating func instant(_ value: Instant) { int(value.millisecondsSince1970) }
    mutating func instant(_ value: Instant?) { int(value?.millisecondsSince1970) }

    mutating func text(_ value: String?) {
        guard let value else { return null() }
        // Almost every text has contiguous storage, so that it can be bound without a copy in an array.
        let isBound: Void? = value.utf8.withContiguousStorageIfAvailable { text($0) }
        if isBound == nil { Array(value.utf8).withUnsafeBufferPointer { text($0) } }
    }

    /// Binds a text with its length, so that a zero byte does not end the text.
    private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        let index = next()
        let kept = memory.retain(UnsafeRawBufferPointer(bytes))
        guard let start = kept ?? UnsafeRawPointer(bytes.baseAddress) else {
            return record(sqlite3_bind_text(raw, index, "", 0, copied))
        }
        record(
            sqlite3_bind_text64(
                raw, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
                kept == nil ? copied : nil, UInt8(SQLITE_UTF8)))
    }

    /// Binds the cells of a row without copying them; they must stay valid until the statement is reset.
    ///
    /// - Parameter owner: The row number of the customer to whom the row belongs.
    mutating func cells(_ row: RowBuffer, owner: Int64) {
        for column in 0..<row.count {
            let cell = row.cells[column]
            switch cell.tag {
            case .null: null()
            case .int: int(cell.number)
            case .owner: int(owner)
            case .text:
                guard let start = cell.start else {
                    record(sqlite3_bind_text(raw, next(), "", 0, copied))
                    continue
                }
                record(
                    sqlite3_bind_text64(
                        raw, next(), start.assumingMemoryBound(to: CChar.self), UInt64(cell.count), nil,
                        UInt8(SQLITE_UTF8)))
            }
        }
    }

    mutating func bytes(_ value: [UInt8]?) {
        guard let value else { return null() }
        let index = next()
        let (raw, memory) = (raw, memory)
        record(
            value.withUnsafeBytes { bytes in
                let kept = memory.retain(bytes)
                guard !bytes.isEmpty, let start = kept ?? bytes.baseAddress else {
                    return sqlite3_bind_zeroblob(raw, index, 0)
                }
                return sqlite3_bind_blob64(raw, index, start, UInt64(bytes.count), kept == nil ? copied : nil)
            })
    }
}

// `SQLITE_TRANSIENT`, which tells SQLite to copy the value. The C header defines this constant by a cast that Swift
// cannot import. Sharing the constant is safe, because SQLite only compares it and never calls it.
private nonisolated(unsafe) let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Memory for the arguments of running statements, so that SQLite need not copy each argument.
///
/// Each connection has a memory of its own, which is used only on the connection's queue.
final class ArgumentMemory {
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    /// The number of bytes in use; the arguments of a nested statement follow the arguments of the outer statement.
    var used = 0

    deinit { bytes.deallocate() }

    /// Copies a value to memory that stays valid until ``used`` is reset; returns `nil` if the memory is full.
    func retain(_ value: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard value.count <= bytes.count - used, let base = bytes.baseAddress else { return nil }
        let start = base + used
        if let source = value.baseAddress { start.copyMemory(from: source, byteCount: value.count) }
        used += value.count
        return UnsafeRawPointer(start)
    }
}

/// Reads the columns of a row, from the first to the last.
struct RowReader {
    let raw: OpaquePointer
    private var column: CInt = 0

    init(raw: OpaquePointer) { self.raw = raw }

    private mutating func next() -> CInt {
        defer { column += 1 }
        return column
    }

    mutating func int() -> Int64 { sqlite3_column_int64(raw, next()) }
    mutating func bool() -> Bool { int() != 0 }
    mutating func instant() -> Instant { Instant(clamped: int()) }
    mutating func text() -> String { text(at: next()) }
    mutating func bytes() -> [UInt8] { bytes(at: next()) }

    mutating func optionalInt() -> Int64? {
        let column = next()
        return isNull(column) ? nil : sqlite3_column_int64(raw, column)
    }
    mutating func optionalInstant() -> Instant? { optionalInt().map(Instant.init(clamped:)) }
    mutating func optionalText() -> String? {
        let column = next()
        return isNull(column) ? nil : text(at: column)
    }
    mutating func optionalBytes() -> [UInt8]? {
        let column = next()
        return isNull(column) ? nil : bytes(at: column)
    }
    /// Lends the first columns of the row to a buffer, until the statement moves to another row.
    func lend(to buffer: RowBuffer, count: Int) {
        buffer.removeAll()
        for column in 0..<CInt(clamping: count) {
            switch sqlite3_column_type(raw, column) {
            case SQLITE_INTEGER: buffer.int(sqlite3_column_int64(raw, column))
            case SQLITE_TEXT:
                let start = UnsafeRawPointer(sqlite3_column_text(raw, column))
                buffer.lend(
                    .text, UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))))
            default: buffer.null()
            }
        }
    }

    /// The value of the first column, regardless of the columns that were already read.
    var firstInt: Int64 { sqlite3_column_int64(raw, 0) }

    /// Returns a reader of the same row that skips the first columns.
    func skipping(_ columns: CInt) -> RowReader {
        var row = self
        row.column = columns
        return row
    }

    /// Whether the next column contains text; the column is not consumed.
    var nextIsText: Bool { sqlite3_column_type(raw, column) == SQLITE_TEXT }

    private func isNull(_ column: CInt) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    private func text(at column: CInt) -> String {
        guard let start = sqlite3_column_text(raw, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))), as: UTF8.self)
    }

    private func bytes(at column: CInt) -> [UInt8] {
        guard let start = sqlite3_column_blob(raw, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))))
    }
}
