/// A value with a JSON form that is part of the command line's contract.
///
/// Only ``json`` defines the JSON form of a value. The command line prints this form, and `encode(to:)` produces the
/// same JSON with any encoder.
package protocol JSONDescribed: Encodable {
    /// The value as JSON.
    var json: JSONText { get }
}

extension JSONDescribed {
    /// Encodes the JSON that the command line prints.
    ///
    /// An absent value is an absent key, and an instant is ISO 8601 text in UTC with milliseconds.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension JSONText: Encodable {
    /// Encodes the value; whole numbers become integers, and other numbers become binary floating-point numbers.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members): try Self.encode(members.map { ($0.key, $0.value) }, to: encoder)
        case .members(let members): try Self.encode(members.map { ($0.key.rawValue, $0.value) }, to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .value(let value): try JSONText(value).encode(to: encoder)
        case .null, .bool, .integer, .number, .string: try encodeScalar(to: encoder)
        }
    }

    private func encodeScalar(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let bool): try container.encode(bool)
        case .integer(let number): try container.encode(number)
        case .number(let text):
            if let whole = Int64(text) {
                try container.encode(whole)
            } else if let number = Double(text) {
                try container.encode(number)
            } else {
                try container.encode(text)
            }
        case .string(let string): try container.encode(string)
        case .null, .array, .object, .members, .value: try container.encodeNil()
        }
    }

    private static func encode(_ members: [(name: String, value: JSONText)], to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in members where !value.isNull { try container.encode(value, forKey: Name(name)) }
    }

    /// Creates a writable value from a parsed value.
    private init(_ value: JSONValue) {
        switch value.kind {
        case .object:
            self = .members(
                Dictionary(value.object?.map { (MemberName($0.name), .value($0.value)) } ?? []) { first, _ in first })
        case .array: self = .array(value.array?.map(JSONText.value) ?? [])
        case .string: self = .text(value.string)
        case .number: self = value.numberText.map(JSONText.number) ?? .null
        case .boolean: self = value.bool.map(JSONText.bool) ?? .null
        case .null: self = .null
        }
    }

    /// The name of a JSON member as a coding key.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
