public import StorekeeperEngine

/// Several timelines with one time axis, ready to be drawn.
///
/// ```swift
/// let chart = TimelineChart(resolution.products.map { TimelineChart.Row($0) }, marking: now)
/// print(chart.text(width: 100))
/// ```
public struct TimelineChart: Sendable {
    /// One bar of the chart.
    public struct Row: Sendable {
        /// The label next to the bar.
        package var label: String
        /// The runs of the timeline, in order, without gaps.
        package var segments: [Segment]
        /// The kind of subject that the bar shows.
        package var kind: Kind
        /// The events that are marked on the bar, in order.
        package var events: [Event] = []
        /// The run that follows if a renewal that is due arrives; `nil` if none is due.
        package var due: Segment?

        /// The runs; if a renewal is due, the run that it begins is in place of the runs that follow without it.
        fileprivate var expectedSegments: [Segment] {
            guard let due, let renewal = due.from else { return segments }
            var expected = segments.filter { ($0.from ?? .distantPast) < renewal }
            if let last = expected.indices.last { expected[last].to = renewal }
            return expected + [due]
        }

        /// The kinds of subject that a bar can show.
        package enum Kind: String, Sendable {
            case product, feature
        }

        /// Creates a row.
        package init(label: String, segments: [Segment], kind: Kind = .product) {
            self.label = label
            self.segments = segments
            self.kind = kind
        }

        /// Creates the row of a product.
        public init(_ product: ProductTimeline) { self.init(product, .english) }

        init(_ product: ProductTimeline, _ words: TimelineWords) {
            self.init(
                label: product.id.rawValue,
                segments: product.wordedRuns.map { Segment($0, answer: $0.value, words) })
            events = product.timeline.runs.compactMap { run in run.from.flatMap { Event(beginning: run.value, at: $0) }
            }
            events += Event.offers(in: product)
            events.sort { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
        }

        /// Creates the row of a feature.
        public init(_ feature: FeatureTimeline) { self.init(feature, .english) }

        init(_ feature: FeatureTimeline, _ words: TimelineWords) {
            self.init(
                label: feature.id.rawValue,
                segments: feature.wordedRuns.map { Segment($0, answer: $0.value.answer, words) },
                kind: .feature)
        }
    }

    /// One run of a timeline, with its answer.
    package struct Segment: Sendable {
        /// The first instant, inclusive; `nil` for a run without a beginning.
        package var from: Instant?
        /// The end, exclusive; `nil` for a run without an end.
        package var to: Instant?
        /// The style in which the run is drawn.
        package var segmentStyle: SegmentStyle
        /// The answer in words, such as `entitled (active)`.
        package var caption: String
        /// The reason in words.
        package var sentence: String
        /// The transaction on which the answer is based; if the run is based on several transactions in succession, the
        /// first of them.
        package var basis: Transaction.ID?

        /// Creates the run that follows if a renewal that is due arrives.
        ///
        /// - Parameter length: The length of the period, in milliseconds.
        init?(_ upcoming: Upcoming, length: Int64, _ words: TimelineWords) {
            guard upcoming.isRenewal, let answer = upcoming.answer, answer.isEntitled, upcoming.otherwise != nil else {
                return nil
            }
            from = upcoming.at
            to = upcoming.at.adding(milliseconds: length)
            segmentStyle = .access
            caption = words.caption(answer)
            sentence = words.due(upcoming)
            basis = nil
        }

        init<Value>(_ run: Timeline<Value>.Segment, answer: EntitlementAnswer, _ words: TimelineWords) {
            from = run.from
            to = run.to
            segmentStyle = SegmentStyle(answer)
            caption = words.caption(answer)
            sentence = words.reason(answer)
            basis = answer.basis?.transaction.id
        }
    }

    /// The style in which a run is drawn, which depends on its answer.
    package enum SegmentStyle: String, Sendable, CaseIterable {
        case access, trial, grace, pending, retry, lapsed, unknown, nothing

        init(_ answer: EntitlementAnswer) {
            switch answer {
            case .entitled(.active, let basis) where basis.transaction.offer?.isFreeTrial == true: self = .trial
            case .entitled(.active, _), .entitled(.owned, _), .granted, .paidApp: self = .access
            case .entitled: self = .grace
            case .pending: self = .pending
            case .lapsed(.billingRetry, _): self = .retry
            case .lapsed: self = .lapsed
            case .unknown: self = .unknown
            case .never: self = .nothing
            }
        }

        /// The meaning of the style, for a legend.
        package var meaning: String {
            switch self {
            case .access: "access"
            case .trial: "free trial"
            case .grace: "grace period, leeway"
            case .pending: "waiting for approval"
            case .retry: "billing retry"
            case .lapsed: "no longer"
            case .unknown: "cannot be told"
            case .nothing: "never"
            }
        }
    }

    /// The bars, from top to bottom.
    package let rows: [Row]
    /// The left edge of the axis.
    package let start: Instant
    /// The right edge of the axis; always later than ``start``.
    package let end: Instant
    /// The instant to be marked; answers after this instant are only expected.
    package let mark: Instant?
    /// A second instant to be marked; the page shows the answers at this instant.
    package var focus: Instant?
    /// The texts of the rows and of a picture in a page, in one language.
    package private(set) var words = TimelineWords.english

    /// Creates a chart.
    ///
    /// - Parameters:
    ///   - rows: The bars.
    ///   - start: The left edge; with `nil`, it is a little before the first change.
    ///   - end: The right edge; with `nil`, it is a little after the last change.
    ///   - mark: An instant to be marked; an edge that is `nil` is chosen so that the axis contains this instant.
    public init(_ rows: [Row], from start: Instant? = nil, to end: Instant? = nil, marking mark: Instant? = nil) {
        self.rows = rows
        self.mark = mark
        let segments = rows.flatMap { $0.segments + ($0.due.map { [$0] } ?? []) }
        let instants = segments.flatMap { [$0.from, $0.to] }.compactMap { $0 } + [mark].compactMap { $0 }
        let first = instants.min() ?? Instant(clamped: 0)
        let last = instants.max() ?? first
        let margin = max(last.milliseconds(since: first) / 20, 86_400_000)
        let left = start ?? first.adding(milliseconds: -margin)
        let right = end ?? last.adding(milliseconds: margin)
        // No instant is later than `distantFuture`, so the axis starts at least a millisecond before `distantFuture`.
        self.start = min(left, Instant.distantFuture.adding(milliseconds: -1))
        self.end = right > self.start ? right : self.start.adding(milliseconds: 1)
    }

    /// The styles that occur between the edges of the axis, for a legend.
    package var segmentStyles: [SegmentStyle] {
        let visible = rows.flatMap(\.segments).filter { ($0.from ?? start) < end && ($0.to ?? end) > start }
        return SegmentStyle.allCases.filter { segmentStyle in
            segmentStyle != .nothing && visible.contains { $0.segmentStyle == segmentStyle }
        }
    }

    /// Whether a part of the axis is after the marked instant.
    package var hasExpectations: Bool { mark.map { $0 < end } ?? false }
    /// The next change of a bar after the marked instant.
    package var nextChange: Instant? {
        mark.flatMap { mark in rows.lazy.flatMap(\.segments).compactMap(\.from).filter { $0 > mark }.min() }
    }

    /// The next change of a bar after the marked instant, in words; if several bars change at once, the change of the
    /// uppermost bar.
    package var nextEvent: (words: String, at: Instant)? {
        nextChange.flatMap { next in
            rows.lazy.compactMap { row in
                row.segments.first { $0.from == next }.map {
                    (
                        row.due.map { words(.isExpected, ["row": row.label, "answer": $0.caption]) }
                            ?? words(.becomes, ["row": row.label, "answer": $0.caption]), next
                    )
                }
            }.first
        }
    }

    /// Returns whether an instant is between the edges, both included.
    func isVisible(_ instant: Instant) -> Bool { start <= instant && instant <= end }

    /// Returns the chart with the same bars, but with an axis between the given instants.
    package func showing(from start: Instant?, to end: Instant?) -> TimelineChart {
        var chart = TimelineChart(rows, from: start, to: end, marking: mark)
        (chart.focus, chart.words) = (focus, words)
        return chart
    }

    /// The chart in which each renewal that is due is a part of its row's runs, in place of what follows without it.
    package var expectingRenewals: TimelineChart {
        let rows = rows.map { row in
            var row = row
            (row.segments, row.due) = (row.expectedSegments, nil)
            return row
        }
        var chart = TimelineChart(rows, from: start, to: end, marking: mark)
        (chart.focus, chart.words) = (focus, words)
        return chart
    }

    /// Returns the position of an instant on the axis, from 0 at the left edge to 1 at the right edge.
    ///
    /// An instant beyond an edge has the position of the edge.
    func position(of instant: Instant) -> Double {
        let span = Double(end.milliseconds(since: start))
        return min(max(Double(instant.milliseconds(since: start)) / span, 0), 1)
    }
}

extension TimelineChart.Row {
    /// Returns the row with the run that follows if a renewal that is due arrives.
    fileprivate func expecting(
        _ upcoming: Upcoming?, in resolution: Resolution, _ words: TimelineWords
    ) -> TimelineChart.Row {
        guard let upcoming else { return self }
        let period = resolution.catalog.product(upcoming.productID)?.subscription?.subscriptionPeriod
        let end = period.flatMap { $0.end(from: upcoming.at) } ?? upcoming.at.adding(days: 30)
        var row = self
        row.due = TimelineChart.Segment(upcoming, length: end.milliseconds(since: upcoming.at), words)
        return row
    }

    /// Returns the row without the answer before the first purchase, if the answer is unknown only because evidence may
    /// be missing.
    fileprivate func beginning(with answer: EntitlementAnswer) -> TimelineChart.Row {
        guard answer.lacksPurchase, !segments.isEmpty else { return self }
        var row = self
        row.segments[0].segmentStyle = .nothing
        return row
    }

    /// Whether the customer never had the product or feature, and no renewal is due.
    fileprivate var isEmpty: Bool { due == nil && segments.allSatisfy { $0.segmentStyle == .nothing } }
}

extension TimelineChart {
    /// Creates the chart of products and features, the features below the products.
    ///
    /// - Parameters:
    ///   - resolution: The answers about the customer, from which it follows which renewals are due.
    ///   - omitsEmpty: Whether products and features that the customer never had are left out; if the customer never
    ///     had any, all are drawn.
    ///   - start: The left edge; with `nil`, it is a little before the first change.
    ///   - end: The right edge; with `nil`, it is a little after the last change.
    ///   - instant: The instant to be marked.
    package init(
        _ products: [ProductTimeline], _ features: [FeatureTimeline], in resolution: Resolution, omitsEmpty: Bool,
        from start: Instant? = nil, to end: Instant? = nil, marking instant: Instant
    ) {
        let rows =
            products.map { product in
                Row(product).expecting(resolution.upcoming(for: product.id, at: instant), in: resolution, .english)
            }
            + features.map { feature in
                Row(feature).expecting(
                    resolution.upcoming(forFeature: feature.id, at: instant), in: resolution, .english)
            }
        let filled = omitsEmpty ? rows.filter { !$0.isEmpty } : rows
        self.init(filled.isEmpty ? rows : filled, from: start, to: end, marking: instant)
    }

    /// Creates the chart of all products and features that a customer ever had, the features below the products.
    ///
    /// Products and features of which no purchase is known are left out, even if evidence may be missing.
    ///
    /// - Parameters:
    ///   - transactions: The customer's transactions; their refunds and revocations are marked even if they changed no
    ///     answer.
    ///   - requests: The requests to agree to a higher price, by product; `nil` means the requests in the statuses at
    ///     the instant.
    package init(
        ofAll resolution: Resolution, marking instant: Instant, transactions: [Transaction] = [],
        priceIncreases requests: [Product.ID: [Event]]? = nil, words: TimelineWords = .english
    ) {
        let requests = requests ?? Event.priceIncreases(in: resolution, at: instant)
        let revocations = Event.revocations(in: transactions)
        let products = resolution.products.map { product in
            var row = Row(product, words)
            let more = (revocations[product.id] ?? []) + (requests[product.id] ?? [])
            row.events = Set(row.events + more).sorted { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }
            return row.beginning(with: product.timeline.value(at: .distantPast))
                .expecting(resolution.upcoming(for: product.id, at: instant), in: resolution, words)
        }
        let rows =
            products
            + resolution.features.map { feature in
                Row(feature, words).beginning(with: feature.timeline.value(at: .distantPast).answer)
                    .expecting(resolution.upcoming(forFeature: feature.id, at: instant), in: resolution, words)
            }
        self.init(rows.filter { !$0.isEmpty }, marking: instant)
        self.words = words
    }
}
