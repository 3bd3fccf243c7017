/// Writes a document's value as text that ``CatalogDocument`` reads as the same value; the output is deterministic.
struct DocumentText {
    private var bytes: [UInt8] = []
    private var level = 0
    /// Whether JSON is written in Xcode's layout, with sorted keys.
    private var isXcode = false

    // MARK: JSON

    /// Returns JSON with the members in the order of the value, and each member or element on its own line.
    static func json(_ value: DocumentValue) -> [UInt8] {
        var text = DocumentText()
        text.write(value)
        return text.bytes + [UInt8(ascii: "\n")]
    }

    /// Returns JSON as Xcode writes it: with sorted keys, spaces around colons, and an empty line in empty arrays and
    /// objects.
    static func xcodeJSON(_ value: DocumentValue) -> [UInt8] {
        var text = DocumentText()
        text.isXcode = true
        text.write(value)
        return text.bytes + [UInt8(ascii: "\n")]
    }

    private mutating func write(_ value: DocumentValue) {
        switch value {
        case .dictionary(let dictionary):
            var members = dictionary.members
            if isXcode { members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
            writeList(members, open: "{", close: "}") { text, member in
                text.writeJSON(member.name)
                text.append(text.isXcode ? " : " : ": ")
                text.write(member.value)
            }
        case .array(let elements): writeList(elements, open: "[", close: "]") { $0.write($1) }
        case .string(let string): writeJSON(string)
        case .number(let number): append(number)
        case .bool(let bool): append(bool ? "true" : "false")
        case .null, .opaque: append("null")
        }
    }

    private mutating func writeList<Element>(
        _ elements: [Element], open: String, close: String, _ write: (inout DocumentText, Element) -> Void
    ) {
        append(open)
        if elements.isEmpty {
            if isXcode {
                append("\n")
                newLine()
            }
        } else {
            level += 1
            for (position, element) in elements.enumerated() {
                if position > 0 { append(",") }
                newLine()
                write(&self, element)
            }
            level -= 1
            newLine()
        }
        append(close)
    }

    private mutating func writeJSON(_ string: String) { JSONText.string(string).write(to: &bytes) }

    private mutating func newLine() {
        append("\n" + String(repeating: "  ", count: level))
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    // MARK: Property lists

    /// Returns whether an XML property list can store a text, which is not possible for most control characters.
    static func isEncodableInXML(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
    }

    /// Returns an XML property list with the members in the order of the value.
    ///
    /// - Parameter value: A value without `null`, and without texts that XML cannot store.
    static func propertyList(_ value: DocumentValue) -> [UInt8] {
        var text = DocumentText()
        text.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
        text.writeXML(value)
        text.append("</plist>\n")
        return text.bytes
    }

    private mutating func writeXML(_ value: DocumentValue) {
        switch value {
        case .dictionary(let dictionary):
            writeXMLList(dictionary.members.isEmpty, "dict") { text in
                for member in dictionary.members {
                    text.writeElement("key", member.name)
                    text.writeXML(member.value)
                }
            }
        case .array(let elements):
            writeXMLList(elements.isEmpty, "array") { text in
                for element in elements { text.writeXML(element) }
            }
        case .string(let string): writeElement("string", string)
        case .number(let number): writeElement(Int64(number) == nil ? "real" : "integer", number)
        case .bool(let bool): writeXMLLine(bool ? "<true/>" : "<false/>")
        case .null, .opaque: break
        }
    }

    private mutating func writeXMLList(_ isEmpty: Bool, _ name: String, _ content: (inout DocumentText) -> Void) {
        guard !isEmpty else {
            writeXMLLine("<\(name)/>")
            return
        }
        writeXMLLine("<\(name)>")
        level += 1
        content(&self)
        level -= 1
        writeXMLLine("</\(name)>")
    }

    private mutating func writeElement(_ name: String, _ content: String) {
        var escaped = ""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // An unescaped carriage return is read as a line feed.
            case "\r": escaped += "&#13;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        writeXMLLine("<\(name)>\(escaped)</\(name)>")
    }

    private mutating func writeXMLLine(_ line: String) {
        append(String(repeating: "\t", count: level) + line + "\n")
    }
}

extension DocumentDictionary {
    /// Creates an empty dictionary, to which members are added in the order in which they are written.
    init() { self.init(members: []) }

    /// Adds a member, unless the value is `nil`.
    mutating func add(_ name: String, _ value: DocumentValue?) {
        if let value { members.append(Member(name: name, value: value)) }
    }

    /// Adds a member with a text, unless the text is `nil`.
    mutating func add(_ name: String, text: String?) { add(name, text.map(DocumentValue.string)) }

    /// Adds a member with a whole number, unless the number is `nil`.
    mutating func add(_ name: String, number: Int?) { add(name, number.map { .number(String($0)) }) }
}
