import Storekeeper
import StorekeeperCharts
import StorekeeperTesting
import Testing

@Suite("Marks of timelines") struct TimelineMarksTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private func chart(
        _ transactions: [TransactionDraft] = [gold], _ infos: [RenewalInfoDraft] = [], at day: Int = 25
    ) throws -> TimelineChart {
        let resolution = try TestShop.resolution(transactions, infos)
        return TimelineChart(
            ofAll: resolution, marking: .day(day), transactions: try transactions.map { try $0.transaction() })
    }

    private func events(_ chart: TimelineChart, _ label: String = "gold.monthly") -> [String] {
        chart.rows.first { $0.label == label && $0.kind == .product }?.events.map { event in
            "\(event.kind.rawValue) \(event.at.milliseconds(since: .testEpoch) / 86_400_000)"
        } ?? []
    }

    @Test("What follows the marked instant is drawn as expected, and nothing before it")
    func expected() throws {
        let svg = try chart(at: 25).svg(title: "t")
        let boxes = svg.matches(of: #/<rect class="([a-z ]+)" x="([0-9.]+)" [^>]*rx="3"><title>/#).prefix(3)
        #expect(boxes.map { String($0.1) } == ["access", "access expected", "lapsed expected"])
        let now = try #require(svg.firstMatch(of: #/translate\(([0-9.]+) 0\)"><line class="now"/#))
        #expect(boxes.map { String($0.2) }[1] == now.1)
        #expect(!(try chart().showing(from: .day(0), to: .day(20)).svg(title: "t").contains("expected\"")))
        #expect(svg.contains(">next change 2026-02-01</text>"))
    }

    @Test(
        "Grace periods, billing retries, refunds, revocations, upgrades and price increases are marked",
        arguments: [
            (
                [gold], [RenewalInfoDraft(for: gold, signedAt: .month(1)).grace(until: .day(37))],
                ["gracePeriod 31", "billingRetry 37"]
            ),
            ([gold.revoked(at: .day(10))], [], ["refund 10"]),
            ([gold.revoked(at: .day(10), type: .proratedRefund, percentage: 50_000)], [], ["partialRefund 10"]),
            ([with(gold.revoked(at: .day(10))) { $0.ownership = .familyShared }], [], ["revocation 10"]),
            (
                [gold], [with(RenewalInfoDraft(for: gold, signedAt: .day(20))) { $0.priceIncreaseStatus = .pending }],
                ["priceIncrease 20"]
            ),
            (
                [gold], [with(RenewalInfoDraft(for: gold, signedAt: .day(21))) { $0.priceIncreaseStatus = .agreed }],
                ["priceAgreed 21"]
            ),
            ([gold], [], []),
        ] as [([TransactionDraft], [RenewalInfoDraft], [String])])
    func kinds(_ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft], _ expected: [String]) throws {
        let chart = try chart(transactions, infos)
        #expect(events(chart) == expected)
        let svg = chart.svg(title: "t")
        for kind in chart.eventKinds { #expect(svg.contains(">\(kind.words)</text>"), "the legend") }
        #expect(svg.matches(of: #/<path class="event" d=/#).count == expected.count)
    }

    @Test("A refund is marked even if it changes no answer")
    func silentRefund() throws {
        let other = TransactionDraft.purchase(of: TestShop.gold, at: .day(1), id: "3000")
        let chart = try chart([Self.gold.revoked(at: .day(10)), other])
        #expect(events(chart) == ["refund 10"])
    }

    @Test("A free trial has a look and a mark of its own, in text and in a picture")
    func trial() throws {
        let trial = with(Self.gold) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        let paid = with(TransactionDraft.renewal(of: trial)) {
            $0.offerType = nil
            $0.offerPaymentMode = nil
        }
        let chart = try chart([trial, paid], at: 40)
        #expect(events(chart) == ["freeTrial 0"])
        let text = chart.text(width: 80)
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("gold.monthly") && $0.contains("▓█") }, "\(text)")
        #expect(text.contains("▓ free trial"))
        let svg = chart.svg(title: "t")
        let boxes = svg.matches(of: #/<rect class="([a-z ]+)" x="([0-9.]+)" [^>]*rx="3"><title>/#)
        #expect(boxes.prefix(2).map { String($0.1) } == ["trial", "access"])
        #expect(svg.contains("A free trial is running."))
        #expect(svg.contains(">free trial</text>") && svg.contains(">free trial begins</text>"), "the legend")
    }

    @Test("Another offer has a mark, and the look of access")
    func offer() throws {
        let offered = with(Self.gold) {
            $0.offerType = .promotional
            $0.offerID = "loyal"
            $0.offerPaymentMode = .payUpFront
        }
        let chart = try chart([offered])
        #expect(events(chart) == ["offer 0"])
        #expect(!chart.text(width: 80).contains("▓"))
        #expect(chart.svg(title: "t").contains(">offer begins</text>"))
    }

    @Test("A renewal that is due is drawn dashed after the last known period")
    func due() throws {
        let info = RenewalInfoDraft(for: Self.gold, signedAt: .day(1))
        let chart = try chart([Self.gold], [info], at: 25)
        let text = chart.text(width: 80)
        let bar = text.split(separator: "\n").first { $0.hasPrefix("gold.monthly") } ?? ""
        #expect(bar.contains("█╌") && bar.contains("╌·"), "\(text)")
        #expect(text.contains("╌ renewal, if it arrives"))
        let svg = chart.svg(title: "t")
        let boxes = svg.matches(of: #/<rect class="([a-z ]+)" x="([0-9.]+)" [^>]*rx="3"><title>/#)
        #expect(
            boxes.prefix(4).map { String($0.1) } == ["access", "access expected", "access expected", "lapsed expected"])
        #expect(svg.contains("From 2026-02-01 until 2026-03-01 UTC."))

        let cancelled = try self.chart([Self.gold], [info.cancelled()], at: 25)
        #expect(!cancelled.text(width: 80).contains("╌"))
    }

    @Test("The reasons of a shared copy and of a request to a guardian do not sound like a purchase of the customer")
    func sentences() throws {
        let shared = try chart([Self.gold.owned(as: .familyShared)]).svg(title: "t")
        #expect(shared.contains("A period is running that the family shares."))
        #expect(EntitlementAnswer.pending(.askToBuy).sentence == "The purchase waits for a guardian's approval.")
    }

    @Test("Every mark has a form of its own")
    func forms() {
        let kinds = TimelineChart.Event.Kind.allCases
        #expect(Set(kinds.map { TimelineChart.sample($0) }).count == kinds.count)
        #expect(Set(kinds.map(\.words)).count == kinds.count)
    }

    /// Returns the chart of a history in which service begins and ends each day.
    private func restless(days: Int) throws -> TimelineChart {
        let drafts = (0..<days).map { day in
            with(TransactionDraft.purchase(of: TestShop.gold, at: .day(day), id: Transaction.ID("\(1000 + day)"))) {
                $0.originalID = "1000"
                $0.expiresAt = Instant.day(day).adding(milliseconds: 43_200_000)
            }
        }
        return TimelineChart(ofAll: try TestShop.resolution(drafts), marking: .day(days))
    }

    @Test("A long restless history is drawn with few elements, and each of them can be seen")
    func merging() throws {
        let chart = try restless(days: 1500)
        #expect(chart.rows[0].segments.count > 2900)
        for svg in [chart.svg(title: "t"), chart.inlineSVG(label: "t", links: nil)] {
            #expect(svg.matches(of: #/<(rect|path|line|text|use)\b/#).count <= 300)
            #expect(svg.contains("answers in a short time"))
        }
        let widths = chart.svg(title: "t").matches(of: #/<rect class="[a-z ]+" [^>]*width="([0-9.]+)"/#)
        #expect(widths.compactMap { Double($0.1) }.allSatisfy { $0 >= 1 })
        // In a short part of the chart, every run is drawn.
        let part = chart.showing(from: .day(700), to: .day(710)).inlineSVG(label: "t", links: nil)
        #expect(part.matches(of: #/<rect class="access"/#).count == 10 * chart.rows.count)
        #expect(!part.contains("answers in a short time"))
    }

    @Test("In a page each bar is a link to its beginning, and several merged ones to a closer view")
    func links() throws {
        let links = TimelineChart.Links(
            at: { "/at?\"\($0.toSeconds)" }, span: { "/span?\($0.toSeconds)&\($1.toSeconds)" })
        let svg = try chart().inlineSVG(label: "\"t", links: links)
        #expect(svg.contains("<a class=\"bar\" href=\"/at?&quot;2026-01-01T00:00:00Z\" data-key=\"bar 0 0\"><title>"))
        #expect(svg.contains("aria-label=\"&quot;t\""))
        #expect(!svg.contains(" style=") && !svg.contains("<style"), "the policy of pages permits no inline styles")
        let dense = try restless(days: 1500).inlineSVG(label: "t", links: links)
        #expect(dense.contains("href=\"/span?"))
    }

    @Test(
        "The labels of the axis neither overlap nor are cut off at any width",
        arguments: [("narrow", 300.0), ("medium", 520), ("wide", 1080)])
    func axis(_ style: String, _ width: Double) throws {
        let chart = try chart()
        for (from, to) in [(-10, 50), (0, 2), (0, 3), (3, 400), (-900, 2400), (20, 34)] {
            let svg = chart.showing(from: .day(from), to: .day(to)).inlineSVG(label: "t", links: nil)
            let ticks = svg.matches(
                of: #/<svg class="tick ([a-z ]+)" x="([0-9.]+)%"[^>]*><line[^>]*><text[^>]*>([^<]*)</#)
            let labels = ticks.filter { $0.1.split(separator: " ").contains { $0 == style } }.compactMap { tick in
                Double(tick.2).map { (x: $0 / 100 * width, half: Double(tick.3.count) * 3.2) }
            }.sorted { $0.x < $1.x }
            #expect(!labels.isEmpty, "\(from) to \(to)")
            #expect(labels.allSatisfy { $0.x >= $0.half && $0.x + $0.half <= width }, "\(from) to \(to)")
            #expect(zip(labels, labels.dropFirst()).allSatisfy { $0.x + $0.half < $1.x - $1.half }, "\(from) to \(to)")
        }
    }
}
