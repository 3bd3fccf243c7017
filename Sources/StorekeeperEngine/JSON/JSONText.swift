package import FoundationEssentials

/// A value to be written as JSON.
///
/// The output is deterministic. Members are sorted by the UTF-8 bytes of their names, and numbers have their exact
/// digits. A member that is `null` is omitted, so that an absent value is an absent key.
///
/// - SeeAlso: RFC 8259, "The JavaScript Object Notation (JSON) Data Interchange Format".
package enum JSONText: Sendable {
    /// The value `null`, which is omitted in an object and written in an array.
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as text, which must follow the grammar of JSON.
    case number(String)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])
    /// An object with ids as names; two names may look alike and differ only in their bytes.
    case members([MemberName: JSONText])
    /// A parsed value; its strings and numbers are written as they were read.
    case value(JSONValue)

    /// The name of a member, compared by its bytes.
    package typealias MemberName = ByteIdentifier<JSONText>

    /// The layout of the text.
    package enum Layout: Sendable {
        /// The whole text is on one line, without white space.
        case compact
        /// Each line has one member or element, indented by two spaces for each level of nesting.
        case pretty
    }

    /// Returns a string, or `null` if it is absent.
    package static func text(_ string: String?) -> JSONText { string.map(JSONText.string) ?? .null }

    /// Returns the text of an id, or `null` if it is absent.
    package static func text<Subject>(_ id: ByteIdentifier<Subject>?) -> JSONText { text(id?.rawValue) }

    /// Returns a whole number, or `null` if it is absent.
    package static func whole(_ number: (some BinaryInteger)?) -> JSONText {
        number.map { .number(String($0)) } ?? .null
    }

    /// Returns an instant as ISO 8601 text in UTC with milliseconds, or `null` if it is absent.
    package static func time(_ instant: Instant?) -> JSONText { text(instant?.description) }

    /// Returns an amount of money as a decimal string without trailing zeros, or `null` if it is absent.
    package static func money(_ amount: Decimal?) -> JSONText { text(amount?.description) }

    /// Returns the JSON text, without a line feed at its end.
    package func text(_ layout: Layout = .compact) -> String {
        String(decoding: bytes(layout), as: UTF8.self)
    }

    /// Returns the JSON text in UTF-8, without a line feed at its end.
    package func bytes(_ layout: Layout = .compact) -> [UInt8] {
        var bytes: [UInt8] = []
        write(layout, to: &bytes)
        return bytes
    }

    /// Appends the JSON text in UTF-8 to an array of bytes.
    package func write(_ layout: Layout = .compact, to bytes: inout [UInt8]) {
        var writer = JSONWriter(isPretty: layout == .pretty, bytes: bytes)
        // The caller's reference is released, so that the writer is the only owner of the bytes and does not copy them.
        bytes = []
        writer.write(self)
        bytes = writer.bytes
    }

    var isNull: Bool {
        switch self {
        case .null: true
        case .value(let value): value.isNull
        default: false
        }
    }
}

private struct JSONWriter {
    let isPretty: Bool
    var bytes: [UInt8]
    private var level = 0

    init(isPretty: Bool, bytes: [UInt8]) {
        self.isPretty = isPretty
        self.bytes = bytes
    }

    mutating func write(_ text: JSONText) {
        switch text {
        case .null: append("null")
        case .bool(let bool): append(bool ? "true" : "false")
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): bytes.append(contentsOf: number.utf8)
        case .string(let string): write(string: string)
        case .array(let elements): writeArray(elements) { $0.write($1) }
        case .object(let members):
            write(members) { JSONText.MemberName($0) }
        case .members(let members): write(members) { $0 }
        case .value(let value): write(value)
        }
    }

    private mutating func write<Name>(_ members: [Name: JSONText], _ name: (Name) -> JSONText.MemberName) {
        var kept: [(name: JSONText.MemberName, value: JSONText)] = []
        kept.reserveCapacity(members.count)
        for member in members where !member.value.isNull { kept.append((name(member.key), member.value)) }
        kept.sort { $0.name < $1.name }
        writeList(kept, open: "{", close: "}") { writer, member in
            writer.write(string: member.name.rawValue)
            writer.colon()
            writer.write(member.value)
        }
    }

    private mutating func write(_ value: JSONValue) {
        if let object = value.object {
            write(object)
        } else if let array = value.array {
            writeArray(array) { $0.write($1) }
        } else {
            // The source of a parsed string or number is already JSON.
            if value.kind == .string { append("\"") }
            bytes.append(contentsOf: value.source)
            if value.kind == .string { append("\"") }
        }
    }

    private mutating func write(_ object: JSONObject) {
        var members: [(name: ArraySlice<UInt8>, member: JSONObject.Member)] = []
        members.reserveCapacity(32)
        for member in object where !member.value.isNull {
            let isPlain = member.nameToken.token.kind == .string
            members.append((isPlain ? member.nameSource : ArraySlice(member.name.utf8), member))
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        writeList(members, open: "{", close: "}") { writer, entry in
            writer.append("\"")
            writer.bytes.append(contentsOf: entry.member.nameSource)
            writer.append("\"")
            writer.colon()
            writer.write(entry.member.value)
        }
    }

    private mutating func writeArray<Element>(
        _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        writeList(elements, open: "[", close: "]", write)
    }

    private mutating func writeList<Element>(
        _ elements: some Sequence<Element>, open: StaticString, close: StaticString,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        level += 1
        var isEmpty = true
        for element in elements {
            if !isEmpty { append(",") }
            isEmpty = false
            newLine()
            write(&self, element)
        }
        level -= 1
        if !isEmpty { newLine() }
        append(close)
    }

    private mutating func write(string: String) {
        append("\"")
        defer { append("\"") }
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard !isPlain else {
            bytes.append(contentsOf: string.utf8)
            return
        }
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u001")
                bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
    }

    private mutating func colon() { append(isPretty ? ": " : ":") }

    private mutating func newLine() {
        guard isPretty else { return }
        append("\n")
        for _ in 0..<level { append("  ") }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
