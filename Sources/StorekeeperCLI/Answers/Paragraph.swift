import Storekeeper

/// Text that is broken into lines between words.
enum Paragraph {
    /// The lines of a text, each as long as fits; a word that does not fit has a line for itself.
    ///
    /// - Parameters:
    ///   - text: The text; what could break a line or move the cursor is taken out of it.
    ///   - width: How many columns there are.
    ///   - first: What stands before the first line; `nil`: what stands before the others.
    ///   - indent: What stands before the other lines.
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
