import Storekeeper

/// A value of a payload that a builder writes.
public enum PayloadValue: Hashable, Sendable {
    /// Text, whose characters are escaped as JSON requires.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number as literal text, such as `4.99`, for values that the App Store does not write.
    case number(String)
    /// `true` or `false`.
    case boolean(Bool)
    /// An array of values.
    case array([PayloadValue])
    /// An object of members by name.
    case object([String: PayloadValue])

    /// The value as JSON in UTF-8.
    ///
    /// Members are sorted by name. The text has no blanks, and slashes are not escaped.
    public var json: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text): Self.write(text, to: &bytes)
        case .integer(let number): bytes += String(number).utf8
        case .number(let text): bytes += text.utf8
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (position, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Collects the members of a payload.
///
/// A `nil` value adds no member.
struct PayloadWriter {
    private(set) var members: [String: PayloadValue]

    init(_ members: [String: PayloadValue]) { self.members = members }

    mutating func set(_ name: String, _ value: String?) { if let value { members[name] = .string(value) } }
    mutating func set(_ name: String, _ value: Int64?) { if let value { members[name] = .integer(value) } }
    mutating func set(_ name: String, _ value: Bool?) { if let value { members[name] = .boolean(value) } }
    mutating func set(_ name: String, _ value: Instant?) { set(name, value?.millisecondsSince1970) }

    var json: [UInt8] { PayloadValue.object(members).json }
}
