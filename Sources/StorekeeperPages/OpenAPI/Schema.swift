/// The schema of a JSON value in an API description.
///
/// A dictionary literal is the schema of an object. A name that ends with a question mark is of a member that may be
/// absent:
///
/// ```swift
/// let balance: Schema = ["id": .string, "balance": .int64, "changed?": .time.about("The last change.")]
/// ```
///
/// Each object lists all its members, so that code generators can create types. Any release may add members to answers.
/// An absent value is omitted, never null.
///
/// - SeeAlso: "JSON Schema", draft 2020-12; OpenAPI Initiative, "OpenAPI Specification", version 3.1.
package struct Schema: Sendable, ExpressibleByDictionaryLiteral {
    private var keywords: [(name: String, value: OpenAPIValue)]
    /// The names of the members of an object, in order.
    package private(set) var members: [String] = []

    private init(_ keywords: KeyValuePairs<String, OpenAPIValue>) { self.keywords = keywords.map { ($0, $1) } }

    package init(dictionaryLiteral members: (String, Schema)...) {
        let named = members.map { name, schema in
            name.hasSuffix("?") ? (String(name.dropLast()), schema, false) : (name, schema, true)
        }
        let required = named.filter(\.2).map { OpenAPIValue.string($0.0) }
        self.init(["type": "object"])
        if !required.isEmpty { keywords.append(("required", .list(required))) }
        keywords.append(("properties", .map(named.map { ($0.0, $0.1.value) })))
        self.members = named.map(\.0)
    }

    /// The schema as a part of the document.
    package var value: OpenAPIValue { .map(keywords) }

    // MARK: Values

    package static let string = Schema(["type": "string"])
    /// A string that is not empty.
    package static let text = string.with("minLength", 1)
    package static let dateTime = string.with("format", "date-time")
    package static let time = named("Time", about: "UTC, with milliseconds.", dateTime)
    package static let uuid = string.with("format", "uuid")
    package static let int = Schema(["type": "integer"])
    package static let int64 = int.with("format", "int64")
    package static let bool = Schema(["type": "boolean"])
    /// An object with any members.
    package static let object = Schema(["type": "object"])

    /// Returns the schema of one of several words.
    package static func words(_ words: [String]) -> Schema { string.with("enum", .list(words.map { .string($0) })) }

    /// Returns the schema of one of several words.
    package static func words(_ words: String...) -> Schema { self.words(words) }

    /// Returns the schema of the raw values of a type.
    package static func words<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> Schema {
        words(type.allCases.map(\.rawValue))
    }

    package static func list(of element: Schema) -> Schema { Schema(["type": "array", "items": element.value]) }

    /// Returns the schema of an object whose members have any names.
    package static func map(of value: Schema) -> Schema { object.with("additionalProperties", value.value) }

    /// Returns the schema of a value that one of several schemas describes.
    package static func either(_ choices: Schema...) -> Schema { Schema(["oneOf": .list(choices.map(\.value))]) }

    /// Returns the schema of an object that has no other members.
    package static func closed(_ object: Schema) -> Schema { object.with("additionalProperties", false) }

    // MARK: Changes

    /// Returns a reference to the schema, which the document lists under a name.
    ///
    /// - Parameter about: The description, which is the same wherever the schema is used.
    package static func named(_ name: String, about: String? = nil, _ schema: Schema) -> Schema {
        var reference = Schema([
            "$ref": .address(
                section: "schemas", name: name, component: (about.map { schema.about($0) } ?? schema).value)
        ])
        reference.members = schema.members
        return reference
    }

    /// Returns the schema with a description of the value.
    package func about(_ text: String) -> Schema {
        var schema = self
        schema.keywords.insert(("description", .string(text)), at: 0)
        return schema
    }

    /// Returns the schema with a further keyword.
    package func with(_ keyword: String, _ value: OpenAPIValue) -> Schema {
        var schema = self
        schema.keywords.append((keyword, value))
        return schema
    }

    /// Returns the schema of an object that has exactly one of several members.
    package func exactlyOne(of members: [String]) -> Schema {
        with("oneOf", .list(members.map { ["required": [.string($0)]] }))
    }
}
