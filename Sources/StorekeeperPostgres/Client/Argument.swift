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

    static func ints(_ values: [Int64?]) -> Argument { array(values, of: .int8, as: .int8s, bigEndian) }
    static func bools(_ values: [Bool?]) -> Argument { array(values, of: .bool, as: .bools) { [$0 ? 1 : 0] } }
    static func bytes(_ values: [[UInt8]?]) -> Argument { array(values, of: .bytes, as: .bytesArray) { $0 } }
    static func texts(_ values: [String?]) -> Argument { array(values, of: .text, as: .texts) { Array($0.utf8) } }

    /// Creates an array of one dimension, whose elements are numbered from 1.
    ///
    /// An empty array has the dimension 0, as PostgreSQL requires.
    private static func array<Value>(
        _ values: [Value?], of element: PostgresType, as type: PostgresType, _ encode: (Value) -> [UInt8]
    ) -> Argument {
        var bytes: [UInt8] = []
        bytes.append(int32: values.isEmpty ? 0 : 1)
        bytes.append(int32: values.contains { $0 == nil } ? 1 : 0)
        bytes.append(int32: Int32(truncatingIfNeeded: element.oid))
        guard !values.isEmpty else { return Argument(type: type, bytes: bytes) }
        bytes.append(int32: Int32(clamping: values.count))
        bytes.append(int32: 1)
        for value in values {
            guard let encoded = value.map(encode) else {
                bytes.append(int32: -1)
                continue
            }
            bytes.append(int32: Int32(clamping: encoded.count))
            bytes += encoded
        }
        return Argument(type: type, bytes: bytes)
    }
}

private func bigEndian(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

extension [UInt8] {
    fileprivate mutating func append(int32 value: Int32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
