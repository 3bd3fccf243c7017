import Storekeeper
import StorekeeperCharts

/// Answers over time, as `timeline` prints them.
struct TimelineReport {
    private let products: [Line]
    private let features: [Line]?
    private let inquiry: AnswersQuery
    /// The bars of the products and features above one time axis.
    let chart: TimelineChart

    /// A period in which the answer stays the same.
    private struct Run {
        let from: Instant?
        let to: Instant?
        let answer: EntitlementAnswer
    }

    /// A product or feature and its runs.
    private struct Line {
        let id: String
        let runs: [Run]
        let json: JSONText
    }

    /// Selects the products and features to show.
    ///
    /// - Parameters:
    ///   - products: The ids of the products to show. If neither products nor features are given, all products are
    ///     shown.
    ///   - features: The ids of the features to show.
    ///   - start: Runs that end before this instant are omitted; a run that contains it is shown in full.
    ///   - end: Runs that begin after this instant are omitted.
    ///   - note: Receives a diagnostic for a product that is neither in the catalog nor in the evidence.
    /// - Throws: ``CommandError`` with status 64 for an unknown feature, and for a consumable.
    init(
        _ inquiry: AnswersQuery, products: [Product.ID], features: [Feature.ID], from start: Instant?, to end: Instant?,
        note: (Diagnostic) -> Void
    ) throws(CommandError) {
        self.inquiry = inquiry
        let resolution = inquiry.resolution
        var timelines: [ProductTimeline] = products.isEmpty && features.isEmpty ? resolution.products : []
        for id in products {
            let timeline = try inquiry.timeline(of: id, namedAt: "--product", note: note)
            timelines.append(resolution.product(id) ?? ProductTimeline(id: id, type: nil, timeline: timeline))
        }
        var featureTimelines: [FeatureTimeline] = []
        for id in features { featureTimelines.append(try inquiry.feature(id)) }
        self.products = timelines.map { product in
            let runs = product.timeline.runs.filter { $0.touches(from: start, to: end) }
            return Line(
                id: product.id.rawValue, runs: runs.map { Run(from: $0.from, to: $0.to, answer: $0.value) },
                json: TimelineRow(product, from: start, to: end).json)
        }
        let lines = featureTimelines.map { feature in
            let runs = feature.timeline.runs.filter { $0.touches(from: start, to: end) }
            return Line(
                id: feature.id.rawValue, runs: runs.map { Run(from: $0.from, to: $0.to, answer: $0.value.answer) },
                json: TimelineRow(feature, from: start, to: end).json)
        }
        self.features = features.isEmpty ? nil : lines
        // The empty bar of a product that was never bought is omitted, unless the product is requested by name.
        chart = TimelineChart(
            timelines, featureTimelines, in: resolution, omitsEmpty: products.isEmpty && features.isEmpty, from: start,
            to: end, marking: inquiry.at)
    }

    /// Returns the JSON document.
    func json(_ diagnostics: [Diagnostic]) -> JSONText {
        .object([
            "products": .array(products.map(\.json)),
            "features": features.map { .array($0.map(\.json)) } ?? .null,
            "verified": .bool(inquiry.isVerified), "diagnostics": .array(diagnostics.map(\.json)),
        ])
    }

    /// Returns the bars as text.
    ///
    /// If at most three products and features are selected, a table of their runs follows the bars.
    ///
    /// - Parameters:
    ///   - width: The columns of the bars.
    ///   - limit: The maximum number of columns of the lines other than the bars; `nil` means no limit.
    func text(width: Int, limit: Int?, _ style: TerminalStyle) -> String {
        let absence = inquiry.absence.map { $0.wrapped(to: limit) } ?? []
        var text = (inquiry.proofLines(style, width: limit) + absence).map { $0 + "\n" }.joined() + "\n"
        guard !chart.rows.isEmpty else {
            let line =
                "No product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases."
            return text + line.wrapped(to: limit).map { $0 + "\n" }.joined()
        }
        text += chart.text(width: width) { run, segmentStyle in style.painted(run, segmentStyle: segmentStyle) }
        let chosen = products + (features ?? [])
        guard chosen.count <= 3 else { return text }
        for line in chosen {
            var table = TextTable("FROM", "TO", "ANSWER", "REASON")
            for run in line.runs {
                table.add([
                    run.from.map { .time($0) } ?? .text("ever"), run.to.map { .time($0) } ?? .text("no end known"),
                    .text(run.answer.word), .text(run.answer.reasonWord),
                ])
            }
            table.widthReductions = (0..<3).flatMap { _ in [.shorten("FROM"), .shorten("TO")] }
            text += "\n\(style.bold(line.id.onOneLine))\n" + table.lines(style, width: limit).map { $0 + "\n" }.joined()
        }
        return text
    }
}

extension TerminalStyle {
    /// Returns the text of a bar's segment, in the color for the style of the segment.
    func painted(_ text: String, segmentStyle: TimelineChart.SegmentStyle) -> String {
        switch segmentStyle {
        case .access, .trial: green(text)
        case .grace, .pending, .unknown, .retry: yellow(text)
        case .lapsed: red(text)
        case .nothing: text
        }
    }
}
