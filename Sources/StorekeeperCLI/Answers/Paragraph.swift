import Storekeeper

/// Wraps text between words.
enum Paragraph {
    /// Returns the lines of a text, wrapped to a width.
    ///
    /// A word that is longer than the width has its own line.
    ///
    /// - Parameters:
    ///   - text: The text; characters that break lines or move the cursor are removed.
    ///   - width: The columns of a line.
    ///   - first: The prefix of the first line; `nil` uses the indent.
    ///   - indent: The prefix of the other lines.
    static func lines(_ text: String, width: Int, first: String? = nil, indent: String = "") -> [String] {
        var lines: [String] = []
        var line = first ?? indent
        var isEmpty = true
        var columns = line.columns
        for word in text.onOneLine.split(separator: " ") {
            if !isEmpty, columns + 1 + word.columns > width {
                lines.append(line)
                line = indent
                columns = line.columns
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            columns += word.columns + (isEmpty ? 0 : 1)
            isEmpty = false
        }
        lines.append(line)
        return lines
    }
}
