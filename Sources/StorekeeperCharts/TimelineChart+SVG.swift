package import StorekeeperEngine

extension TimelineChart {
    /// Returns the chart as an SVG picture whose colors follow the viewer's light or dark mode.
    ///
    /// Answers after the marked instant are only expected, and are drawn dashed. Grace periods, billing retries,
    /// refunds and other events are marked on the bars.
    ///
    /// - Parameter title: The text of the line above the chart.
    /// - Returns: A complete SVG document, 960 units wide, without external resources.
    /// - SeeAlso: W3C, "Scalable Vector Graphics (SVG) 1.1".
    public func svg(title: String) -> String {
        let picture = TimelinePicture(self, .file)
        let geometry = picture.geometry
        var body: [String] = []
        body.append(##"<rect class="page" width="\##(geometry.width)" height="\##(geometry.height)"/>"##)
        body.append(
            TimelinePicture.label(title.shortened(to: 100), x: 24, y: 34, size: 17, style: "ink", weight: "600"))
        body += picture.parts + picture.legend
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(geometry.width)" height="\(geometry.height)" \
            viewBox="0 0 \(geometry.width) \(geometry.height)" role="img" \
            font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">
            <title>\(title.escapedForXML)</title>
            <style>
            \(PictureStyle.text)
            </style>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// The URLs to which the bars and marks of a picture in a page are linked.
    package struct Links {
        /// Returns the URL of the page that shows the answers at an instant.
        let at: (Instant) -> String
        /// Returns the URL of the page that shows the time axis between two instants.
        let span: (Instant, Instant) -> String

        package init(at: @escaping (Instant) -> String, span: @escaping (Instant, Instant) -> String) {
            self.at = at
            self.span = span
        }
    }

    /// Returns the chart as a part of an HTML page, in which bars and marks are links.
    ///
    /// The picture is as wide as its container. A label of the axis has a class for each width of the container at
    /// which the label fits: `narrow` from 300 pixels, `medium` from 520 and `wide` from 1080. The page defines the
    /// styles, and shows the labels of one class. Parts that move when the axis changes have the attribute `data-at`,
    /// or the attributes `data-from` and `data-to`, in milliseconds since 1970.
    ///
    /// - Parameter links: The URLs of the links; with `nil`, the picture has no links.
    package func inlineSVG(label: String, links: Links?) -> String {
        let picture = TimelinePicture(self, .page, links: links)
        return """
            <svg class="timeline" width="100%" height="\(picture.geometry.height)" role="group" \
            aria-label="\(label.escapedForXML)" data-from="\(start.millisecondsSince1970)" \
            data-to="\(end.millisecondsSince1970)">
            \(picture.parts.joined(separator: "\n"))
            </svg>
            """
    }

    /// Returns a sample of a bar in a given style, for a legend in a page.
    package static func sample(_ segmentStyle: SegmentStyle, isExpected: Bool = false) -> String {
        let height = min(segmentStyle.thickness, 14)
        return
            ##"<svg class="timeline sample" width="22" height="16" aria-hidden="true"><rect class="\##(segmentStyle.rawValue)"##
            + ##"\##(isExpected ? " expected" : "")" x="1" y="\##(8 - height / 2)" width="20" height="\##(height)" rx="3"/></svg>"##
    }

    /// Returns a sample of the mark of an event, for a legend in a page.
    package static func sample(_ kind: Event.Kind) -> String {
        ##"<svg class="timeline sample" width="16" height="16" aria-hidden="true"><path class="event" "##
            + ##"transform="translate(8 8)" d="\##(kind.outline)"/></svg>"##
    }
}

/// Draws the picture of a chart, for a file or for a page.
struct TimelinePicture {
    let chart: TimelineChart
    let geometry: PictureGeometry
    private let links: TimelineChart.Links?
    private let pieces: TimelinePieces

    init(_ chart: TimelineChart, _ layout: PictureGeometry.Layout, links: TimelineChart.Links? = nil) {
        self.chart = chart
        self.links = links
        geometry = PictureGeometry(chart, layout)
        pieces = TimelinePieces(chart, width: geometry.axisWidth)
    }

    private var isFile: Bool { geometry.layout == .file }

    /// The grid, the bars with their marks, and the marked instants.
    var parts: [String] {
        grid + chart.rows.indices.flatMap { row(at: $0) } + markers
    }

    // MARK: The axis

    private var grid: [String] {
        guard !isFile else {
            return TimeAxis(from: chart.start, to: chart.end, maximumCount: 9).ticks.map { tick($0, style: nil) }
        }
        var widths: [(tick: TimeAxis.Tick, styles: [String])] = []
        for (style, pixels) in [("narrow", 300.0), ("medium", 520), ("wide", 1080)] {
            for tick in ticks(fitting: pixels) {
                if let index = widths.firstIndex(where: { $0.tick.at == tick.at && $0.tick.label == tick.label }) {
                    widths[index].styles.append(style)
                } else {
                    widths.append((tick, [style]))
                }
            }
        }
        return widths.map { tick($0.tick, style: $0.styles.joined(separator: " ")) }
    }

    /// Returns as many tick marks of the axis as fit side by side, with their labels, into a width in pixels.
    private func ticks(fitting pixels: Double) -> [TimeAxis.Tick] {
        func half(_ tick: TimeAxis.Tick) -> Double { Double(tick.label.count) * 3.4 + 3 }
        for count in (1...Int(pixels / 50)).reversed() {
            let ticks = TimeAxis(from: chart.start, to: chart.end, maximumCount: count).ticks.filter { tick in
                let x = chart.position(of: tick.at) * pixels
                return x >= half(tick) && x + half(tick) <= pixels
            }
            let places = ticks.map { ($0, chart.position(of: $0.at) * pixels) }
            let fits = zip(places, places.dropFirst()).allSatisfy { $1.1 - $0.1 > half($0.0) + half($1.0) }
            if fits, !ticks.isEmpty { return ticks }
        }
        return []
    }

    private func tick(_ tick: TimeAxis.Tick, style: String?) -> String {
        let (top, bottom) = (geometry.top - (isFile ? 12 : 6), geometry.bottom)
        return place(
            at: tick.at, style: style.map { "tick \($0)" },
            #"<line class="grid" y1="\#(top)" y2="\#(bottom)"/>"#
                + Self.label(
                    chart.words.axisLabel(tick.label), x: 0, y: top - 8, size: isFile ? 12 : 11, style: "soft",
                    anchor: "middle"))
    }

    /// Returns SVG elements, moved to an instant on the axis.
    private func place(at instant: Instant, y: Int = 0, style: String?, _ parts: String) -> String {
        let position = chart.position(of: instant)
        let name = style.map { #" class="\#($0)""# } ?? ""
        guard !isFile else {
            return #"<g\#(name) transform="translate(\#(geometry.coordinate(position)) \#(y))">\#(parts)</g>"#
        }
        return #"<svg\#(name) x="\#(geometry.coordinate(position))" y="\#(y)" overflow="visible" "#
            + #"data-at="\#(instant.millisecondsSince1970)">\#(parts)</svg>"#
    }

    // MARK: Bars

    private func row(at index: Int) -> [String] {
        let row = chart.rows[index]
        let (y, middle) = (geometry.top(ofRow: index), geometry.middle(ofRow: index))
        var parts: [String] = []
        if let heading = geometry.headings[index] {
            parts.append(
                Self.label(
                    heading, x: isFile ? geometry.left - 16 : 0, y: y - (isFile ? 8 : 6), size: isFile ? 11 : 10,
                    style: "soft", anchor: isFile ? "end" : "start", weight: "600"))
        }
        let label = row.label.shortened(to: geometry.labelLength)
        parts.append(
            isFile
                ? Self.label(
                    label, x: geometry.left - 16, y: y + 20, size: 14, style: "ink", anchor: "end",
                    slant: row.kind == .feature ? "italic" : nil)
                : Self.label(
                    label, x: 0, y: y + 10, size: 12, style: "ink", slant: row.kind == .feature ? "italic" : nil))
        for (number, piece) in pieces.pieces[index].enumerated() {
            parts.append(bar(piece, row, middle: middle, key: "bar \(index) \(number)"))
        }
        for (number, mark) in pieces.marks[index].enumerated() {
            parts.append(event(mark, row, middle: middle, key: "mark \(index) \(number)"))
        }
        if isFile {
            for date in PictureDates(of: row, in: chart, geometry).labels {
                parts.append(
                    Self.label(date.text, x: date.x.inTenths, y: y + 38, size: 10, style: "soft", anchor: "middle"))
            }
        }
        return parts
    }

    private func bar(_ piece: TimelinePieces.Piece, _ row: TimelineChart.Row, middle: Int, key: String) -> String {
        let (left, right) = (chart.position(of: piece.from), chart.position(of: piece.to))
        let height = piece.segmentStyle.thickness
        let style =
            piece.segmentStyle.rawValue + (piece.isExpected ? " expected" : "") + (piece.count > 1 ? " several" : "")
        let box =
            #"<rect class="\#(style)" x="\#(geometry.coordinate(left))" y="\#(middle - height / 2)" "#
            + #"width="\#(geometry.length(from: left, to: right))" height="\#(height)" rx="3""#
        let title = "<title>\(text(of: piece, row))</title>"
        guard !isFile else { return "\(box)>\(title)</rect>" }
        let times =
            #" data-from="\#(piece.from.millisecondsSince1970)" data-to="\#(piece.to.millisecondsSince1970)"/>"#
        return link(
            links.map { piece.segment == nil ? $0.span(piece.from, piece.to) : $0.at(piece.from) }, key: key,
            style: "bar", title + box + times)
    }

    private func event(_ mark: TimelinePieces.Mark, _ row: TimelineChart.Row, middle: Int, key: String) -> String {
        let outline = #"<path class="event" d="\#(mark.kind.outline)""#
        let title = "<title>\(text(of: mark, row))</title>"
        guard !isFile else { return place(at: mark.from, y: middle, style: nil, "\(outline)>\(title)</path>") }
        return place(
            at: mark.from, y: middle, style: nil,
            link(
                links.map { mark.count > 1 ? $0.span(mark.from, mark.to) : $0.at(mark.from) }, key: key, style: "bar",
                "\(title)\(outline)/>"))
    }

    /// Returns SVG elements as a link to a URL or, without a URL, as a group.
    private func link(_ address: String?, key: String, style: String, _ parts: String) -> String {
        guard let address else { return #"<g class="\#(style)">\#(parts)</g>"# }
        return #"<a class="\#(style)" href="\#(address.escapedForXML)" data-key="\#(key)">\#(parts)</a>"#
    }

    // MARK: Marked instants

    /// The marks of the present, the next change and the instant in focus.
    ///
    /// Each mark has its label on a separate line, so that labels never overlap.
    private var markers: [String] {
        var parts: [String] = []
        let words = chart.words
        if let mark = chart.mark {
            // In a file, an instant beyond an edge of the axis is drawn at this edge.
            if isFile || chart.isVisible(mark) {
                let text = isFile ? mark.description : words(.now, ["time": words.time(mark)])
                parts += marker(mark, style: "now", text, line: 0)
            }
            if let next = chart.nextChange, chart.isVisible(next) {
                parts += marker(next, style: "next", words(.nextChange, ["time": words.time(next)]), line: 1)
            }
        }
        if let focus = chart.focus, chart.isVisible(focus) {
            parts += marker(focus, style: "focus", words(.asOf, ["time": words.time(focus)]), line: 2)
        }
        return parts
    }

    private func marker(_ instant: Instant, style: String, _ text: String, line: Int) -> [String] {
        let position = chart.position(of: instant)
        let (top, bottom) = (geometry.top - (isFile ? 12 : 6), geometry.bottom)
        let y = bottom + (isFile ? 24 : 14) + line * 17
        // On a page, every label is on the side of its instant that has more room.
        let anchor =
            isFile && position <= 0.85 && position >= 0.15 ? "middle" : position < 0.5 ? "start" : "end"
        return [
            place(
                at: instant, style: "marker",
                #"<line class="\#(style)" y1="\#(top)" y2="\#(y - (isFile ? 16 : 12))"/>"#
                    + Self.label(
                        text, x: 0, y: y, size: 12, style: style == "next" ? "soft" : "ink", anchor: anchor))
        ]
    }

    // MARK: The legend of a file

    var legend: [String] {
        let looks =
            chart.segmentStyles.map { ($0.rawValue, $0.thickness, chart.words.meaning($0)) }
            + (chart.hasExpectations ? [("access expected", 14, chart.words.expectation)] : [])
        return looks.enumerated().flatMap { index, look in
            let place = geometry.legendPlace(index)
            let height = min(look.1, 14)
            return [
                #"<rect class="\#(look.0)" x="\#(place.x)" y="\#(place.y - 4 - height / 2)" width="14" "#
                    + #"height="\#(height)" rx="3"/>"#,
                Self.label(look.2, x: place.x + 22, y: place.y, size: 12, style: "soft"),
            ]
        }
            + chart.eventKinds.enumerated().flatMap { index, kind in
                let place = geometry.legendPlace(looks.count + index)
                return [
                    #"<path class="event" transform="translate(\#(place.x + 7) \#(place.y - 4))" d="\#(kind.outline)"/>"#,
                    Self.label(chart.words.name(kind), x: place.x + 22, y: place.y, size: 12, style: "soft"),
                ]
            }
    }

    // MARK: Text

    /// Returns the description of a piece of a bar, one statement per line.
    private func text(of piece: TimelinePieces.Piece, _ row: TimelineChart.Row) -> String {
        let words = chart.words
        let lines =
            piece.segment?.lines(about: row.label, isExpected: piece.isExpected, words) ?? [
                words(.several, ["row": row.label, "count": "\(piece.count)"]), words(.zoomIn),
                words(.fromUntil, ["from": words.time(piece.from), "to": words.time(piece.to)]),
            ]
        return lines.map(\.escapedForXML).joined(separator: "\n")
    }

    private func text(of mark: TimelinePieces.Mark, _ row: TimelineChart.Row) -> String {
        let words = chart.words
        let event = words.name(mark.kind)
        let lines =
            mark.count == 1
            ? ["\(row.label): \(event)", words(.at, ["time": words.time(mark.from)])]
            : [
                words(.often, ["row": row.label, "event": event, "count": "\(mark.count)"]),
                words(.fromTo, ["from": words.time(mark.from), "to": words.time(mark.to)]),
            ]
        return lines.map(\.escapedForXML).joined(separator: "\n")
    }

    static func label(
        _ text: String, x: some CustomStringConvertible, y: Int, size: Int, style: String, anchor: String = "start",
        weight: String = "400", slant: String? = nil
    ) -> String {
        #"<text class="\#(style)" x="\#(x)" y="\#(y)" font-size="\#(size)" text-anchor="\#(anchor)" "#
            + #"font-weight="\#(weight)"\#(slant.map { #" font-style="\#($0)""# } ?? "")>\#(text.escapedForXML)</text>"#
    }
}

extension TimelineChart.Segment {
    /// Returns the description of the run, one statement per line.
    func lines(about subject: String, isExpected: Bool, _ words: TimelineWords) -> [String] {
        let times =
            switch (from, to) {
            case (let from?, let to?): words(.fromUntil, ["from": words.time(from), "to": words.time(to)])
            case (let from?, nil): words(.fromOn, ["from": words.time(from)])
            case (nil, let to?): words(.until, ["to": words.time(to)])
            case (nil, nil): words(.always)
            }
        let answer =
            isExpected ? words(.isExpected, ["row": subject, "answer": caption]) : "\(subject): \(caption)"
        return [answer, sentence, times] + (basis.map { [words(.decides, ["id": $0.rawValue])] } ?? [])
    }
}

extension String {
    /// The text for an XML element or attribute, with special characters escaped and control characters replaced.
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

    /// Returns the text, with `…` in place of its middle if it is too long; both ends stay, because ids usually differ
    /// at their ends.
    fileprivate func shortened(to length: Int) -> String {
        guard count > length, length > 2 else { return self }
        let tail = (length - 1) / 3
        return prefix(length - 1 - tail) + "…" + suffix(tail)
    }
}
