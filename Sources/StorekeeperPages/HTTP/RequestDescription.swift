package import Storekeeper

/// A query parameter or a header field of a request.
package struct RequestParameter: Sendable {
    /// The name of the parameter.
    package let name: String
    /// Whether the parameter is a header field.
    package let isHeader: Bool
    let isRequired: Bool
    let note: String?
    /// The range of a number; `nil` for other parameters.
    package let range: ClosedRange<Int64>?
    let schema: JSONSchema

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: The name of the parameter.
    ///   - note: What the name does not say.
    ///   - schema: The schema of the value.
    ///   - isHeader: Whether the parameter is a header field.
    ///   - isRequired: Whether each request has the parameter.
    package init(
        _ name: String, _ note: String? = nil, _ schema: JSONSchema = .string, isHeader: Bool = false,
        isRequired: Bool = false
    ) {
        (self.name, self.note, self.schema) = (name, note, schema)
        (self.isHeader, self.isRequired, range) = (isHeader, isRequired, nil)
    }

    /// Creates an optional query parameter that is a number in a range.
    package init(_ name: String, _ note: String? = nil, in range: ClosedRange<Int64>) {
        var keywords: [String: JSONText] = ["minimum": .integer(range.lowerBound)]
        if range.upperBound == .max {
            keywords["format"] = .string("int64")
        } else {
            keywords["maximum"] = .integer(range.upperBound)
        }
        (self.name, self.note, schema) = (name, note, JSONSchema(type: "integer", keywords))
        (isHeader, isRequired, self.range) = (false, false, range)
    }

    /// OpenAPI's parameter object.
    var description: JSONText {
        .object([
            "name": .string(name), "in": .string(isHeader ? "header" : "query"),
            "required": isRequired ? .bool(true) : .null, "description": .text(note),
            "schema": .object(schema.keywords),
        ])
    }
}

/// The body of a request: a JSON object or a form, with its members.
package struct BodyDescription: Sendable {
    /// A member of an object, or a field of a form.
    package struct Member: Sendable {
        let name: String
        let schema: JSONSchema
        let isRequired: Bool

        /// Creates a member that each body has.
        package static func required(
            _ name: String, _ note: String? = nil, _ schema: JSONSchema = .nonEmpty
        ) -> Member {
            Member(name: name, schema: schema.noted(note), isRequired: true)
        }

        /// Creates a member that may be absent.
        package static func optional(
            _ name: String, _ note: String? = nil, _ schema: JSONSchema = .nonEmpty
        ) -> Member {
            Member(name: name, schema: schema.noted(note), isRequired: false)
        }
    }

    /// The schema of the body.
    let schema: JSONSchema
    /// The names of the members.
    package let names: [String]
    private let isForm: Bool
    private let mayBeText: Bool
    private let mayBeAbsent: Bool

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - name: The name of the schema; `nil` for a schema without a name of its own.
    ///   - members: The members.
    ///   - choice: The members of which a body has exactly one; empty if there are none.
    ///   - isForm: Whether the body is a form and no JSON.
    ///   - mayBeText: Whether the body may be text, too.
    ///   - mayBeAbsent: Whether a request may have no body.
    ///   - allowsOthers: Whether other members are ignored.
    package init(
        _ name: String?, _ members: [Member], oneOf choice: String..., isForm: Bool = false,
        mayBeText: Bool = false, mayBeAbsent: Bool = false, allowsOthers: Bool = false
    ) {
        var keywords: [String: JSONText] = allowsOthers ? [:] : ["additionalProperties": .bool(false)]
        if !choice.isEmpty {
            keywords["oneOf"] = .array(choice.map { .object(["required": .array([.string($0)])]) })
        }
        let object = JSONSchema.object(
            members.map { ($0.name, $0.schema) }, required: members.filter(\.isRequired).map(\.name), keywords)
        schema = name.map(object.named) ?? object
        names = members.map(\.name)
        (self.isForm, self.mayBeText, self.mayBeAbsent) = (isForm, mayBeText, mayBeAbsent)
    }

    /// OpenAPI's request body object.
    var description: JSONText {
        var content = [isForm ? "application/x-www-form-urlencoded" : "application/json": schema]
        if mayBeText { content["text/plain"] = .nonEmpty }
        return .object([
            "required": mayBeAbsent ? .null : .bool(true),
            "content": OpenAPIDocument.content(content),
        ])
    }
}
