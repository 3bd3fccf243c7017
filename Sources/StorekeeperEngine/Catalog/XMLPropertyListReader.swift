/// Reads XML property lists from untrusted sources, and preserves the order of dictionary members.
///
/// The reader supports only the parts of XML that property lists use. It skips a document type declaration, but refuses
/// a declaration with an internal subset, which could define entities.
///
/// `PropertyListDecoder` of FoundationEssentials cannot replace the two readers of property lists. With deeply nested
/// arrays it overflows the stack, and with a binary array that contains itself it never returns. It silently uses the
/// last of two equal keys, loses the order of dictionaries and the digits of prices, and does not report the line of an
/// error.
///
/// - SeeAlso: Apple, "Property List Programming Guide"; W3C, "Extensible Markup Language (XML) 1.0".
struct XMLPropertyListReader {
    private var text: XMLText
    private var depth = 0

    /// Returns the value of a property list.
    ///
    /// - Parameter bytes: UTF-8, at most ``CatalogFile/maximumSize`` bytes.
    static func read(_ bytes: [UInt8], file: String) throws(CatalogError) -> DocumentValue {
        var reader = XMLPropertyListReader(text: XMLText(bytes: bytes, file: file))
        return try reader.document()
    }

    private init(text: XMLText) { self.text = text }

    private mutating func document() throws(CatalogError) -> DocumentValue {
        try text.skipProlog()
        let root = try text.tag()
        guard root.kind != .closing, root.name == "plist" else {
            throw text.fault("the file is XML but not a property list: it begins with <\(root.name)>", at: root.start)
        }
        guard root.kind == .opening else { throw text.fault("the property list is empty", at: root.start) }
        try text.skipSpaceAndComments()
        let first = try text.tag()
        guard first.kind != .closing else { throw text.fault("the property list is empty", at: first.start) }
        let value = try value(first)
        try text.skipSpaceAndComments()
        let end = try text.tag()
        guard end.kind == .closing, end.name == "plist" else {
            throw text.fault("expected </plist> after the value", at: end.start)
        }
        try text.skipSpaceAndComments()
        guard text.isAtEnd else {
            throw text.fault("there is extra content after the property list", at: text.position)
        }
        return value
    }

    private mutating func value(_ tag: XMLText.Tag) throws(CatalogError) -> DocumentValue {
        switch tag.name {
        case "dict", "array":
            guard depth < CatalogFile.maximumDepth else {
                throw text.fault(
                    "arrays and dictionaries are nested more than \(CatalogFile.maximumDepth) deep",
                    code: .tooDeep, at: tag.start)
            }
            depth += 1
            defer { depth -= 1 }
            return tag.name == "dict" ? .dictionary(try dictionary(tag)) : .array(try array(tag))
        case "string": return .string(try content(tag))
        case "integer": return .number(try integer(tag))
        case "real": return .number(XMLText.trimmed(try content(tag)))
        case "true", "false":
            guard XMLText.trimmed(try content(tag)).isEmpty else {
                throw text.fault("<\(tag.name)> has content", at: tag.start)
            }
            return .bool(tag.name == "true")
        case "date", "data":
            _ = try content(tag)
            return .opaque
        default: throw text.fault("<\(tag.name)> is not a value of a property list", at: tag.start)
        }
    }

    private mutating func dictionary(_ tag: XMLText.Tag) throws(CatalogError) -> DocumentDictionary {
        var members: [DocumentDictionary.Member] = []
        var names: Set<DocumentDictionary.Name> = []
        guard tag.kind == .opening else { return DocumentDictionary(members: []) }
        while true {
            try text.skipSpaceAndComments()
            let keyTag = try text.tag()
            if keyTag.kind == .closing, keyTag.name == "dict" { return DocumentDictionary(members: members) }
            guard keyTag.kind != .closing, keyTag.name == "key" else {
                throw text.fault("expected <key> in a dictionary", at: keyTag.start)
            }
            let name = try content(keyTag)
            guard names.insert(DocumentDictionary.Name(name)).inserted else {
                throw text.fault("the key \"\(name.prefix(64))\" occurs twice", code: .duplicateKey, at: keyTag.start)
            }
            try text.skipSpaceAndComments()
            let valueTag = try text.tag()
            guard valueTag.kind != .closing else {
                throw text.fault("the key \"\(name.prefix(64))\" has no value", at: valueTag.start)
            }
            members.append(.init(name: name, value: try value(valueTag)))
        }
    }

    private mutating func array(_ tag: XMLText.Tag) throws(CatalogError) -> [DocumentValue] {
        var elements: [DocumentValue] = []
        guard tag.kind == .opening else { return [] }
        while true {
            try text.skipSpaceAndComments()
            let elementTag = try text.tag()
            if elementTag.kind == .closing, elementTag.name == "array" { return elements }
            guard elementTag.kind != .closing else {
                throw text.fault("</\(elementTag.name)> has no start tag", at: elementTag.start)
            }
            elements.append(try value(elementTag))
        }
    }

    /// Reads up to and including the closing tag of an element that contains only text, and returns this text.
    private mutating func content(_ tag: XMLText.Tag) throws(CatalogError) -> String {
        guard tag.kind == .opening else { return "" }
        let content = try text.characters()
        let end = try text.tag()
        guard end.kind == .closing, end.name == tag.name else {
            throw text.fault("expected </\(tag.name)>", at: end.start)
        }
        return content
    }

    /// Reads a whole number in decimal or hexadecimal digits, and returns it in decimal digits.
    private mutating func integer(_ tag: XMLText.Tag) throws(CatalogError) -> String {
        var number = XMLText.trimmed(try content(tag))
        let isNegative = number.hasPrefix("-")
        if isNegative || number.hasPrefix("+") { number.removeFirst() }
        let isHexadecimal = number.hasPrefix("0x") || number.hasPrefix("0X")
        let digits = isHexadecimal ? String(number.dropFirst(2)) : number
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let value = UInt64(digits, radix: isHexadecimal ? 16 : 10)
        else { throw text.fault("an <integer> is not a 64-bit whole number", at: tag.start) }
        return isNegative && value != 0 ? "-\(value)" : String(value)
    }
}
