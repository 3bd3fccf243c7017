/// Reads JSON from sources that nobody vouches for.
///
/// Unlike a general decoder it keeps the order of members, refuses an object that names a member twice
/// (two readers could otherwise see two different values), and ends with an error, never with a trap,
/// on input that is too deep or too large. It accepts UTF-8 by RFC 8259, without a byte order mark,
/// comments or trailing commas.
///
/// - SeeAlso: RFC 8259, "The JavaScript Object Notation (JSON) Data Interchange Format".
public struct JSONReader: Sendable {
    /// How many arrays and objects may stand in one another.
    public var maximumDepth: Int
    /// How many bytes a text may have.
    public var maximumSize: Int
    /// Off only to find where a text ends that was refused already.
    var refusesDuplicateMembers = true

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - maximumDepth: How many arrays and objects may stand in one another; 1 is a flat object.
    ///   - maximumSize: How many bytes a text may have, at most 2³² − 2.
    public init(maximumDepth: Int = 64, maximumSize: Int = 64 << 20) {
        self.maximumDepth = maximumDepth
        self.maximumSize = min(maximumSize, Int(UInt32.max) - 1)
    }

    /// Reads a text that is one JSON value and nothing more.
    ///
    /// - Throws: ``JSONError`` with the place of the first fault.
    public func read(_ bytes: [UInt8]) throws(JSONError) -> JSONDocument {
        let (document, end) = try readPrefix(bytes)
        var position = end
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position == bytes.count else {
            throw JSONError(.trailingContent, "something follows the JSON value", at: position, in: bytes)
        }
        return document
    }

    /// Reads the JSON value at the start of a text.
    ///
    /// - Returns: The value, and how many bytes it and the white space before it take.
    /// - Throws: ``JSONError`` with the place of the first fault; `unexpectedEnd` where more text could mend it.
    public func readPrefix(_ bytes: [UInt8]) throws(JSONError) -> (document: JSONDocument, end: Int) {
        var scan = Scan(bytes: bytes, maximumDepth: maximumDepth, refusesDuplicateMembers: refusesDuplicateMembers)
        guard bytes.count <= maximumSize else {
            throw JSONError(.tooLarge, "the JSON text has more than \(maximumSize) bytes", at: maximumSize, in: bytes)
        }
        try scan.run()
        return (JSONDocument(bytes: bytes, tokens: scan.tokens), scan.position)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

/// One pass over a text.
private struct Scan {
    let bytes: [UInt8]
    let maximumDepth: Int
    let refusesDuplicateMembers: Bool
    var position = 0
    var tokens: [JSONToken] = []
    /// The containers that are open, outermost first, by token index.
    var open: [Int] = []

    init(bytes: [UInt8], maximumDepth: Int, refusesDuplicateMembers: Bool) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.refusesDuplicateMembers = refusesDuplicateMembers
        // About what App Store payloads need; a larger text grows the list.
        tokens.reserveCapacity(96)
    }

    /// Reads one value; containers are kept on a list, not on the call stack.
    mutating func run() throws(JSONError) {
        while true {
            try value()
            // After a value: go on in the innermost container, or close it, and so on outwards.
            while true {
                guard let container = open.last else { return }
                let isObject = tokens[container].kind == .object
                if tokens.count == container + 1 {
                    // Just opened.
                    if try take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                        try close()
                        continue
                    }
                } else if try take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    try close()
                    continue
                } else {
                    guard try take(UInt8(ascii: ",")) else {
                        throw unexpected("expected ',' or '\(isObject ? "}" : "]")'")
                    }
                }
                if isObject { try memberName() }
                break
            }
        }
    }

    private mutating func close() throws(JSONError) {
        guard let container = open.popLast() else { return }
        tokens[container].next = UInt32(tokens.count)
        tokens[container].length = UInt32(position) - tokens[container].start
        if refusesDuplicateMembers, tokens[container].kind == .object {
            try JSONMemberNames.check(bytes: bytes, tokens: tokens, object: container)
        }
    }

    private mutating func memberName() throws(JSONError) {
        skipSpace()
        guard position < bytes.count else { throw ended() }
        guard bytes[position] == UInt8(ascii: "\"") else { throw unexpected("expected a member name in quotes") }
        try string()
        guard try take(UInt8(ascii: ":")) else { throw unexpected("expected ':' after a member name") }
    }

    private mutating func value() throws(JSONError) {
        skipSpace()
        guard position < bytes.count else { throw ended() }
        switch bytes[position] {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try begin(.object)
        case UInt8(ascii: "["): try begin(.array)
        case UInt8(ascii: "t"): try word("true", .true)
        case UInt8(ascii: "f"): try word("false", .false)
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw unexpected("expected a value")
        }
    }

    private mutating func begin(_ kind: JSONToken.Kind) throws(JSONError) {
        guard open.count < maximumDepth else {
            throw error(.tooDeep, "arrays and objects stand more than \(maximumDepth) deep in one another")
        }
        open.append(tokens.count)
        append(kind, from: position, to: position)
        position += 1
    }

    @inline(__always)
    private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
        tokens.append(
            JSONToken(
                kind: kind, start: UInt32(start), length: UInt32(end - start), next: UInt32(tokens.count + 1)))
    }

    private mutating func word(_ word: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw ended() }
            guard bytes[position] == word.utf8Start[index] else { throw unexpected("expected a value") }
            position += 1
        }
        append(kind, from: start, to: position)
    }

    private mutating func number() throws(JSONError) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        guard position < bytes.count else { throw ended() }
        if bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits()
        }
        append(.number, from: start, to: position)
    }

    private mutating func digits() throws(JSONError) {
        guard position < bytes.count else { throw ended() }
        guard (48...57).contains(bytes[position]) else { throw error(.invalidNumber, "a number lacks a digit") }
        while position < bytes.count, (48...57).contains(bytes[position]) { position += 1 }
    }

    private mutating func string() throws(JSONError) {
        position += 1
        let start = position
        var hasEscapes = false
        while position < bytes.count {
            position += ByteScan.plainText(in: bytes.span, from: position)
            guard position < bytes.count else { break }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                append(hasEscapes ? .escapedString : .string, from: start, to: position)
                position += 1
                return
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try escape()
            } else if byte < 0x20 {
                throw error(.invalidString, "a string holds a control character")
            } else if byte < 0x80 {
                position += 1
            } else {
                try scalar()
            }
        }
        throw ended()
    }

    private mutating func escape() throws(JSONError) {
        guard position + 1 < bytes.count else { throw ended() }
        switch bytes[position + 1] {
        case UInt8(ascii: "u"):
            let code = try hexEscape()
            guard JSONEscapes.isHighSurrogate(code) else {
                guard !JSONEscapes.isLowSurrogate(code) else {
                    throw error(.invalidString, "an escape is half a surrogate pair")
                }
                return
            }
            for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")].enumerated() {
                guard position + expected.offset < bytes.count else { throw ended() }
                guard bytes[position + expected.offset] == expected.element else {
                    throw error(.invalidString, "an escape is half a surrogate pair")
                }
            }
            guard JSONEscapes.isLowSurrogate(try hexEscape()) else {
                throw error(.invalidString, "an escape is half a surrogate pair")
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        default: throw error(.invalidString, "an escape in a string is unknown")
        }
    }

    private mutating func hexEscape() throws(JSONError) -> UInt32 {
        guard position + 6 <= bytes.count else { throw ended() }
        guard let code = JSONEscapes.hexValue(bytes[position + 2..<position + 6]) else {
            throw error(.invalidString, "an escape in a string lacks four hexadecimal digits")
        }
        position += 6
        return code
    }

    /// Passes over one scalar of more than one byte, refusing what is not UTF-8.
    ///
    /// - SeeAlso: RFC 3629, section 4, "Syntax of UTF-8 Byte Sequences".
    private mutating func scalar() throws(JSONError) {
        let first = bytes[position]
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw error(.invalidString, "a string is not UTF-8")
        }
        guard position + count <= bytes.count else { throw ended() }
        guard second.contains(bytes[position + 1]),
            bytes[position + 2..<max(position + 2, position + count)].allSatisfy({ (0x80...0xBF).contains($0) })
        else { throw error(.invalidString, "a string is not UTF-8") }
        position += count
    }

    @inline(__always)
    private mutating func skipSpace() {
        while position < bytes.count, JSONReader.isSpace(bytes[position]) { position += 1 }
    }

    /// Passes over white space and one byte, if it is the one given.
    @inline(__always)
    private mutating func take(_ byte: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard position < bytes.count else { throw ended() }
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func error(_ code: JSONError.Code, _ message: String) -> JSONError {
        JSONError(code, message, at: position, in: bytes)
    }

    private func unexpected(_ message: String) -> JSONError {
        error(.unexpectedCharacter, message)
    }

    private func ended() -> JSONError {
        JSONError(.unexpectedEnd, "the JSON text ends too early", at: bytes.count, in: bytes)
    }
}
