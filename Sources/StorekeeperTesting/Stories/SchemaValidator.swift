package import Storekeeper

/// A validator for the part of JSON Schema that the schemas of this package use.
///
/// An unknown keyword is reported as a fault of the schema.
package struct SchemaValidator: Sendable {
    /// A JSON value, or a YAML value as an editor reads it.
    package indirect enum Value: Equatable, Sendable {
        case null, flag(Bool), whole(Int64), number(Double), text(String), list([Value]), object([String: Value])

        /// Converts a value that was read.
        package init(_ value: JSONValue) {
            switch value.kind {
            case .null: self = .null
            case .boolean: self = .flag(value.bool ?? false)
            case .number:
                self = value.int64.map { .whole($0) } ?? .number(value.numberText.flatMap(Double.init) ?? .nan)
            case .string: self = .text(value.string ?? "")
            case .array: self = .list((value.array.map { $0.map { Value($0) } }) ?? [])
            case .object:
                var members: [String: Value] = [:]
                for member in value.object.map({ Array($0) }) ?? [] { members[member.name] = Value(member.value) }
                self = .object(members)
            }
        }

        /// The member of an object; `nil` if the value has no such member.
        package subscript(name: String) -> Value? {
            if case .object(let members) = self { members[name] } else { nil }
        }

        /// The string; `nil` for any other value.
        package var text: String? { if case .text(let text) = self { text } else { nil } }
        /// The elements of an array; `nil` for any other value.
        package var list: [Value]? { if case .list(let list) = self { list } else { nil } }
        /// The members of an object; `nil` for any other value.
        package var object: [String: Value]? { if case .object(let object) = self { object } else { nil } }
        var number: Double? {
            switch self {
            case .whole(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        }

        var type: String {
            switch self {
            case .null: "null"
            case .flag: "boolean"
            case .whole: "integer"
            case .number: "number"
            case .text: "string"
            case .list: "array"
            case .object: "object"
            }
        }
    }

    /// The schema.
    package let schema: Value

    /// Creates a validator for a schema.
    package init(schema: Value) { self.schema = schema }

    private static let known: Set<String> = [
        "$schema", "title", "description", "$defs", "$ref", "type", "enum", "const", "pattern", "minimum", "maximum",
        "required", "properties", "additionalProperties", "minProperties", "items", "maxItems", "anyOf", "oneOf", "not",
    ]

    /// Returns whether the schema allows a value.
    package func allows(_ value: Value) -> Bool { allows(value, by: schema) }

    private func allows(_ value: Value, by schema: Value) -> Bool {
        guard let words = schema.object, Set(words.keys).isSubset(of: Self.known) else { return false }
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            guard let other = self.schema["$defs"]?[String(name)], allows(value, by: other) else { return false }
        }
        if let type = schema["type"] {
            let types = type.list ?? [type]
            guard types.contains(.text(value.type)) || value.type == "integer" && types.contains(.text("number")) else {
                return false
            }
        }
        if let list = schema["enum"]?.list, !list.contains(value) { return false }
        if let only = schema["const"], only != value { return false }
        if let pattern = schema["pattern"]?.text, let text = value.text {
            guard let expression = try? Regex(pattern), text.firstMatch(of: expression) != nil else { return false }
        }
        if let number = value.number {
            if number < schema["minimum"]?.number ?? -.infinity { return false }
            if number > schema["maximum"]?.number ?? .infinity { return false }
        }
        return allowsMembers(value, schema) && allowsChoice(value, schema)
    }

    private func allowsMembers(_ value: Value, _ schema: Value) -> Bool {
        if let list = value.list {
            if Double(list.count) > schema["maxItems"]?.number ?? .infinity { return false }
            guard let items = schema["items"] else { return true }
            return list.allSatisfy { allows($0, by: items) }
        }
        guard let object = value.object else { return true }
        let properties = schema["properties"]?.object ?? [:]
        let required = (schema["required"]?.list ?? []).compactMap(\.text)
        if !required.allSatisfy({ object[$0] != nil }) { return false }
        if Double(object.count) < schema["minProperties"]?.number ?? 0 { return false }
        let others = schema["additionalProperties"]
        return object.allSatisfy { key, member in
            if let property = properties[key] { return allows(member, by: property) }
            guard let others, others.object != nil else { return others != .flag(false) }
            return allows(member, by: others)
        }
    }

    private func allowsChoice(_ value: Value, _ schema: Value) -> Bool {
        if let choices = schema["anyOf"]?.list, !choices.contains(where: { allows(value, by: $0) }) { return false }
        if let choices = schema["oneOf"]?.list, choices.count(where: { allows(value, by: $0) }) != 1 { return false }
        return schema["not"].map { !allows(value, by: $0) } ?? true
    }
}
