/// A description of JSON values, in the words of JSON Schema, with the named schemas to which it refers.
///
/// - SeeAlso: JSON Schema, draft 2020-12; OpenAPI Initiative, "OpenAPI Specification", version 3.1.
package struct JSONSchema: Sendable {
    /// The keywords, such as `type`.
    package private(set) var keywords: [String: JSONText]
    /// The schemas to which the keywords refer, directly or not, by name.
    package private(set) var definitions: [String: [String: JSONText]] = [:]

    /// Creates a schema from its keywords.
    package init(_ keywords: [String: JSONText] = [:]) { self.keywords = keywords }

    /// Creates the schema of a type, such as `string`, with more keywords.
    package init(type: String, _ keywords: [String: JSONText] = [:]) {
        self.init(keywords.merging(["type": .string(type)]) { own, _ in own })
    }

    package static let string = JSONSchema(type: "string")
    package static let boolean = JSONSchema(type: "boolean")
    package static let integer = JSONSchema(type: "integer")
    package static let integer64 = JSONSchema(type: "integer", ["format": .string("int64")])
    /// A string that is not empty.
    package static let nonEmpty = JSONSchema(type: "string", ["minLength": .integer(1)])
    /// An instant as every answer writes it.
    package static let time = JSONSchema(type: "string", ["format": .string("date-time")])
        .noted("UTC, with milliseconds.").named("Time")

    /// Returns the schema of a string that is one of some words.
    package static func words(_ words: [String]) -> JSONSchema {
        JSONSchema(type: "string", ["enum": .array(words.map(JSONText.string))])
    }

    /// Returns the schema of a string that is the raw value of an enumeration.
    package static func words<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> JSONSchema {
        words(type.allCases.map(\.rawValue))
    }

    /// Returns the schema of an array.
    package static func array(of items: JSONSchema, _ keywords: [String: JSONText] = [:]) -> JSONSchema {
        var schema = JSONSchema(type: "array", keywords)
        schema.keywords["items"] = schema.referring(to: items)
        return schema
    }

    /// Returns the schema of an object.
    ///
    /// - Parameters:
    ///   - members: The members that an object may have.
    ///   - required: The names of the members that every object has.
    ///   - more: More keywords.
    package static func object(
        _ members: [(name: String, schema: JSONSchema)], required: [String], _ more: [String: JSONText] = [:]
    ) -> JSONSchema {
        var schema = JSONSchema(type: "object", more)
        var properties: [String: JSONText] = [:]
        for member in members { properties[member.name] = schema.referring(to: member.schema) }
        schema.keywords["properties"] = .object(properties)
        if !required.isEmpty { schema.keywords["required"] = .array(required.map(JSONText.string)) }
        return schema
    }

    /// Returns the schema of a value that fits exactly one of some schemas.
    package static func one(of choices: [JSONSchema]) -> JSONSchema {
        var schema = JSONSchema()
        schema.keywords["oneOf"] = .array(choices.map { schema.referring(to: $0) })
        return schema
    }

    /// Returns the schema with a description.
    package func noted(_ note: String?) -> JSONSchema {
        guard let note else { return self }
        var schema = self
        schema.keywords["description"] = .string(note)
        return schema
    }

    /// Returns a reference to the schema under a name.
    package func named(_ name: String) -> JSONSchema {
        var schema = JSONSchema(["$ref": .string("#/components/schemas/\(name)")])
        schema.definitions = definitions
        schema.definitions[name] = keywords
        return schema
    }

    /// Adds the schemas to which another schema refers, and returns the keywords of the other schema.
    private mutating func referring(to other: JSONSchema) -> JSONText {
        definitions.merge(other.definitions) { own, _ in own }
        return .object(other.keywords)
    }
}
