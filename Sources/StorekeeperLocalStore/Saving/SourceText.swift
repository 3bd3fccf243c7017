import Storekeeper

/// Functions that write texts as literals of programming languages.
enum SourceText {
    /// Returns a text as a string literal of Swift.
    static func swift(_ text: String) -> String { literal(text) { "\\u{\(String($0, radix: 16))}" } }

    /// Returns a text as a multi-line raw string literal of Swift.
    static func swiftLines(_ text: String, indent: String) -> String {
        var marks = "#"
        while text.contains("\"\"\"\(marks)") || text.contains("\\\(marks)") { marks += "#" }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
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
        text.contains("'''") || text.hasSuffix("\\") ? python(text) : "r'''\(text)'''"
    }

    /// Returns a text as one quoted word of a shell command.
    static func shell(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

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
