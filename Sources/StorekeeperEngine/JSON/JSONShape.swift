package import FoundationEssentials

/// A type with one JSON form, and the description of this form.
package protocol JSONTyped: Sendable {
    /// The schema of every value's ``json``.
    static var jsonSchema: JSONSchema { get }
    /// Whether every value has a JSON form; a value without one is an absent member.
    static var isAlwaysPresent: Bool { get }
    /// The value as JSON.
    var json: JSONText { get }
}

extension JSONTyped {
    package static var isAlwaysPresent: Bool { true }
}

/// The members of the JSON object of a value: how each is computed, and how it is described.
///
/// The JSON and its schema follow from the same members, so that the description cannot differ from what is sent.
package struct JSONShape<Value>: Sendable {
    /// A member of the object.
    package struct Member: Sendable {
        fileprivate let name: String
        fileprivate let isRequired: Bool
        fileprivate let schema: @Sendable () -> JSONSchema
        fileprivate let json: @Sendable (Value) -> JSONText

        /// Creates a member; an object has the member unless its content is absent.
        ///
        /// - Parameters:
        ///   - name: The name of the member.
        ///   - note: What the name does not say.
        ///   - schema: The schema, if it says more than the content's type.
        ///   - isRequired: Whether every object has the member, if the content's type does not say it.
        ///   - content: Returns the content of the member.
        package static func member<Content: JSONTyped>(
            _ name: String, _ note: String? = nil, as schema: JSONSchema? = nil,
            isRequired: Bool = Content.isAlwaysPresent, _ content: @escaping @Sendable (Value) -> Content
        ) -> Member {
            Member(
                name: name, isRequired: isRequired,
                schema: { (schema ?? Content.jsonSchema).noted(note) }, json: { content($0).json })
        }
    }

    private let name: String?
    private let note: String?
    private let members: [Member]

    /// Creates a shape whose schema has a name.
    ///
    /// - Parameters:
    ///   - name: The name of the schema.
    ///   - note: What the name does not say.
    ///   - parts: The members of other shapes that the object has, too.
    ///   - members: The members of the object.
    package init(_ name: String, note: String? = nil, with parts: [Member] = [], _ members: [Member]) {
        (self.name, self.note, self.members) = (name, note, parts + members)
    }

    /// Creates a shape whose schema has no name of its own.
    package init(with parts: [Member] = [], _ members: [Member]) {
        (name, note, self.members) = (nil, nil, parts + members)
    }

    /// The schema of the object.
    package var schema: JSONSchema {
        let object = JSONSchema.object(
            members.map { ($0.name, $0.schema()) }, required: members.filter(\.isRequired).map(\.name)
        ).noted(note)
        return name.map(object.named) ?? object
    }

    /// Returns the members of a value's JSON object.
    package func members(of value: Value) -> [String: JSONText] {
        Dictionary(members.map { ($0.name, $0.json(value)) }) { _, last in last }
    }

    /// Returns a value as a JSON object.
    package func json(_ value: Value) -> JSONText { .object(members(of: value)) }

    /// Returns the members as those of another value, of which this value is a part.
    ///
    /// - Parameters:
    ///   - names: The names of the members; `nil` for all.
    ///   - part: Returns the part of the other value.
    package func members<Whole>(
        only names: [String]? = nil, _ part: @escaping @Sendable (Whole) -> Value
    ) -> [JSONShape<Whole>.Member] {
        members.filter { names?.contains($0.name) ?? true }.map { member in
            JSONShape<Whole>.Member(
                name: member.name, isRequired: member.isRequired, schema: member.schema,
                json: { member.json(part($0)) })
        }
    }
}

/// A value whose JSON object is described by its shape.
package protocol JSONShaped: JSONTyped {
    /// The members of the JSON object.
    static var shape: JSONShape<Self> { get }
}

extension JSONShaped {
    package static var jsonSchema: JSONSchema { shape.schema }
    package var json: JSONText { Self.shape.json(self) }
}

// MARK: Contents of members

extension String: JSONTyped {
    package static var jsonSchema: JSONSchema { .string }
    package var json: JSONText { .string(self) }
}

extension Bool: JSONTyped {
    package static var jsonSchema: JSONSchema { .boolean }
    package var json: JSONText { .bool(self) }
}

extension Int: JSONTyped {
    package static var jsonSchema: JSONSchema { .integer }
    package var json: JSONText { .whole(self) }
}

extension Int64: JSONTyped {
    package static var jsonSchema: JSONSchema { .integer64 }
    package var json: JSONText { .integer(self) }
}

extension Instant: JSONTyped {
    package static var jsonSchema: JSONSchema { .time }
    package var json: JSONText { .time(self) }
}

/// An amount of money, as a decimal number in a string.
extension Decimal: JSONTyped {
    package static var jsonSchema: JSONSchema { .string }
    package var json: JSONText { .money(self) }
}

extension ByteIdentifier: JSONTyped {
    package static var jsonSchema: JSONSchema { .string }
    package var json: JSONText { .text(self) }
}

extension Array: JSONTyped where Element: JSONTyped {
    package static var jsonSchema: JSONSchema { .array(of: Element.jsonSchema) }
    package var json: JSONText { .array(map(\.json)) }
    /// The array as the content of a member that is absent if there are no elements.
    package var ifAny: [Element]? { isEmpty ? nil : self }
}

extension Optional: JSONTyped where Wrapped: JSONTyped {
    package static var jsonSchema: JSONSchema { Wrapped.jsonSchema }
    package static var isAlwaysPresent: Bool { false }
    package var json: JSONText { self?.json ?? .null }
}

/// JSON that is described by the member or the answer that contains it.
extension JSONText: JSONTyped {
    package static var jsonSchema: JSONSchema { JSONSchema() }
    package var json: JSONText { self }
}
