import Storekeeper

/// Rows of text in aligned columns, with a heading; where the room is narrow, without what matters least.
struct TextTable {
    /// What stands in a cell: a text, or forms of it from the fullest to the shortest.
    struct Cell: Equatable {
        fileprivate let forms: [String]

        private init(_ forms: [String]) { self.forms = forms.map(\.onOneLine) }

        /// A text that has one form.
        static func text(_ text: String?) -> Cell { Cell([text ?? ""]) }

        /// The same in several forms, from the fullest to the shortest.
        static func forms(_ forms: [String]) -> Cell { Cell(forms) }

        /// A time, to the millisecond, the second, the minute, the day.
        ///
        /// Before them come the first two with the distance from now, where that is given. Nothing where there is no
        /// time.
        ///
        /// - Parameter words: What stands before it, from the fullest to the shortest words.
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

    /// What is given up for room.
    enum Sacrifice {
        /// The next shorter form of the cells of a column.
        case shorten(String)
        /// A column.
        case drop(String)
    }

    private let heading: [String]
    private var rows: [[Cell]] = []

    /// What is given up for room, what matters least first.
    var sacrifices: [Sacrifice] = []

    init(_ heading: String...) { self.heading = heading }

    /// Adds a row; what it lacks is left blank.
    mutating func add(_ cells: String...) { add(cells.map(Cell.text)) }

    /// Adds a row; what it lacks is left blank.
    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    var isEmpty: Bool { rows.isEmpty }

    /// The lines of the table; columns are two blanks apart, and no line ends in blanks.
    ///
    /// Where a width is given, no line is wider: the sacrifices are made, one after the other, until it fits, and if
    /// they do not suffice the middles of the longest cells are left out.
    ///
    /// - Parameters:
    ///   - width: How many columns of the terminal there are; `nil`: as many as are needed.
    ///   - column: A column, from 0, whose cells below the heading are painted.
    ///   - paint: Colours a cell, given its text twice: to be coloured, and to tell the colour by.
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
    /// Below this no cell is abbreviated.
    private static let leastWidth = 8

    /// Which columns are shown, how wide, and in which form.
    private struct Layout {
        var widths: [(index: Int, width: Int)]
        var levels: [Int]

        var width: Int { widths.reduce(0) { $0 + $1.width } + max(widths.count - 1, 0) * TextTable.gap }

        /// Takes the room that lacks from the widest columns.
        mutating func squeeze(to limit: Int) {
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
        for sacrifice in sacrifices where layout.width > limit {
            switch sacrifice {
            case .shorten(let name):
                guard let index = heading.firstIndex(of: name) else { continue }
                levels[index] += 1
            case .drop(let name): shown.removeAll { heading[$0] == name }
            }
            layout = self.layout(shown, levels)
        }
        layout.squeeze(to: limit)
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
