/// Removes scalars that a terminal obeys instead of showing them: control characters, which can move the cursor, rename
/// the window or send input, and those that reverse the direction of text.
///
/// Texts from evidence and catalogs may contain them.
enum TerminalText {
    /// Returns a text with blanks in place of such scalars, except line breaks, tabs and the sequences of styles.
    static func withoutControls(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: isObeyed) else { return String(text) }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let style = scalar == "\u{1B}" ? lengthOfStyle(rest) : 0
            if style > 0 {
                result.append(contentsOf: rest.prefix(style))
                rest = rest.dropFirst(style)
            } else {
                result.append(isObeyed(scalar) && scalar != "\n" && scalar != "\t" ? " " : scalar)
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// Returns a JSON text with `\u` escapes for such scalars.
    static func escaped(json: [UInt8]) -> [UInt8] {
        let scalars = String(decoding: json, as: UTF8.self).unicodeScalars
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        for scalar in scalars {
            // A line break is a part of the layout, because strings of JSON contain none.
            if isObeyed(scalar), scalar != "\n" {
                let digits = String(scalar.value, radix: 16)
                result += Array(("\\u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits).utf8)
            } else {
                result += Array(String(scalar).utf8)
            }
        }
        return result
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isBidiControl
        }
    }

    /// Returns the number of scalars of a style's sequence at the start of a text, such as that of `TerminalStyle`; 0 for
    /// any other text.
    private static func lengthOfStyle(_ text: some Collection<Unicode.Scalar>) -> Int {
        let end = text.dropFirst(2).firstIndex { !(0x30...0x39).contains($0.value) && $0 != ";" }
        guard text.dropFirst().first == "[", let end, text[end] == "m" else { return 0 }
        return text.distance(from: text.startIndex, to: end) + 1
    }
}
