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
    ///
    /// - Parameters:
    ///   - column: A column, from 0, whose cells below the heading are painted.
    ///   - paint: Colours a cell, given its text twice: to be coloured, and to tell the colour by.
    func lines(
        _ style: TerminalStyle, painting column: Int? = nil, _ paint: (String, String) -> String = { text, _ in text }
    ) -> [String] {
        var widths = heading.map(\.count)
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], cell.count)
            }
        }
        return ([heading] + rows).enumerated().map { position, row in
            var line = ""
            var gap = 0
            for (index, (cell, width)) in zip(row, widths).enumerated() {
                if !cell.isEmpty {
                    let isPainted = index == column && position > 0
                    line += String(repeating: " ", count: gap) + (isPainted ? paint(cell, cell) : cell)
                    gap = 0
                }
                gap += width - cell.count + 2
            }
            return position == 0 ? style.bold(line) : line
        }
    }
}
