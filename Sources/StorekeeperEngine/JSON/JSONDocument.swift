/// A JSON text that has been read: every value in place, in order, nothing converted yet.
///
/// A document keeps the bytes it came from and a flat list of tokens that point into them, so reading
/// costs no allocation per value, numbers stay exact, and members keep their order.
package final class JSONDocument: Sendable {
    /// The text.
    let bytes: [UInt8]
    /// Each value and each member name, in the order of the text; a container precedes its content.
    let tokens: [JSONToken]
    /// Where the members stand of the object that the text is, if they have places.
    let rootMembers: JSONMemberPlaces?

    init(bytes: [UInt8], tokens: [JSONToken], rootMembers: JSONMemberPlaces?) {
        self.bytes = bytes
        self.tokens = tokens
        self.rootMembers = rootMembers
    }

    /// The value that the text is.
    package var root: JSONValue { JSONValue(document: self, index: 0) }
}

/// A value of a ``JSONDocument``.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    /// What sort of value it is.
    package enum Kind: String, Sendable { case object, array, string, number, boolean, null }

    var token: JSONToken { document.tokens[index] }

    /// What sort of value it is.
    package var kind: Kind {
        switch token.kind {
        case .object: .object
        case .array: .array
        case .string, .escapedString: .string
        case .number: .number
        case .true, .false: .boolean
        case .null: .null
        }
    }

    /// Whether it is `null`.
    package var isNull: Bool { token.kind == .null }

    /// The text of a string, with its escapes resolved; `nil` for anything else.
    package var string: String? {
        let bytes = document.bytes
        return token.string(in: bytes.span)
    }

    /// `true` or `false`; `nil` for anything else.
    package var bool: Bool? { token.bool }

    /// The text of a number, as it was written; `nil` for anything else.
    package var numberText: String? {
        token.kind == .number ? String(decoding: source, as: UTF8.self) : nil
    }

    /// The value of a number that is whole and fits, however it was written (`5`, `5.0`, `5e0`); otherwise `nil`.
    package var int64: Int64? {
        let bytes = document.bytes
        return token.int64(in: bytes.span)
    }

    /// The value of a number with its fraction cut off, where the rest fits; otherwise `nil`.
    package var truncatedInt64: Int64? {
        let bytes = document.bytes
        return token.truncatedInt64(in: bytes.span)
    }

    /// The elements of an array, in order; `nil` for anything else.
    package var array: JSONArray? {
        token.kind == .array ? JSONArray(value: self) : nil
    }

    /// The members of an object, in order; `nil` for anything else.
    package var object: JSONObject? {
        token.kind == .object ? JSONObject(value: self) : nil
    }

    /// The text of the value in the document: of a string what stands between its quotes, escapes unresolved.
    var source: ArraySlice<UInt8> { document.bytes[token.range] }

    /// The bytes of the value as they stand in the document, quotes included.
    package var sourceText: [UInt8] {
        switch token.kind {
        case .string, .escapedString: [UInt8(ascii: "\"")] + source + [UInt8(ascii: "\"")]
        default: Array(source)
        }
    }

    /// Where the value stands, for messages: line and column from 1.
    package var position: (line: Int, column: Int) {
        let error = JSONError(.unexpectedCharacter, "", at: Int(token.start), in: document.bytes)
        return (error.line, error.column)
    }
}

/// The elements of an array.
package struct JSONArray: Sequence, Sendable {
    let value: JSONValue

    /// An iterator that stands before the first.
    package func makeIterator() -> Iterator {
        Iterator(document: value.document, position: value.index + 1, end: Int(value.token.next))
    }

    /// Goes through the elements in order.
    package struct Iterator: IteratorProtocol, Sendable {
        let document: JSONDocument
        var position: Int
        let end: Int

        /// The next one; `nil` after the last.
        package mutating func next() -> JSONValue? {
            guard position < end else { return nil }
            let value = JSONValue(document: document, index: position)
            position = Int(document.tokens[position].next)
            return value
        }
    }
}

/// The members of an object, in the order of the text; names are unique.
package struct JSONObject: Sequence, Sendable {
    let value: JSONValue

    /// Where the members stand, if they have places.
    var places: JSONMemberPlaces? {
        if value.index == 0 { return value.document.rootMembers }
        let (tokens, bytes) = (value.document.tokens, value.document.bytes)
        return JSONMemberPlaces(of: value.index, in: tokens.span, text: bytes.span)
    }

    /// The value of the member with a name; `nil` where there is none, or it is `null`.
    package subscript(name: String) -> JSONValue? {
        for member in self where member.hasName(name) {
            return member.value.isNull ? nil : member.value
        }
        return nil
    }

    /// An iterator that stands before the first.
    package func makeIterator() -> Iterator {
        Iterator(document: value.document, position: value.index + 1, end: Int(value.token.next))
    }

    /// A name and its value.
    package struct Member: Sendable {
        let document: JSONDocument
        /// The index of the name's token; the value's is the next.
        let index: Int

        /// The name as a value.
        var nameToken: JSONValue { JSONValue(document: document, index: index) }

        /// The name as it stands in the document, between its quotes.
        var nameSource: ArraySlice<UInt8> { JSONValue(document: document, index: index).source }

        /// The value; may be `null`.
        package var value: JSONValue { JSONValue(document: document, index: index + 1) }

        /// The name, with its escapes resolved.
        package var name: String { nameToken.string ?? "" }

        /// Whether this is the member's name; cheaper than building ``name``.
        package func hasName(_ name: String) -> Bool {
            let token = document.tokens[index]
            guard token.kind == .string else { return self.name.utf8.elementsEqual(name.utf8) }
            guard Int(token.length) == name.utf8.count else { return false }
            return document.bytes[Int(token.start)..<Int(token.start) + Int(token.length)].elementsEqual(name.utf8)
        }
    }

    /// Goes through the members in order.
    package struct Iterator: IteratorProtocol, Sendable {
        let document: JSONDocument
        var position: Int
        let end: Int

        /// The next one; `nil` after the last.
        package mutating func next() -> Member? {
            guard position < end else { return nil }
            let member = Member(document: document, index: position)
            position = Int(document.tokens[position + 1].next)
            return member
        }
    }
}
