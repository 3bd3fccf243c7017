/// Reads the tags and characters of an XML text, one after another.
struct XMLText {
    /// A tag without its attributes, which have no meaning in property lists.
    struct Tag {
        enum Kind { case opening, closing, empty }
        var kind: Kind
        var name: String
        var start: Int
    }

    private let bytes: [UInt8]
    private let file: String
    private(set) var position = 0

    init(bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// Skips everything before the first element.
    mutating func skipProlog() throws(CatalogError) {
        var hasDocumentType = false
        while true {
            try skipSpaceAndComments()
            if starts(with: "<!DOCTYPE") {
                guard !hasDocumentType else { throw fault("a second document type", at: position) }
                hasDocumentType = true
                try skipDocumentType()
            } else {
                return
            }
        }
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipSpaceAndComments() throws(CatalogError) {
        while true {
            while position < bytes.count, JSONReader.isSpace(bytes[position]) { position += 1 }
            if starts(with: "<!--") {
                try skip(past: "-->", opening: "<!--")
            } else if starts(with: "<?") {
                let start = position
                try skip(past: "?>", opening: "<?")
                try checkEncoding(of: bytes[start..<position], at: start)
            } else {
                return
            }
        }
    }

    /// Reads the tag at the current position.
    mutating func tag() throws(CatalogError) -> Tag {
        let start = position
        guard start < bytes.count else { throw ended() }
        guard bytes[start] == UInt8(ascii: "<") else { throw fault("expected a tag", at: start) }
        position += 1
        guard position < bytes.count else { throw ended() }
        let isClosing = bytes[position] == UInt8(ascii: "/")
        if isClosing { position += 1 }
        let nameStart = position
        while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
        let nameEnd = position
        // The attributes are skipped, because they have no meaning.
        let end = try skipPastEnd(refusing: UInt8(ascii: "<"), "a tag contains '<'")
        let isEmpty = end > nameEnd && bytes[end - 1] == UInt8(ascii: "/")
        guard (1...32).contains(nameEnd - nameStart), !(isClosing && isEmpty) else {
            throw fault("not a tag of a property list", at: start)
        }
        let name = String(decoding: bytes[nameStart..<nameEnd], as: UTF8.self)
        return Tag(kind: isClosing ? .closing : isEmpty ? .empty : .opening, name: name, start: start)
    }

    /// Reads character data up to the next tag, with all references resolved and without comments.
    mutating func characters() throws(CatalogError) -> String {
        var result: [UInt8] = []
        while true {
            guard position < bytes.count else { throw ended() }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "<"):
                if starts(with: "<![CDATA[") {
                    let start = position + 9
                    try skip(past: "]]>", opening: "<![CDATA[")
                    for byte in bytes[start..<position - 3] {
                        try check(byte)
                        result.append(byte)
                    }
                } else if starts(with: "<!--") {
                    try skip(past: "-->", opening: "<!--")
                } else {
                    return String(decoding: result, as: UTF8.self)
                }
            case UInt8(ascii: "&"): result.append(contentsOf: try reference())
            case 0x0D:
                // XML normalizes every line ending to a line feed.
                position += 1
                if position >= bytes.count || bytes[position] != 0x0A { result.append(0x0A) }
            default:
                try check(byte)
                result.append(byte)
                position += 1
            }
        }
    }

    func fault(_ message: String, code: CatalogError.Code = .notPropertyList, at offset: Int) -> CatalogError {
        let place = JSONError(.unexpectedCharacter, "", at: min(offset, bytes.count), in: bytes)
        return CatalogError(
            code, file: file, message: code == .notPropertyList ? "not a property list: \(message)" : message,
            location: "line \(place.line), column \(place.column)",
            remedy: code == .truncated
                ? "restore the rest of the file"
                : code == .notUTF8 ? "save it as UTF-8" : "correct the property list there; plutil -lint checks it")
    }

    /// Returns a text without the white space around it.
    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    private func starts(with prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != prefix.utf8Start[index] { return false }
        return true
    }

    private mutating func skip(past end: StaticString, opening: StaticString) throws(CatalogError) {
        position += opening.utf8CodeUnitCount
        while !starts(with: end) {
            guard position < bytes.count else { throw ended() }
            position += 1
        }
        position += end.utf8CodeUnitCount
    }

    private mutating func skipDocumentType() throws(CatalogError) {
        _ = try skipPastEnd(
            refusing: UInt8(ascii: "["), "the document type declares entities or elements", at: position)
    }

    /// Skips the text up to and including the next '>' outside of quotes.
    ///
    /// - Parameters:
    ///   - forbidden: A byte that must not occur before the '>' outside of quotes.
    ///   - message: The message of the error if the byte occurs.
    ///   - offset: The position for the error; `nil` means the position of the forbidden byte.
    /// - Returns: The position of the '>'.
    private mutating func skipPastEnd(
        refusing forbidden: UInt8, _ message: String, at offset: Int? = nil
    ) throws(CatalogError) -> Int {
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return position - 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == forbidden {
                throw fault(message, at: offset ?? position - 1)
            }
        }
        throw ended()
    }

    private func checkEncoding(of declaration: ArraySlice<UInt8>, at offset: Int) throws(CatalogError) {
        let text = String(decoding: declaration.prefix(256), as: UTF8.self).lowercased()
        guard text.hasPrefix("<?xml "), let name = text.split(separator: "encoding", maxSplits: 1).dropFirst().first
        else { return }
        let encoding = name.drop { $0 == "=" || $0 == " " || $0 == "\"" || $0 == "'" }
        guard encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8") || encoding.hasPrefix("us-ascii") else {
            throw fault("the file declares another encoding than UTF-8", code: .notUTF8, at: offset)
        }
    }

    /// Reads a reference to one of XML's own five entities, or to a character by its number.
    private mutating func reference() throws(CatalogError) -> [UInt8] {
        let start = position
        let body = bytes[(start + 1)...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
        let end = start + 1 + body.count
        guard end < bytes.count else { throw ended() }
        guard bytes[end] == UInt8(ascii: ";") else { throw fault("'&' does not begin a reference", at: start) }
        position = end + 1
        let name = String(decoding: body, as: UTF8.self)
        switch name {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard name.hasPrefix("#"), digits.first?.isHexDigit == true,
                let code = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(code),
                code >= 0x20 || code == 0x09 || code == 0x0A || code == 0x0D
            else { throw fault("&\(name); is not a known character", at: start) }
            return Array(String(Character(scalar)).utf8)
        }
    }

    private func check(_ byte: UInt8) throws(CatalogError) {
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
            throw fault("the text contains a control character", at: position)
        }
    }

    private func ended() -> CatalogError {
        fault("the property list ends too early", code: .truncated, at: bytes.count)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isNamePart || byte == UInt8(ascii: ":") }
}
