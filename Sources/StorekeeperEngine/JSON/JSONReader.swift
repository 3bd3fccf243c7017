/// Reads JSON from untrusted sources.
///
/// Unlike a general decoder, the reader preserves the order of members. It refuses an object that contains a member
/// twice, because two readers could otherwise get two different values. Input that is nested too deeply or is too large
/// causes an error, never a trap. The reader accepts UTF-8 text as defined by RFC 8259, without a byte order mark,
/// comments or trailing commas.
///
/// - SeeAlso: RFC 8259, "The JavaScript Object Notation (JSON) Data Interchange Format".
package struct JSONReader: Sendable {
    /// The maximum nesting depth of arrays and objects.
    package var maximumDepth: Int
    /// The maximum number of bytes of a text.
    package var maximumSize: Int
    /// Whether a duplicate member is an error; `false` only to find the end of a text that was already refused.
    var refusesDuplicateMembers = true

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maximumDepth: The maximum nesting depth of arrays and objects; with 1, an array or object cannot contain
    ///     another array or object.
    ///   - maximumSize: The maximum number of bytes of a text, at most 2³² − 2.
    package init(maximumDepth: Int = 64, maximumSize: Int = 64 << 20) {
        self.maximumDepth = maximumDepth
        self.maximumSize = min(maximumSize, Int(UInt32.max) - 1)
    }

    /// Reads a text that consists of exactly one JSON value.
    ///
    /// - Throws: ``JSONError`` with the position of the first fault.
    package func read(_ bytes: [UInt8]) throws(JSONError) -> JSONDocument {
        let (document, end) = try readPrefix(bytes)
        var position = end
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position == bytes.count else {
            throw JSONError(.trailingContent, "there is extra content after the JSON value", at: position, in: bytes)
        }
        return document
    }

    /// Reads the JSON value at the start of a text.
    ///
    /// - Returns: The value, and the number of bytes from the start of the text to the end of the value.
    /// - Throws: ``JSONError`` with the position of the first fault; the code is `unexpectedEnd` if more text could
    ///   complete the value.
    package func readPrefix(_ bytes: [UInt8]) throws(JSONError) -> (document: JSONDocument, end: Int) {
        var scan = Scan(bytes: bytes, maximumDepth: maximumDepth, refusesDuplicateMembers: refusesDuplicateMembers)
        guard bytes.count <= maximumSize else {
            throw JSONError(.tooLarge, "the JSON text has more than \(maximumSize) bytes", at: maximumSize, in: bytes)
        }
        let end = try scan.run(bytes.span)
        return (JSONDocument(bytes: bytes, tokens: scan.tokens, rootMembers: scan.rootMembers), end)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        // The first comparison suffices for most bytes, because most bytes are greater than 0x20, the space.
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }
}

/// The state of one pass over a text.
///
/// The methods have the text and the position as parameters, which costs less than storing them in a mutating
/// structure. The property ``bytes``, which has the same text, is used for messages and rare cases.
private struct Scan {
    let bytes: [UInt8]
    let maximumDepth: Int
    let refusesDuplicateMembers: Bool
    var tokens: [JSONToken] = []
    /// The index of the token of the innermost open array or object (the container); `nil` if no container is open.
    ///
    /// While a container is open, its ``JSONToken/next`` is the index of the enclosing container's token. In the
    /// outermost container, it is the index of the container's own token.
    var innermost: Int?
    /// The number of open containers.
    var depth = 0
    /// The hash index of the outermost object's members; `nil` until the object is closed, and if its members must be
    /// searched linearly.
    var rootMembers: JSONMemberPlaces?

    init(bytes: [UInt8], maximumDepth: Int, refusesDuplicateMembers: Bool) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.refusesDuplicateMembers = refusesDuplicateMembers
        // The capacity is about the number of tokens in a payload of the App Store; the list grows for a larger text.
        tokens.reserveCapacity(min(bytes.count / 10 + 4, 96))
    }

    /// Reads one value; open containers are linked by their tokens and do not use the call stack.
    ///
    /// - Returns: The position after the value; the other methods of the scan also return the position after the text
    ///   that they have read.
    mutating func run(_ text: Span<UInt8>) throws(JSONError) -> Int {
        var position = 0
        while true {
            position = try value(text, at: position)
            // After a value, reading continues in the innermost container. If the container ends here, it is closed,
            // and reading continues in the enclosing container.
            while true {
                guard let container = innermost else { return position }
                let isObject = tokens[container].kind == .object
                let isEmpty = tokens.count == container + 1
                position = skipSpace(text, from: position)
                guard position < text.count else { throw ended() }
                let byte = text[position]
                if byte == UInt8(ascii: ","), !isEmpty {
                    position += 1
                } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    try close(at: position)
                    continue
                } else if !isEmpty {
                    throw unexpected("expected ',' or '\(isObject ? "}" : "]")'", at: position)
                }
                if isObject { position = try memberName(text, at: position) }
                break
            }
        }
    }

    private mutating func close(at end: Int) throws(JSONError) {
        guard let container = innermost else { return }
        let parent = Int(tokens[container].next)
        innermost = parent == container ? nil : parent
        depth -= 1
        tokens[container].next = UInt32(tokens.count)
        tokens[container].length = UInt32(end) - tokens[container].start
        guard refusesDuplicateMembers, tokens[container].kind == .object else { return }
        if container == 0 { rootMembers = JSONMemberPlaces(of: 0, in: tokens.span, text: bytes.span) }
        // If the object has a hash index, the names are already known to be different.
        if rootMembers == nil { try JSONMemberNames.check(bytes: bytes, tokens: tokens, object: container) }
    }

    @inline(__always)
    private mutating func memberName(_ text: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
        var position = skipSpace(text, from: start)
        guard position < text.count else { throw ended() }
        guard text[position] == UInt8(ascii: "\"") else {
            throw unexpected("expected a member name in quotes", at: position)
        }
        // These two lines must not be joined. In a debug build, a single expression would copy the tokens, because it
        // would read this structure before the string is added.
        position = try string(text, at: position)
        position = skipSpace(text, from: position)
        guard position < text.count else { throw ended() }
        guard text[position] == UInt8(ascii: ":") else {
            throw unexpected("expected ':' after a member name", at: position)
        }
        return position + 1
    }

    @inline(__always)
    private mutating func value(_ text: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
        let position = skipSpace(text, from: start)
        guard position < text.count else { throw ended() }
        switch text[position] {
        case UInt8(ascii: "\""): return try string(text, at: position)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text, at: position)
        case UInt8(ascii: "{"): return try begin(.object, at: position)
        case UInt8(ascii: "["): return try begin(.array, at: position)
        case UInt8(ascii: "t"): return try word("true", .true, at: position)
        case UInt8(ascii: "f"): return try word("false", .false, at: position)
        case UInt8(ascii: "n"): return try word("null", .null, at: position)
        default: throw unexpected("expected a value", at: position)
        }
    }

    private mutating func begin(_ kind: JSONToken.Kind, at start: Int) throws(JSONError) -> Int {
        guard depth < maximumDepth else {
            throw error(
                .tooDeep, "arrays and objects are nested more than \(maximumDepth) deep", at: start)
        }
        let container = tokens.count
        append(kind, from: start, to: start)
        tokens[container].next = UInt32(innermost ?? container)
        innermost = container
        depth += 1
        return start + 1
    }

    @inline(__always)
    private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
        tokens.append(
            JSONToken(
                kind: kind, start: UInt32(start), length: UInt32(end - start), next: UInt32(tokens.count + 1)))
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONToken.Kind, at start: Int
    ) throws(JSONError) -> Int {
        var position = start
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw ended() }
            guard bytes[position] == word.utf8Start[index] else {
                throw unexpected("expected a value", at: position)
            }
            position += 1
        }
        append(kind, from: start, to: position)
        return position
    }

    private mutating func number(_ text: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
        var position = start
        if text[position] == UInt8(ascii: "-") { position += 1 }
        guard position < text.count else { throw ended() }
        if text[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            position = try digits(text, from: position)
        }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position = try digits(text, from: position + 1)
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
                position += 1
            }
            position = try digits(text, from: position)
        }
        append(.number, from: start, to: position)
        return position
    }

    @inline(__always)
    private func digits(_ text: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        guard start < text.count else { throw ended() }
        let end = ByteScan.endOfDigits(in: text, from: start)
        guard end > start else { throw error(.invalidNumber, "a number lacks a digit", at: start) }
        return end
    }

    @inline(__always)
    private mutating func string(_ text: Span<UInt8>, at quote: Int) throws(JSONError) -> Int {
        let start = quote + 1
        let end = start + ByteScan.plainText(in: text, from: start)
        guard end < text.count, text[end] == UInt8(ascii: "\"") else {
            return try specialString(from: start, plainUntil: end)
        }
        append(.string, from: start, to: end)
        return end + 1
    }

    /// Reads the rest of a string that contains special characters, or that does not end.
    private mutating func specialString(from start: Int, plainUntil end: Int) throws(JSONError) -> Int {
        var position = end
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                append(hasEscapes ? .escapedString : .string, from: start, to: position)
                return position + 1
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                position = try escape(at: position)
            } else if byte < 0x20 {
                throw error(.invalidString, "a string contains a control character", at: position)
            } else if byte < 0x80 {
                position += 1
            } else {
                position = try scalar(at: position)
            }
            position += ByteScan.plainText(in: bytes.span, from: position)
        }
        throw ended()
    }

    private func escape(at start: Int) throws(JSONError) -> Int {
        guard start + 1 < bytes.count else { throw ended() }
        switch bytes[start + 1] {
        case UInt8(ascii: "u"):
            let code = try hexEscape(at: start)
            let position = start + 6
            guard JSONEscapes.isHighSurrogate(code) else {
                guard !JSONEscapes.isLowSurrogate(code) else {
                    throw error(.invalidString, "an escape is half a surrogate pair", at: position)
                }
                return position
            }
            for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")].enumerated() {
                guard position + expected.offset < bytes.count else { throw ended() }
                guard bytes[position + expected.offset] == expected.element else {
                    throw error(.invalidString, "an escape is half a surrogate pair", at: position)
                }
            }
            guard JSONEscapes.isLowSurrogate(try hexEscape(at: position)) else {
                throw error(.invalidString, "an escape is half a surrogate pair", at: position + 6)
            }
            return position + 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        default: throw error(.invalidString, "an escape in a string is unknown", at: start)
        }
    }

    /// Returns the UTF-16 code unit of an escape such as `\u00e9`.
    private func hexEscape(at start: Int) throws(JSONError) -> UInt32 {
        guard start + 6 <= bytes.count else { throw ended() }
        guard let code = JSONEscapes.hexValue(bytes[start + 2..<start + 6]) else {
            throw error(.invalidString, "an escape in a string lacks four hexadecimal digits", at: start)
        }
        return code
    }

    /// Returns the position after a Unicode scalar of two to four bytes; throws if the bytes are not UTF-8.
    ///
    /// - SeeAlso: RFC 3629, section 4, "Syntax of UTF-8 Byte Sequences".
    private func scalar(at start: Int) throws(JSONError) -> Int {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[start] {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw error(.invalidString, "a string is not UTF-8", at: start)
        }
        guard start + count <= bytes.count else { throw ended() }
        guard second.contains(bytes[start + 1]),
            bytes[start + 2..<max(start + 2, start + count)].allSatisfy({ (0x80...0xBF).contains($0) })
        else { throw error(.invalidString, "a string is not UTF-8", at: start) }
        return start + count
    }

    @inline(__always)
    private func skipSpace(_ text: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < text.count, JSONReader.isSpace(text[position]) { position += 1 }
        return position
    }

    private func error(_ code: JSONError.Code, _ message: String, at position: Int) -> JSONError {
        JSONError(code, message, at: position, in: bytes)
    }

    private func unexpected(_ message: String, at position: Int) -> JSONError {
        error(.unexpectedCharacter, message, at: position)
    }

    private func ended() -> JSONError {
        error(.unexpectedEnd, "the JSON text ends too early", at: bytes.count)
    }
}
