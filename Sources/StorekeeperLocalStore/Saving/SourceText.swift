import Storekeeper

/// Texts as literals of other languages.
enum SourceText {
    /// Returns a text as a string of Swift.
    static func swift(_ text: String) -> String { literal(text) { "\\u{\(String($0, radix: 16))}" } }

    /// Returns lines as a raw string of Swift over several lines.
    static func swiftLines(_ text: String, indent: String) -> String {
        var marks = "#"
        while text.contains("\"\"\"\(marks)") || text.contains("\\\(marks)") { marks += "#" }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The text ends with a line feed, which the literal has if its last line is empty.
        if lines.last?.isEmpty != true { lines.append("") }
        let body = lines.map { $0.isEmpty ? "\n" : "\(indent)\($0)\n" }.joined()
        return "\(marks)\"\"\"\n\(body)\(indent)\"\"\"\(marks)"
    }

    /// Returns a text as a string of Python.
    static func python(_ text: String) -> String {
        literal(text) { number in
            let digits = String(number, radix: 16)
            return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }

    /// Returns a text in double quotes.
    ///
    /// - Parameter escape: Returns a scalar that cannot be in the text as it is, by its number.
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

    /// Returns lines as a raw string of Python over several lines, or as an ordinary one.
    static func pythonLines(_ text: String) -> String {
        text.contains("'''") || text.hasSuffix("\\") ? python(text) : "r'''\(text)'''"
    }

    /// Returns a text as one word of a shell.
    static func shell(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

    /// Returns whether a scalar can be in a text of a program as it is: no control character, and none that changes the
    /// direction of the text.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
