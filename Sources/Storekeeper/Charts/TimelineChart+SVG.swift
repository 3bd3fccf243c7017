extension TimelineChart {
    /// The chart as a picture.
    ///
    /// - Parameter title: A line above the chart.
    /// - Returns: A complete SVG document, 960 units wide, that needs nothing else to be shown.
    /// - SeeAlso: W3C, "Scalable Vector Graphics (SVG) 1.1".
    public func svg(title: String) -> String {
        let geometry = Geometry(rowCount: rows.count, labelLength: rows.map(\.label.count).max() ?? 0)
        var body: [String] = []
        body.append(##"<rect width="\##(geometry.width)" height="\##(geometry.height)" fill="#ffffff"/>"##)
        body.append(Self.label(title, x: 24, y: 34, size: 17, fill: "#1b1f24", weight: "600"))
        body += grid(geometry)
        for (index, row) in rows.enumerated() { body += bar(row, at: index, geometry) }
        if let mark { body += marker(mark, geometry) }
        body += legend(geometry)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(geometry.width)" height="\(geometry.height)" \
            viewBox="0 0 \(geometry.width) \(geometry.height)" role="img" \
            font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">
            <title>\(Self.escaped(title))</title>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// Where things stand, in units of the picture.
    private struct Geometry {
        let width = 960
        let rowHeight = 36
        let top = 84
        let left: Int
        let height: Int
        let bottom: Int

        init(rowCount: Int, labelLength: Int) {
            left = min(max(labelLength * 8 + 40, 120), 360)
            bottom = top + rowCount * rowHeight
            height = bottom + 86
        }

        var barWidth: Double { Double(width - left - 28) }

        func x(_ position: Double) -> Double { Double(left) + position * barWidth }
    }

    private func grid(_ geometry: Geometry) -> [String] {
        TimeAxis(from: start, to: end, maximumCount: 9).ticks.flatMap { tick in
            let x = Self.number(geometry.x(position(of: tick.at)))
            return [
                ##"<line x1="\##(x)" y1="\##(geometry.top - 12)" x2="\##(x)" y2="\##(geometry.bottom)" stroke="#e4e8ee"/>"##,
                Self.label(tick.label, x: x, y: geometry.top - 20, size: 12, fill: "#5b6673", anchor: "middle"),
            ]
        }
    }

    private func bar(_ row: Row, at index: Int, _ geometry: Geometry) -> [String] {
        let y = geometry.top + index * geometry.rowHeight
        var parts = [
            Self.label(
                row.label, x: geometry.left - 16, y: y + 22, size: 14, fill: "#1b1f24", anchor: "end")
        ]
        for segment in row.segments where segment.look != .nothing {
            let from = max(segment.from ?? start, start)
            let to = min(segment.to ?? end, end)
            guard from < to else { continue }
            let left = geometry.x(position(of: from))
            let width = max(geometry.x(position(of: to)) - left, 1)
            let height = segment.look == .lapsed ? 6 : 20
            parts.append(
                #"<rect x="\#(Self.number(left))" y="\#(y + 17 - height / 2)" width="\#(Self.number(width))" "#
                    + #"height="\#(height)" rx="3" fill="\#(Self.fill(segment.look))"><title>"#
                    + Self.escaped(Self.tooltip(segment)) + "</title></rect>")
        }
        return parts
    }

    private func marker(_ mark: Instant, _ geometry: Geometry) -> [String] {
        let x = Self.number(geometry.x(position(of: mark)))
        return [
            #"<line x1="\#(x)" y1="\#(geometry.top - 12)" x2="\#(x)" y2="\#(geometry.bottom + 8)" "#
                + ##"stroke="#1b1f24" stroke-width="1.5" stroke-dasharray="4 3"/>"##,
            Self.label(
                mark.description, x: x, y: geometry.bottom + 24, size: 12, fill: "#1b1f24",
                anchor: position(of: mark) > 0.85 ? "end" : "middle"),
        ]
    }

    private func legend(_ geometry: Geometry) -> [String] {
        var x = geometry.left
        let y = geometry.height - 22
        return looks.flatMap { look in
            defer { x += 44 + look.meaning.count * 7 }
            return [
                #"<rect x="\#(x)" y="\#(y - 11)" width="14" height="14" rx="3" fill="\#(Self.fill(look))"/>"#,
                Self.label(look.meaning, x: x + 22, y: y, size: 12, fill: "#5b6673"),
            ]
        }
    }

    /// Colours that differ in lightness too, so that they can be told apart without seeing colour.
    private static func fill(_ look: Look) -> String {
        switch look {
        case .access: "#1f8a5b"
        case .grace: "#e0a526"
        case .pending: "#5b8def"
        case .lapsed: "#b9c2cc"
        case .unknown: "#7a4fb5"
        case .nothing: "none"
        }
    }

    private static func tooltip(_ segment: Segment) -> String {
        segment.caption + (segment.from.map { " from \($0)" } ?? "") + (segment.to.map { " to \($0)" } ?? "")
    }

    private static func label(
        _ text: String, x: some CustomStringConvertible, y: Int, size: Int, fill: String, anchor: String = "start",
        weight: String = "400"
    ) -> String {
        #"<text x="\#(x)" y="\#(y)" font-size="\#(size)" fill="\#(fill)" text-anchor="\#(anchor)" "#
            + #"font-weight="\#(weight)">\#(escaped(text))</text>"#
    }

    /// A coordinate with one decimal; enough for a picture, and the same on every machine.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// Text that cannot end the element or attribute it stands in.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
