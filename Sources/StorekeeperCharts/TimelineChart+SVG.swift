import StorekeeperEngine

extension TimelineChart {
    /// Returns the chart as an SVG picture whose colours follow the viewer's light or dark mode.
    ///
    /// - Parameter title: A line above the chart.
    /// - Returns: A complete SVG document, 960 units wide, without external resources.
    /// - SeeAlso: W3C, "Scalable Vector Graphics (SVG) 1.1".
    public func svg(title: String) -> String {
        let geometry = PictureGeometry(self)
        var body: [String] = []
        body.append(##"<rect class="page" width="\##(geometry.width)" height="\##(geometry.height)"/>"##)
        body.append(Self.label(title.shortened(to: 100), x: 24, y: 34, size: 17, style: "ink", weight: "600"))
        body += grid(geometry)
        for (index, row) in rows.enumerated() {
            if let heading = geometry.headings[index] {
                body.append(
                    Self.label(
                        heading, x: geometry.left - 16, y: geometry.top(ofRow: index) - 8, size: 11, style: "soft",
                        anchor: "end", weight: "600"))
            }
            body += bar(row, at: index, geometry)
        }
        if let mark { body += marker(mark, geometry) }
        body += legend(geometry)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(geometry.width)" height="\(geometry.height)" \
            viewBox="0 0 \(geometry.width) \(geometry.height)" role="img" \
            font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">
            <title>\(title.escapedForXML)</title>
            <style>
            \(Self.styles)
            </style>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Parts

    private func grid(_ geometry: PictureGeometry) -> [String] {
        TimeAxis(from: start, to: end, maximumCount: 9).ticks.flatMap { tick in
            let x = geometry.x(position(of: tick.at)).inTenths
            return [
                #"<line class="grid" x1="\#(x)" y1="\#(geometry.top - 12)" x2="\#(x)" y2="\#(geometry.bottom)"/>"#,
                Self.label(tick.label, x: x, y: geometry.top - 20, size: 12, style: "soft", anchor: "middle"),
            ]
        }
    }

    private func bar(_ row: Row, at index: Int, _ geometry: PictureGeometry) -> [String] {
        let y = geometry.top(ofRow: index)
        let label = row.label.shortened(to: geometry.labelLength)
        var parts = [
            Self.label(
                label, x: geometry.left - 16, y: y + 20, size: 14, style: "ink", anchor: "end",
                slant: row.kind == .feature ? "italic" : nil)
        ]
        for segment in row.segments where segment.segmentStyle != .nothing {
            let from = max(segment.from ?? start, start)
            let to = min(segment.to ?? end, end)
            guard from < to else { continue }
            let left = geometry.x(position(of: from))
            let width = max(geometry.x(position(of: to)) - left, 1)
            let height = segment.segmentStyle.thickness
            parts.append(
                #"<rect class="\#(segment.segmentStyle.rawValue)" x="\#(left.inTenths)" y="\#(y + 15 - height / 2)" "#
                    + #"width="\#(width.inTenths)" height="\#(height)" rx="3"><title>"#
                    + Self.tooltip(segment).escapedForXML + "</title></rect>")
        }
        for date in PictureDates(of: row, in: self, geometry).labels {
            parts.append(
                Self.label(date.text, x: date.x.inTenths, y: y + 38, size: 10, style: "soft", anchor: "middle"))
        }
        return parts
    }

    private func marker(_ mark: Instant, _ geometry: PictureGeometry) -> [String] {
        let position = position(of: mark)
        let x = geometry.x(position).inTenths
        return [
            #"<line class="mark" x1="\#(x)" y1="\#(geometry.top - 12)" x2="\#(x)" y2="\#(geometry.bottom + 8)"/>"#,
            Self.label(
                mark.description, x: x, y: geometry.bottom + 24, size: 12, style: "ink",
                anchor: position > 0.85 ? "end" : position < 0.15 ? "start" : "middle"),
        ]
    }

    private func legend(_ geometry: PictureGeometry) -> [String] {
        segmentStyles.enumerated().flatMap { index, segmentStyle in
            let place = geometry.legendPlace(index)
            let height = min(segmentStyle.thickness, 14)
            return [
                #"<rect class="\#(segmentStyle.rawValue)" x="\#(place.x)" y="\#(place.y - 4 - height / 2)" width="14" "#
                    + #"height="\#(height)" rx="3"/>"#,
                Self.label(segmentStyle.meaning, x: place.x + 22, y: place.y, size: 12, style: "soft"),
            ]
        }
    }

    // MARK: Text

    /// Colours that also differ in lightness, so that they are distinguishable without colour vision.
    private static let styles = """
        .page { fill: #ffffff } .ink { fill: #1b1f24 } .soft { fill: #5b6673 } .grid { stroke: #e4e8ee }
        .mark { stroke: #1b1f24; stroke-width: 1.5; stroke-dasharray: 4 3 }
        .access { fill: #1f8a5b } .grace { fill: #e0a526 } .pending { fill: #5b8def } .retry { fill: #c2543a }
        .lapsed { fill: #b9c2cc } .unknown { fill: #7a4fb5 }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9aa7b4 } .grid { stroke: #262d36 }
        .mark { stroke: #e6edf3 }
        .access { fill: #35b27a } .grace { fill: #e8b84a } .pending { fill: #7aa5f7 } .retry { fill: #e0735a }
        .lapsed { fill: #57616d } .unknown { fill: #a47be0 }
        }
        """

    private static func tooltip(_ segment: Segment) -> String {
        segment.caption + (segment.from.map { " from \($0)" } ?? "") + (segment.to.map { " to \($0)" } ?? "")
    }

    private static func label(
        _ text: String, x: some CustomStringConvertible, y: Int, size: Int, style: String, anchor: String = "start",
        weight: String = "400", slant: String? = nil
    ) -> String {
        #"<text class="\#(style)" x="\#(x)" y="\#(y)" font-size="\#(size)" text-anchor="\#(anchor)" "#
            + #"font-weight="\#(weight)"\#(slant.map { #" font-style="\#($0)""# } ?? "")>\#(text.escapedForXML)</text>"#
    }
}

extension TimelineChart.SegmentStyle {
    /// The thickness of a bar: access is drawn thickest, so that it is recognizable without colour vision.
    fileprivate var thickness: Int {
        switch self {
        case .access, .grace: 20
        case .pending, .unknown: 14
        case .retry: 10
        case .lapsed, .nothing: 4
        }
    }
}

extension String {
    /// The text with the characters escaped that would end an XML element or attribute.
    fileprivate var escapedForXML: String {
        var result = ""
        for scalar in unicodeScalars {
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

    /// Returns the text with `…` replacing its middle if it is too long: ids differ at either end.
    fileprivate func shortened(to length: Int) -> String {
        guard count > length, length > 2 else { return self }
        let tail = (length - 1) / 3
        return prefix(length - 1 - tail) + "…" + suffix(tail)
    }
}

extension Double {
    /// A coordinate with one decimal; enough for a picture, and the same on every machine.
    fileprivate var inTenths: String {
        let tenths = Int((self * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
