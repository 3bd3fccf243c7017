import StorekeeperEngine

extension TimelineChart {
    /// Returns the chart as text: one bar per row under a time axis, and a legend.
    ///
    /// Characters of a label that could break its line or move a terminal's cursor are drawn as blanks.
    ///
    /// - Parameter width: The number of columns; at least 40 are used.
    /// - Returns: Lines, each ended by a line feed.
    public func text(width: Int) -> String { text(width: width) { text, _ in text } }

    /// Returns the chart as text, as ``text(width:)`` does, but in color.
    ///
    /// - Parameters:
    ///   - width: The number of columns; at least 40 are used.
    ///   - paint: Returns a text in the color of a style; called once for each run of characters with the same style.
    /// - Returns: Lines, each ended by a line feed.
    package func text(width: Int, paint: (String, SegmentStyle) -> String) -> String {
        let labels = rows.map { Self.onOneLine($0.label) }
        let labelWidth = min(labels.map(\.count).max() ?? 0, max(width / 3, 12))
        let barWidth = max(width - labelWidth - 2, 40 - 14)
        let indent = String(repeating: " ", count: labelWidth + 2)
        var lines = axisLines(barWidth: barWidth).map { indent + $0 }
        for (row, label) in zip(rows, labels) {
            lines.append(Self.fitted(label, to: labelWidth) + "  " + bar(row, width: barWidth, paint: paint))
        }
        if let mark {
            let column = Self.column(position(of: mark), of: barWidth)
            lines.append(indent + Self.mark(mark, at: column, of: barWidth))
        }
        if !segmentStyles.isEmpty {
            lines.append("")
            lines += legend(indent: indent, width: width, paint: paint)
        }
        return lines.map { Self.trimmingEnd($0) + "\n" }.joined()
    }

    /// Returns a mark below the bars, with its time on the right or, near the right edge, on the left.
    ///
    /// If neither side has enough room, the time is shortened or left out.
    private static func mark(_ instant: Instant, at column: Int, of width: Int) -> String {
        let full = "\(instant)"
        let labels = [full, String(full.prefix { $0 != "." }) + "Z", String(full.prefix { $0 != "T" })]
        for label in labels {
            if column + 2 + label.count <= width { return String(repeating: " ", count: column) + "▲ " + label }
            if label.count < column {
                return String(repeating: " ", count: column - label.count - 1) + label + " ▲"
            }
        }
        return String(repeating: " ", count: column) + "▲"
    }

    /// Returns the legend: one line that begins below the bars or, if that line is too long, several lines below the
    /// labels.
    private func legend(indent: String, width: Int, paint: (String, SegmentStyle) -> String) -> [String] {
        var items = segmentStyles.map { style in
            (text: "\(paint(String(Self.character(style)), style)) \(style.meaning)", width: 2 + style.meaning.count)
        }
        if rows.contains(where: { $0.due != nil }) {
            let meaning = "renewal, if it arrives"
            items.append(("\(paint(String(Self.dueCharacter), .access)) \(meaning)", 2 + meaning.count))
        }
        let isShort = indent.count + items.map(\.width).reduce(0, +) + 3 * (items.count - 1) <= width
        var lines: [String] = []
        var used = width
        for item in items {
            if used + 3 + item.width <= width, !lines.isEmpty {
                lines[lines.count - 1] += "   " + item.text
                used += 3 + item.width
            } else {
                lines.append((isShort ? indent : "") + item.text)
                used = (isShort ? indent.count : 0) + item.width
            }
        }
        return lines
    }

    /// Returns two lines: the labels of the axis, and its tick marks.
    private func axisLines(barWidth: Int) -> [String] {
        var labels = [Character](repeating: " ", count: barWidth)
        var marks = [Character](repeating: "─", count: barWidth)
        var firstFree = 0
        for tick in TimeAxis(from: start, to: end, maximumCount: max(barWidth / 13, 2)).ticks {
            let column = Self.column(position(of: tick.at), of: barWidth)
            marks[column] = "┬"
            guard column >= firstFree, column + tick.label.count <= barWidth else { continue }
            for (offset, character) in tick.label.enumerated() { labels[column + offset] = character }
            firstFree = column + tick.label.count + 1
        }
        return [String(labels), String(marks)]
    }

    /// Returns one bar, in which each column shows the style that covers most of the column's time.
    ///
    /// If several styles cover equally much of a column, the latest of them is shown.
    private func bar(_ row: Row, width: Int, paint: (String, SegmentStyle) -> String) -> String {
        // Times are multiplied by the number of columns, so that the edges of the columns are whole numbers.
        func scaled(_ instant: Instant) -> Double { Double(instant.milliseconds(since: start)) * Double(width) }
        let span = Double(end.milliseconds(since: start))
        let runs = row.segments.map { segment in
            (
                from: segment.from.map(scaled) ?? -Double.infinity, to: segment.to.map(scaled) ?? Double.infinity,
                style: segment.segmentStyle
            )
        }
        let due = row.due.flatMap { due in
            due.from.flatMap { from in due.to.map { (from: scaled(from), to: scaled($0)) } }
        }
        var segmentStyles: [SegmentStyle] = []
        var isDue = [Bool](repeating: false, count: width)
        for column in 0..<width {
            let (left, right) = (Double(column) * span, Double(column + 1) * span)
            var shares: [SegmentStyle: Double] = [:]
            var widest = SegmentStyle.nothing
            for run in runs where run.from < right && run.to > left {
                shares[run.style, default: 0] += min(run.to, right) - max(run.from, left)
                if shares[run.style, default: 0] >= shares[widest, default: 0] { widest = run.style }
            }
            let middle = (left + right) / 2
            isDue[column] = due.map { $0.from <= middle && middle < $0.to } ?? false
            segmentStyles.append(isDue[column] ? .access : widest)
        }
        var bar = ""
        var runStart = 0
        for column in 1...width
        where column == width || segmentStyles[column] != segmentStyles[runStart] || isDue[column] != isDue[runStart] {
            let character: Character = isDue[runStart] ? Self.dueCharacter : Self.character(segmentStyles[runStart])
            let text = String(repeating: character, count: column - runStart)
            bar += paint(text, segmentStyles[runStart])
            runStart = column
        }
        return bar
    }

    /// The character of a renewal that is due, dashed because it is only expected.
    private static let dueCharacter: Character = "╌"

    private static func character(_ segmentStyle: SegmentStyle) -> Character {
        switch segmentStyle {
        case .access: "█"
        case .trial: "▓"
        case .grace: "▒"
        case .pending: "◌"
        case .retry: "░"
        case .lapsed: "·"
        case .unknown: "?"
        case .nothing: " "
        }
    }

    private static func column(_ position: Double, of width: Int) -> Int {
        min(Int(position * Double(width)), width - 1)
    }

    /// Returns the label, with blanks in place of characters that could break its line, move a terminal's cursor or
    /// reverse text.
    ///
    /// Such characters can occur, because ids may come from unverified evidence.
    private static func onOneLine(_ label: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func fitted(_ text: String, to width: Int) -> String {
        text.count <= width
            ? text + String(repeating: " ", count: width - text.count) : text.prefix(max(width - 1, 0)) + "…"
    }

    private static func trimmingEnd(_ line: String) -> String {
        var line = Substring(line)
        while line.last == " " { line = line.dropLast() }
        return String(line)
    }
}
