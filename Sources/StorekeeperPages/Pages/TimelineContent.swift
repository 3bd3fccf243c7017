package import Storekeeper
package import StorekeeperCharts

/// The timeline of a customer, which consists of a picture with bars that are links, controls, and a table with the
/// same content.
package struct TimelineContent {
    /// An entry of the legend, which explains the picture of a bar or symbol.
    struct Sample {
        let picture: String
        let meaning: String
    }

    /// A period in which an answer does not change, as a table row for users who cannot see the picture.
    struct Run {
        let subject: String
        let answer: String
        let reason: String
        let from: String
        let until: String
        /// The URL of the answers at the beginning of the run; `nil` if the timeline has no links.
        let address: String?
    }

    /// An answer at the selected instant.
    struct Answer {
        let subject: String
        let word: String
        let reasonWord: String
        let mark: String
    }

    /// The selected instant, if it is not the present.
    struct Moment {
        let time: String
        let distance: String
        let isFuture: Bool
        let answers: [Answer]
        /// The answers about the selected instant that have changed because of evidence that became known later.
        let news: [String]
        let presentAddress: String
    }

    /// A hidden form field, which repeats a parameter of the page's URL.
    package struct Field {
        let name: String
        let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The URLs of a page that shows a timeline.
    package struct Links {
        /// Returns the URL of the answers at an instant, which is given as ISO 8601; `nil` means the present.
        let at: (String?) -> String
        /// Returns the URL of the page that shows the time axis between two instants, given in the format of
        /// ``TimelineSpan``; `nil` means the whole axis.
        let span: (String?) -> String
        /// The URL from which the picture can be downloaded; `nil` if it cannot be downloaded.
        let file: String?
        /// The hidden fields of the form with which a user selects an instant.
        let kept: [Field]
        /// The URL to which the form is sent.
        let action: String

        package init(
            at: @escaping (String?) -> String, span: @escaping (String?) -> String, file: String? = nil,
            kept: [Field], action: String
        ) {
            self.at = at
            self.span = span
            self.file = file
            self.kept = kept
            self.action = action
        }
    }

    /// The texts of the page, by their names in the template.
    let words: [String: String]
    let heading: String
    /// The accessible name of the picture, which also explains the keys that move the picture.
    let region: String
    /// The HTML level of the heading.
    let level: Int
    let picture: String
    let legend: [Sample]
    let next: String
    /// The links that show other parts of the time axis.
    let parts: [PageLink]
    let file: String?
    let runs: [Run]
    /// A note if the table does not contain all runs.
    let runsNote: String?
    let moment: Moment?
    /// The reason why the requested instant was refused.
    let complaint: String?
    /// The text that the user submitted as the instant.
    let typed: String
    let interaction: Interaction?

    /// The URLs that the script and the form use.
    struct Interaction {
        let action: String
        let kept: [Field]
        /// The URL of the answers at an instant; `INSTANT` is a placeholder for the instant.
        let atAddress: String
        /// The URL of the page that shows the time axis between two instants; `FROM..TO` is a placeholder for the
        /// instants.
        let spanAddress: String
        let allAddress: String
        /// The instants at both ends of the whole time axis, in milliseconds since 1970.
        let first: Int64
        let last: Int64
    }
}

extension TimelineContent {
    /// Creates the timeline of a customer; `nil` if the customer never had a product or feature.
    ///
    /// - Parameters:
    ///   - chart: The chart of all products and features that the customer ever had, with the present marked.
    ///   - at: The selected instant, as it was requested; `nil` for the present.
    ///   - span: The part of the time axis that is shown; `nil` for the whole axis.
    ///   - known: The answers from the evidence that was known at the selected instant.
    ///   - today: The answers from the evidence that is known at present.
    ///   - listsAnswers: Whether the answers at the instant are listed, because no other part of the page shows them.
    ///   - hasMoment: Whether the timeline shows the instant above the picture. If not, the page shows the instant.
    ///   - level: The level of the heading.
    ///   - mostRuns: The maximum number of rows of the table.
    package init?(
        _ customer: CustomerID, _ chart: TimelineChart, at typed: String? = nil, span: TimelineSpan? = nil,
        known: Resolution? = nil, today: Resolution? = nil, listsAnswers: Bool = false, hasMoment: Bool = true,
        level: Int = 2, mostRuns: Int = 100, links: Links? = nil
    ) {
        guard !chart.rows.isEmpty else { return nil }
        let instant = typed.flatMap(PageTime.instant)
        let present = (chart.mark ?? chart.end).wholeSecond
        let words = chart.words
        // The picture and the table are made from the same runs.
        let drawn = chart.expectingRenewals
        var shown = drawn.showing(from: span?.from ?? chart.start, to: span?.to ?? chart.end)
        shown.focus = instant
        self.words = words.page
        heading = words(.heading, ["customer": customer.rawValue])
        region =
            words(.region, ["customer": customer.rawValue]) + (links == nil ? "" : "; \(words(.keys))")
        self.level = level
        picture = shown.inlineSVG(
            label: words(.picture),
            links: links.map { links in
                TimelineChart.Links(
                    at: { links.at($0.address) }, span: { links.span(TimelineSpan(from: $0, to: $1).text) })
            })
        legend =
            drawn.segmentStyles.map { Sample(picture: TimelineChart.sample($0), meaning: words.meaning($0)) }
            + [Sample(picture: TimelineChart.sample(.access, isExpected: true), meaning: words.expectation)]
            + chart.eventKinds.map { Sample(picture: TimelineChart.sample($0), meaning: words.name($0)) }
        next =
            chart.nextEvent.map { event in
                words(
                    .next,
                    ["event": event.words, "time": words.time(event.at), "distance": words.distance(event.at, present)])
            } ?? words(.noNext)
        parts = links.map { Self.parts(of: shown, in: chart, $0) } ?? []
        file = links?.file
        let visible = shown.rows.flatMap { row in
            row.segments.filter { segment in
                segment.segmentStyle != .nothing && (segment.from ?? shown.start) <= shown.end
                    && (segment.to ?? shown.end) >= shown.start
            }.map { (row.label, $0) }
        }
        runs = visible.prefix(mostRuns).map { subject, segment in
            Run(
                subject: subject, answer: segment.caption, reason: segment.sentence,
                from: segment.from.map(words.time) ?? words(.ever),
                until: segment.to.map(words.time) ?? words(.noEnd),
                address: segment.from.flatMap { from in links?.at(from.address) })
        }
        runsNote =
            visible.count > mostRuns
            ? words(.someRuns, ["count": "\(mostRuns)", "all": "\(visible.count)"]) : nil
        moment = (hasMoment ? instant : nil).map { instant in
            Moment(
                time: words(.asOf, ["time": words.time(instant)]), distance: words.distance(instant, present),
                isFuture: instant > present,
                answers: listsAnswers ? (known ?? today).map { Self.answers(in: $0, at: instant) } ?? [] : [],
                news: Self.news(about: instant, known: known, today: today, words), presentAddress: links?.at(nil) ?? ""
            )
        }
        complaint =
            typed != nil && instant == nil
            ? words(.invalid, ["typed": typed ?? ""]) : nil
        self.typed = typed ?? ""
        interaction = links.map { links in
            Interaction(
                action: links.action, kept: links.kept, atAddress: links.at("INSTANT"),
                spanAddress: links.span("FROM..TO"), allAddress: links.span(nil),
                first: chart.start.millisecondsSince1970, last: chart.end.millisecondsSince1970)
        }
    }

    /// Returns the links that show other parts of the time axis; the links work without a script.
    private static func parts(
        of shown: TimelineChart, in chart: TimelineChart, _ links: Links
    ) -> [PageLink] {
        let length = shown.end.milliseconds(since: shown.start)
        let marked = shown.focus ?? shown.mark ?? shown.end
        let middle = shown.start.adding(milliseconds: length / 2)
        let centre = shown.start <= marked && marked <= shown.end ? marked : middle
        func address(_ length: Int64, around instant: Instant, share: Double) -> String {
            let length = min(max(length, 60_000), 1 << 52)
            let from = instant.adding(milliseconds: -Int64(Double(length) * share))
            let to = from.adding(milliseconds: length)
            return links.span(from <= chart.start && to >= chart.end ? nil : TimelineSpan(from: from, to: to).text)
        }
        let share = Double(centre.milliseconds(since: shown.start)) / Double(max(length, 1))
        let day: Int64 = 86_400_000
        let words = chart.words
        let isAll = shown.start == chart.start && shown.end == chart.end
        let parts: [(String, TimelineText, String, Bool)] = [
            ("+", .zoomIn, address(length / 2, around: centre, share: share), false),
            ("−", .zoomOut, address(length.multipliedReportingOverflow(by: 2).0, around: centre, share: share), false),
            ("←", .earlier, address(length, around: shown.start, share: 0.5), false),
            ("→", .later, address(length, around: middle, share: 0), false),
            (words(.month), .oneMonth, address(30 * day, around: marked, share: 2 / 3), false),
            (words(.year), .oneYear, address(365 * day, around: marked, share: 2 / 3), false),
            (words(.all), .wholeTimeline, links.span(nil), isAll),
        ]
        return parts.map { label, detail, address, isCurrent in
            PageLink(label: label, address: address, isCurrent: isCurrent, detail: words(detail))
        }
    }

    private static func answers(in resolution: Resolution, at instant: Instant) -> [Answer] {
        let answers =
            resolution.products.map { ($0.id.rawValue, $0.timeline.value(at: instant)) }
            + resolution.features.map { ($0.id.rawValue, $0.timeline.value(at: instant).answer) }
        return answers.filter { $0.1.kind != .never }.prefix(40).map { subject, answer in
            Answer(subject: subject, word: answer.word, reasonWord: answer.reasonWord, mark: answer.mark)
        }
    }

    /// Returns the differences between today's answers about an instant and the answers that were known at that
    /// instant.
    private static func news(
        about instant: Instant, known: Resolution?, today: Resolution?, _ words: TimelineWords
    ) -> [String] {
        guard let known, let today else { return [] }
        return today.products.compactMap { product -> String? in
            let now = product.timeline.value(at: instant)
            let then = known.answer(for: product.id, at: instant) ?? .never
            guard !now.isEquivalent(to: then) else { return nil }
            return words(.changed, ["product": product.id.rawValue, "then": "\(then)", "now": "\(now)"])
        }.prefix(10).map(\.self)
    }
}

/// The part of a time axis between two instants, which a URL contains as `2026-01-01T00:00:00Z..2026-02-01T00:00:00Z`.
package struct TimelineSpan: Hashable, Sendable {
    package let from: Instant
    package let to: Instant

    package init(from: Instant, to: Instant) {
        self.from = from
        self.to = to
    }

    /// Reads the text from a URL; `nil` if the text does not consist of two times in chronological order.
    package init?(_ text: String) {
        guard let dots = text.firstRange(of: ".."), let from = Instant(String(text[..<dots.lowerBound])),
            let to = Instant(String(text[dots.upperBound...])), from < to
        else { return nil }
        self.init(from: from, to: to)
    }

    /// The text of the span in a URL.
    package var text: String { "\(from.address)..\(to.address)" }
}

extension Instant {
    /// The text of the time in a URL, with a fraction of a second only if the time has a fraction.
    package var address: String { millisecondsSince1970.isMultiple(of: 1000) ? toSeconds : description }
}
