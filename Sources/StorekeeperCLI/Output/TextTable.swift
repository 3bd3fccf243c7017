import Storekeeper

/// Rows of text in aligned columns with a heading.
///
/// If the width is limited, the table shortens cells and omits the least important columns.
struct TextTable {
    /// The content of a cell: one or more texts with the same meaning, from the longest to the shortest.
    struct Cell: Equatable {
        fileprivate let forms: [String]

        private init(_ forms: [String]) { self.forms = forms.map(\.onOneLine) }

        /// A single text.
        static func text(_ text: String?) -> Cell { Cell([text ?? ""]) }

        /// Texts with the same meaning, from the longest to the shortest.
        static func forms(_ forms: [String]) -> Cell { Cell(forms) }

        /// A time with a precision of a millisecond, a second, a minute or a day, depending on the available width.
        ///
        /// If the current time is given, the two longest texts also contain the distance between the two times. If the
        /// time is `nil`, the cell is empty.
        ///
        /// - Parameter words: The words before the time, from the longest to the shortest.
        static func time(_ instant: Instant?, at now: Instant? = nil, after words: [String] = [""]) -> Cell {
            guard let instant else { return Cell([""]) }
            let plain = [instant.description, instant.toSeconds, instant.toMinutes, instant.day]
            var forms = plain
            if let now {
                let distance = " (\(RelativeTime.words(for: instant, at: now)))"
                forms = [plain[0] + distance, plain[1] + distance] + plain.dropFirst()
            }
            return Cell(
                forms.enumerated().map { index, form in
                    (words.isEmpty ? "" : words[min(index, words.count - 1)]) + form
                })
        }

        fileprivate func text(at level: Int) -> String { forms.isEmpty ? "" : forms[min(level, forms.count - 1)] }
    }

    /// A way to make the table narrower.
    enum WidthReduction {
        /// Uses the next shorter form of a column's cells.
        case shorten(String)
        /// Removes a column.
        case drop(String)
    }

    private let heading: [String]
    private var rows: [[Cell]] = []

    /// The ways to make the table narrower, in the order of their use.
    var widthReductions: [WidthReduction] = []

    init(_ heading: String...) { self.heading = heading }

    /// Adds a row, whose missing last cells are left blank.
    mutating func add(_ cells: String...) { add(cells.map(Cell.text)) }

    /// Adds a row, whose missing last cells are left blank.
    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    var isEmpty: Bool { rows.isEmpty }

    /// Returns the lines of the table, with two blanks between columns and no trailing blanks.
    ///
    /// No line is wider than the given width. The ``widthReductions`` are applied in order until the table fits. If
    /// they do not suffice, the middles of the longest cells are abbreviated.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal; `nil` means no limit.
    ///   - column: The index of a column whose cells below the heading are colored.
    ///   - paint: Colors a cell. Its arguments are the text to color, which may be abbreviated, and the full text,
    ///     which determines the color.
    func lines(
        _ style: TerminalStyle, width: Int? = nil, painting column: Int? = nil,
        _ paint: (String, String) -> String = { text, _ in text }
    ) -> [String] {
        let layout = fitted(to: width)
        return ([heading.map(Cell.text)] + rows).enumerated().map { position, row in
            var line = ""
            var gap = 0
            for (index, width) in layout.widths where index < row.count {
                let whole = row[index].text(at: layout.levels[index])
                let cell = whole.abbreviated(to: width)
                if !cell.isEmpty {
                    let isPainted = index == column && position > 0
                    line += String(repeating: " ", count: gap) + (isPainted ? paint(cell, whole) : cell)
                    gap = 0
                }
                gap += width - cell.columns + Self.gap
            }
            return position == 0 ? style.bold(line) : line
        }
    }

    // MARK: Room

    private static let gap = 2
    /// The minimal width of an abbreviated cell.
    private static let leastWidth = 8

    /// The shown columns with their widths, and for each column the index of the text form that its cells use.
    private struct Layout {
        var widths: [(index: Int, width: Int)]
        var levels: [Int]

        var width: Int { widths.reduce(0) { $0 + $1.width } + max(widths.count - 1, 0) * TextTable.gap }

        /// Narrows the widest columns until the table fits the limit.
        mutating func shrink(to limit: Int) {
            while width > limit, let widest = widths.indices.max(by: { widths[$0].width < widths[$1].width }),
                widths[widest].width > TextTable.leastWidth
            {
                widths[widest].width -= 1
            }
        }
    }

    private func fitted(to limit: Int?) -> Layout {
        var levels = [Int](repeating: 0, count: heading.count)
        var shown = Array(heading.indices)
        var layout = layout(shown, levels)
        guard let limit else { return layout }
        for sacrifice in widthReductions where layout.width > limit {
            switch sacrifice {
            case .shorten(let name):
                guard let index = heading.firstIndex(of: name) else { continue }
                levels[index] += 1
            case .drop(let name): shown.removeAll { heading[$0] == name }
            }
            layout = self.layout(shown, levels)
        }
        layout.shrink(to: limit)
        return layout
    }

    private func layout(_ shown: [Int], _ levels: [Int]) -> Layout {
        Layout(
            widths: shown.map { index in
                let cells = rows.lazy.filter { index < $0.count }.map { $0[index].text(at: levels[index]).columns }
                return (index, max(heading[index].columns, cells.max() ?? 0))
            }, levels: levels)
    }
}
