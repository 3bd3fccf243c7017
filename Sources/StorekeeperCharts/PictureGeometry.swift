import StorekeeperEngine

/// The positions and sizes of the parts of a chart's picture, in the picture's units.
struct PictureGeometry {
    /// The use of a picture, which determines its layout.
    enum Layout {
        /// A file of a fixed width, with labels on the left, dates below the bars and a legend.
        case file
        /// A part of a web page that fills the available width, with labels above the bars; horizontal positions are
        /// shares of the width.
        case page
    }

    let layout: Layout
    let width = 960
    let top: Int
    let left: Int
    let bottom: Int
    let height: Int
    /// The maximum number of characters in a label.
    let labelLength: Int
    /// The headings above the first product and the first feature, by row index; empty if the chart has no features.
    let headings: [Int: String]

    private let tops: [Int]
    private let legendPitch: Int
    private let legendColumns: Int

    private static let headingHeight = 22
    private static let margin = 24

    init(_ chart: TimelineChart, _ layout: Layout = .file) {
        self.layout = layout
        let longest = chart.rows.map(\.label.count).max() ?? 0
        left = layout == .file ? min(max(longest * 8 + 40, 120), 360) : 0
        labelLength = layout == .file ? (left - 40) / 8 : 44
        top = layout == .file ? 84 : 28

        var headings: [Int: String] = [:]
        if chart.rows.contains(where: { $0.kind == .feature }) {
            for (index, row) in chart.rows.enumerated() where index == 0 || chart.rows[index - 1].kind != row.kind {
                headings[index] = chart.words(row.kind == .feature ? .features : .products)
            }
        }
        var tops: [Int] = []
        var y = top
        for index in chart.rows.indices {
            if headings[index] != nil { y += Self.headingHeight }
            tops.append(y)
            y += layout == .file ? 46 : 42
        }
        self.headings = headings
        self.tops = tops
        bottom = y

        // Every legend entry has the width of the longest entry, so that the entries are evenly spaced.
        let meanings =
            chart.segmentStyles.map(chart.words.meaning)
            + (chart.hasExpectations ? [chart.words.expectation] : []) + chart.eventKinds.map(chart.words.name)
        legendPitch = 44 + (meanings.map(\.count).max() ?? 0) * 7
        legendColumns = max((width - 2 * Self.margin) / legendPitch, 1)
        let lines = (meanings.count + legendColumns - 1) / legendColumns
        height = layout == .file ? bottom + 74 + max(lines, 1) * 24 : bottom + (chart.focus == nil ? 41 : 58)
    }

    /// The width of the axis in pixels; on a page, a typical width.
    var axisWidth: Double { layout == .file ? Double(width - left - 28) : 800 }

    /// Returns the upper edge of a row.
    func top(ofRow index: Int) -> Int { tops.indices.contains(index) ? tops[index] : top }

    /// Returns the middle of the bar of a row.
    func middle(ofRow index: Int) -> Int { top(ofRow: index) + (layout == .file ? 15 : 24) }

    /// Returns the horizontal coordinate of a position on the time axis, in a file.
    func x(_ position: Double) -> Double { Double(left) + position * axisWidth }

    /// Returns the horizontal coordinate of a position on the time axis as an attribute.
    func coordinate(_ position: Double) -> String {
        layout == .file ? x(position).inTenths : (position * 100).inThousandths + "%"
    }

    /// Returns the width between two positions as an attribute; it is at least a pixel, so that every bar is visible.
    func length(from start: Double, to end: Double) -> String {
        layout == .file
            ? max(x(end) - x(start), 1).inTenths : max((end - start) * 100, 100 / axisWidth).inThousandths + "%"
    }

    /// Returns the position of a legend entry.
    func legendPlace(_ index: Int) -> (x: Int, y: Int) {
        (Self.margin + index % legendColumns * legendPitch, bottom + 76 + index / legendColumns * 24)
    }
}

extension Double {
    /// The coordinate as text with one decimal, which is precise enough, and leads to the same text on every machine.
    var inTenths: String { text(inPartsOf: 10) }

    /// The number as text with three decimals; a whole number has no decimals.
    var inThousandths: String { text(inPartsOf: 1000) }

    /// Returns the number rounded to a multiple of `1 / unit`, where the unit is a power of ten.
    private func text(inPartsOf unit: UInt) -> String {
        let parts = Int((self * Double(unit)).rounded())
        let (whole, rest) = parts.magnitude.quotientAndRemainder(dividingBy: unit)
        let decimals = rest == 0 ? "" : ".\(String(rest + unit).dropFirst())"
        return "\(parts < 0 ? "-" : "")\(whole)\(decimals)"
    }
}

/// The dates below the ends of a row's bars; dates that do not fit are left out.
struct PictureDates {
    struct Label {
        let text: String
        /// The middle of the text.
        let x: Double
    }

    let labels: [Label]

    init(of row: TimelineChart.Row, in chart: TimelineChart, _ geometry: PictureGeometry) {
        let drawn = row.segments.filter { $0.segmentStyle != .nothing }
        let ends = Set(drawn.flatMap { [$0.from, $0.to] }.compactMap { $0 })
            .filter { $0 >= chart.start && $0 <= chart.end }.sorted()
        let isShort = chart.end.milliseconds(since: chart.start) < 4 * 86_400_000
        // The first and the last date are the most important; the other dates use the remaining space.
        let ordered = ends.indices.sorted { left, right in
            func isOuter(_ index: Int) -> Bool { index == 0 || index == ends.count - 1 }
            return isOuter(left) == isOuter(right) ? left < right : isOuter(left)
        }
        var labels: [Label] = []
        for index in ordered {
            let text = Self.text(ends[index], isShort: isShort)
            let width = Double(text.count) * Self.characterWidth
            let middle = geometry.x(chart.position(of: ends[index]))
            let x = min(max(middle, Double(geometry.left)), Double(geometry.width) - 4 - width / 2)
            guard labels.allSatisfy({ abs($0.x - x) >= width + 6 }) else { continue }
            labels.append(Label(text: text, x: x))
        }
        self.labels = labels.sorted { $0.x < $1.x }
    }

    private static let characterWidth = 5.8

    /// Returns the date of an instant; on a short axis, the month, the day and the time.
    private static func text(_ instant: Instant, isShort: Bool) -> String {
        let text = instant.description
        let day = text.prefix { $0 != "T" }
        return isShort ? "\(day.suffix(5)) \(text.dropFirst(day.count + 1).prefix(5))" : String(day)
    }
}
