import Storekeeper

/// The value of a statement's parameter, in the binary form of its type.
///
/// An array passes the values of many rows to one statement (`unnest`), so that the text of a statement does not depend
/// on the number of rows.
struct Argument: Sendable {
    let type: PostgresType
    /// The bytes of the value; `nil` means `NULL`.
    let bytes: [UInt8]?

    static func int(_ value: Int64?) -> Argument { Argument(type: .int8, bytes: value.map(bigEndian)) }
    static func instant(_ value: Instant?) -> Argument { .int(value?.millisecondsSince1970) }
    static func bool(_ value: Bool?) -> Argument { Argument(type: .bool, bytes: value.map { [$0 ? 1 : 0] }) }
    static func bytes(_ value: [UInt8]?) -> Argument { Argument(type: .bytes, bytes: value) }
    /// Creates a text argument.
    ///
    /// PostgreSQL refuses a text that contains a zero byte.
    static func text(_ value: String?) -> Argument { Argument(type: .text, bytes: value.map { Array($0.utf8) }) }

    static func ints(_ values: [Int64?]) -> Argument { array(values, of: .int8, bigEndian) }
    static func bools(_ values: [Bool?]) -> Argument { array(values, of: .bool) { [$0 ? 1 : 0] } }
    static func bytes(_ values: [[UInt8]?]) -> Argument { array(values, of: .bytes) { $0 } }
    static func texts(_ values: [String?]) -> Argument { array(values, of: .text) { Array($0.utf8) } }

    private static func array<Value>(
        _ values: [Value?], of element: PostgresType, _ encode: (Value) -> [UInt8]
    ) -> Argument {
        var array = ArgumentArray(of: element)
        for value in values { array.append(value.map(encode)) }
        return array.argument
    }
}

/// An array of one dimension, whose elements are numbered from 1.
struct ArgumentArray {
    private let element: PostgresType
    private var bytes: [UInt8] = []
    private var count: Int32 = 0
    private var hasNull = false

    init(of element: PostgresType) { self.element = element }

    /// Adds a value in the binary form of its type; `nil` means `NULL`.
    mutating func append(_ value: [UInt8]?) {
        guard let value else { return appendNull() }
        value.withUnsafeBytes { append($0) }
    }

    mutating func append(_ value: Int64) { withUnsafeBytes(of: value.bigEndian) { append($0) } }

    /// Adds the value of a column; the owner is stored as the key of the customer's row.
    mutating func append(_ cell: RowBuffer.Cell) {
        switch cell.tag {
        case .null: appendNull()
        case .int: append(cell.number)
        case .text: append(UnsafeRawBufferPointer(start: cell.start, count: cell.count))
        case .owner: append(RowID.of(UnsafeRawBufferPointer(start: cell.start, count: cell.count)))
        }
    }

    private mutating func append(_ value: UnsafeRawBufferPointer) {
        count += 1
        bytes.append(int32: Int32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func appendNull() {
        (count, hasNull) = (count + 1, true)
        bytes.append(int32: -1)
    }

    /// The array; an empty array has the dimension 0, as PostgreSQL requires.
    var argument: Argument {
        var array: [UInt8] = []
        array.reserveCapacity(20 + bytes.count)
        array.append(int32: count == 0 ? 0 : 1)
        array.append(int32: hasNull ? 1 : 0)
        array.append(int32: Int32(truncatingIfNeeded: element.oid))
        if count > 0 {
            array.append(int32: count)
            array.append(int32: 1)
        }
        return Argument(type: element.array, bytes: array + bytes)
    }
}

private func bigEndian(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

extension [UInt8] {
    fileprivate mutating func append(int32 value: Int32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
