/// Rows of text in aligned columns, with a heading.
struct TextTable {
    private let heading: [String]
    private var rows: [[String]] = []

    init(_ heading: String...) { self.heading = heading }

    /// Adds a row; what it lacks is left blank.
    mutating func add(_ cells: String...) { rows.append(cells.map(\.onOneLine)) }

    var isEmpty: Bool { rows.isEmpty }

    /// The lines of the table; columns are two blanks apart, and no line ends in blanks.
    ///
    /// Widths are counted in characters, which fits all ids that the App Store allows.
    func lines(_ style: TerminalStyle) -> [String] {
        var widths = heading.map(\.count)
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], cell.count)
            }
        }
        return ([heading] + rows).enumerated().map { position, row in
            var line = ""
            var gap = 0
            for (cell, width) in zip(row, widths) {
                if !cell.isEmpty {
                    line += String(repeating: " ", count: gap) + cell
                    gap = 0
                }
                gap += width - cell.count + 2
            }
            return position == 0 ? style.bold(line) : line
        }
    }
}
