import Storekeeper

/// Functions that write texts as literals of programming languages.
///
/// A story may come from somebody else, and the saved test runs on the machines of its reader. Every function therefore
/// escapes Unicode scalars. A quotation mark beside a combining mark, or after a letter such as U+0600, is one
/// `Character`, which differs from a quotation mark; a compiler or a shell still reads the quotation mark.
enum SourceText {
    /// Returns a text as a string literal of Swift.
    static func swift(_ text: String) -> String { literal(text) { "\\u{\(String($0, radix: 16))}" } }

    /// Returns a text as a multi-line raw string literal of Swift.
    ///
    /// If a multi-line literal cannot contain the text, the result is an ordinary literal.
    static func swiftLines(_ text: String, indent: String) -> String {
        guard hasPlainLines(text) else { return swift(text) }
        var marks = "#"
        while text.utf8.contains("\"\"\"\(marks)".utf8) || text.utf8.contains("\\\(marks)".utf8) { marks += "#" }
        var lines = Self.lines(of: text)
        // The text ends with a line feed, and a multi-line literal ends with a line feed only if its last line is
        // empty.
        if lines.last?.isEmpty != true { lines.append("") }
        let body = lines.map { $0.isEmpty ? "\n" : "\(indent)\($0)\n" }.joined()
        return "\(marks)\"\"\"\n\(body)\(indent)\"\"\"\(marks)"
    }

    /// Returns a text as a string literal of Python.
    static func python(_ text: String) -> String {
        literal(text) { number in
            let digits = String(number, radix: 16)
            return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }

    /// Returns a text as a literal in double quotes.
    ///
    /// - Parameter escape: Returns the escape sequence for the value of a Unicode scalar.
    private static func literal(_ text: String, _ escape: (UInt32) -> String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": literal += "\\\\"
            case "\"": literal += "\\\""
            default:
                if isPrintable(scalar) {
                    literal.unicodeScalars.append(scalar)
                } else {
                    literal += escape(scalar.value)
                }
            }
        }
        return literal + "\""
    }

    /// Returns a text as a multi-line raw string literal of Python.
    ///
    /// If a raw literal cannot contain the text, the result is an ordinary literal.
    static func pythonLines(_ text: String) -> String {
        let last = text.utf8.last
        let isRaw =
            hasPlainLines(text) && !text.utf8.contains("'''".utf8) && last != UInt8(ascii: "'")
            && last != UInt8(ascii: "\\")
        return isRaw ? "r'''\(text)'''" : python(text)
    }

    /// Returns a text as one quoted word of a bash command.
    ///
    /// A word of bash cannot contain a zero byte, so U+FFFD replaces it.
    static func shell(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { isPrintable($0) || $0 == "\n" }
        var word = isPlain ? "'" : "$'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": word += isPlain ? #"'\''"# : #"\'"#
            case "\\" where !isPlain: word += #"\\"#
            case "\0": word.unicodeScalars.append("\u{FFFD}")
            default:
                if isPlain || isPrintable(scalar) {
                    word.unicodeScalars.append(scalar)
                } else {
                    // The escapes of bash for code points depend on the locale, those for bytes do not.
                    for byte in String(scalar).utf8 {
                        let digits = String(byte, radix: 8)
                        word += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                    }
                }
            }
        }
        return word + "'"
    }

    /// Returns a delimiter that ends a here-document of bash after a text that does not contain it.
    static func hereDelimiter(_ word: String, after text: String) -> String {
        var delimiter = word
        while text.utf8.contains(delimiter.utf8) { delimiter += "_" }
        return delimiter
    }

    /// Returns a text as printable text on one line, for a message of a test.
    static func message(_ text: String) -> String {
        var message = ""
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) {
                message.unicodeScalars.append(scalar)
            } else {
                message += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return message
    }

    /// Returns the lines of a text, which end with line feeds.
    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Returns whether a multi-line literal can contain a text without escapes.
    ///
    /// Compilers read a carriage return as the end of a line, and ignore or refuse zero bytes. Characters that change
    /// the direction of text would hide the end of a literal from its reader. The joiners are letters of many words.
    private static func hasPlainLines(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "\n", "\t", "\u{200C}", "\u{200D}": true
            default: isPrintable(scalar)
            }
        }
    }

    /// Returns whether a literal can contain a Unicode scalar without an escape.
    ///
    /// For example, control characters and characters that change the direction of text must be escaped.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
