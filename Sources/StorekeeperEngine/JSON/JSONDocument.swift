/// A parsed JSON text with its values in the order of the text; a value is converted only when it is read.
///
/// A document stores the bytes of the text and a flat list of tokens that point to these bytes. Therefore parsing
/// allocates no memory for single values, numbers stay exact, and members stay in order.
package final class JSONDocument: Sendable {
    /// The text.
    let bytes: [UInt8]
    /// Each value and each member name, in the order of the text; the token of an array or object precedes the tokens
    /// of its content.
    let tokens: [JSONToken]
    /// The hash index of the root object's members; `nil` if the members must be searched linearly.
    let rootMembers: JSONMemberPlaces?

    init(bytes: [UInt8], tokens: [JSONToken], rootMembers: JSONMemberPlaces?) {
        self.bytes = bytes
        self.tokens = tokens
        self.rootMembers = rootMembers
    }

    /// The value of the whole text.
    package var root: JSONValue { JSONValue(document: self, index: 0) }
}

/// A value of a ``JSONDocument``.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    /// The kind of a value.
    package enum Kind: String, Sendable { case object, array, string, number, boolean, null }

    var token: JSONToken { document.tokens[index] }

    /// The kind of the value.
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

    /// Whether the value is `null`.
    package var isNull: Bool { token.kind == .null }

    /// The text of a string, with its escapes resolved; `nil` for any other value.
    package var string: String? {
        let bytes = document.bytes
        return token.string(in: bytes.span)
    }

    /// The Boolean value; `nil` for any other value.
    package var bool: Bool? { token.bool }

    /// The text of a number, as it was written; `nil` for any other value.
    package var numberText: String? {
        token.kind == .number ? String(decoding: source, as: UTF8.self) : nil
    }

    /// The value of a whole number in any notation (`5`, `5.0`, `5e0`) that fits in `Int64`; `nil` for any other value.
    package var int64: Int64? {
        let bytes = document.bytes
        return token.int64(in: bytes.span)
    }

    /// The whole part of a number; `nil` if the whole part does not fit in `Int64`, and for a value that is not a
    /// number.
    package var truncatedInt64: Int64? {
        let bytes = document.bytes
        return token.truncatedInt64(in: bytes.span)
    }

    /// The elements of an array, in order; `nil` for any other value.
    package var array: JSONArray? {
        token.kind == .array ? JSONArray(value: self) : nil
    }

    /// The members of an object, in order; `nil` for any other value.
    package var object: JSONObject? {
        token.kind == .object ? JSONObject(value: self) : nil
    }

    /// The text of the value in the document; for a string, the text between its quotes with unresolved escapes.
    var source: ArraySlice<UInt8> { document.bytes[token.range] }

    /// The bytes of the value in the document, including the quotes of a string.
    package var sourceText: [UInt8] {
        switch token.kind {
        case .string, .escapedString: [UInt8(ascii: "\"")] + source + [UInt8(ascii: "\"")]
        default: Array(source)
        }
    }

    /// The line and the column of the value for messages, each counted from 1.
    package var position: (line: Int, column: Int) {
        let error = JSONError(.unexpectedCharacter, "", at: Int(token.start), in: document.bytes)
        return (error.line, error.column)
    }
}

/// The elements of an array.
package struct JSONArray: Sequence, Sendable {
    let value: JSONValue

    /// Returns an iterator that starts at the first element.
    package func makeIterator() -> Iterator {
        Iterator(document: value.document, position: value.index + 1, end: Int(value.token.next))
    }

    /// Iterates over the elements in order.
    package struct Iterator: IteratorProtocol, Sendable {
        let document: JSONDocument
        var position: Int
        let end: Int

        /// Returns the next element; `nil` after the last element.
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

    /// The hash index of the members; `nil` if the members must be searched linearly.
    var places: JSONMemberPlaces? {
        if value.index == 0 { return value.document.rootMembers }
        let (tokens, bytes) = (value.document.tokens, value.document.bytes)
        return JSONMemberPlaces(of: value.index, in: tokens.span, text: bytes.span)
    }

    /// Returns the value of the member with the given name; `nil` if the member is absent or its value is `null`.
    package subscript(name: String) -> JSONValue? {
        for member in self where member.hasName(name) {
            return member.value.isNull ? nil : member.value
        }
        return nil
    }

    /// Returns an iterator that starts at the first member.
    package func makeIterator() -> Iterator {
        Iterator(document: value.document, position: value.index + 1, end: Int(value.token.next))
    }

    /// A name and its value.
    package struct Member: Sendable {
        let document: JSONDocument
        /// The index of the name's token; the token of the value follows.
        let index: Int

        /// The name as a ``JSONValue``.
        var nameToken: JSONValue { JSONValue(document: document, index: index) }

        /// The name as written in the document, between its quotes.
        var nameSource: ArraySlice<UInt8> { JSONValue(document: document, index: index).source }

        /// The value, which may be `null`.
        package var value: JSONValue { JSONValue(document: document, index: index + 1) }

        /// The name, with escapes resolved.
        package var name: String { nameToken.string ?? "" }

        /// Returns whether the member has the given name.
        ///
        /// The method is faster than a comparison with ``name``, because it usually creates no string.
        package func hasName(_ name: String) -> Bool {
            let token = document.tokens[index]
            guard token.kind == .string else { return self.name.utf8.elementsEqual(name.utf8) }
            guard Int(token.length) == name.utf8.count else { return false }
            return document.bytes[Int(token.start)..<Int(token.start) + Int(token.length)].elementsEqual(name.utf8)
        }
    }

    /// Iterates over the members in order.
    package struct Iterator: IteratorProtocol, Sendable {
        let document: JSONDocument
        var position: Int
        let end: Int

        /// Returns the next member; `nil` after the last member.
        package mutating func next() -> Member? {
            guard position < end else { return nil }
            let member = Member(document: document, index: position)
            position = Int(document.tokens[position + 1].next)
            return member
        }
    }
}
