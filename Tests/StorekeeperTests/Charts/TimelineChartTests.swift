import Storekeeper
import StorekeeperCharts
import StorekeeperTesting
import Testing

@Suite("Timeline charts") struct TimelineChartTests {
    /// Returns the answers about gold in January, followed by a grace period until day 37 and no access after it; about
    /// the removal of ads, which was bought and refunded; and about a pass that was never bought.
    private func resolution() throws -> Resolution {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        return try TestShop.resolution(
            [
                gold,
                TransactionDraft.purchase(of: TestShop.removeAds, at: .day(10), id: "2000").revoked(at: .day(20)),
            ], [RenewalInfoDraft(for: gold, signedAt: .month(1)).grace(until: .day(37))])
    }

    private func rows(_ ids: Product.ID...) throws -> [TimelineChart.Row] {
        let resolution = try resolution()
        return try ids.map { TimelineChart.Row(try #require(resolution.product($0))) }
    }

    @Test("A chart draws one bar for each product under one axis, with a mark and a legend")
    func text() throws {
        let chart = TimelineChart(
            try rows("gold.monthly", "remove.ads", "season.pass"), from: .day(-10), to: .day(50), marking: .day(25))
        #expect(
            chart.text(width: 74) == """
                                        2026-01                        2026-02
                              ──────────┬──────────────────────────────┬──────────────────
                gold.monthly            ███████████████████████████████▒▒▒▒▒▒░░░░░░░░░░░░░
                remove.ads                        ██████████······························
                season.pass
                                        2026-01-26T00:00:00.000Z ▲

                █ access   ▒ grace period, leeway   ░ billing retry   · no longer

                """)
    }

    @Test("A chart is never wider than the given columns, wherever the mark is", arguments: [60, 72, 80, 100, 160])
    func width(_ width: Int) throws {
        for day in stride(from: -10, through: 50, by: 3) {
            let chart = TimelineChart(
                try rows("gold.monthly", "remove.ads", "season.pass"), from: .day(-10), to: .day(50),
                marking: .day(day))
            let lines = chart.text(width: width).split(separator: "\n")
            let time = String(Instant.day(day).description.prefix(10))
            let isMarked = lines.contains { $0.contains("▲") && $0.contains(time) }
            #expect(lines.allSatisfy { $0.count <= width })
            #expect(isMarked)
        }
    }

    @Test("A column shows the run that covers most of it, even if a shorter run contains its middle")
    func narrowRuns() throws {
        // A column has 60 days. The sixth column begins on day 3, and its middle is in the grace period of six days.
        let chart = TimelineChart(try rows("gold.monthly"), from: .day(-297), to: .day(1263))
        let bar = chart.text(width: 40).split(separator: "\n").first { $0.hasPrefix("gold") }
        #expect(bar?.hasPrefix("gold.monthly       █") == true)
        #expect(bar?.contains("▒") == false)
    }

    @Test("A chart passes every run to the painter with its look")
    func paint() throws {
        let chart = TimelineChart(try rows("gold.monthly"), from: .day(-10), to: .day(50))
        let text = chart.text(width: 54) { run, segmentStyle in
            segmentStyle == .nothing ? run : "<\(segmentStyle.rawValue)>\(run)</>"
        }
        let bar = text.split(separator: "\n").first { $0.hasPrefix("gold") }
        #expect(bar == "gold.monthly         <access>████████████████████</><grace>▒▒▒▒</><retry>░░░░░░░░░</>")
    }

    @Test("A chart clips bars at given edges, and extends a little beyond the bars if no edge is given")
    func edges() throws {
        let rows = try rows("gold.monthly")
        #expect(TimelineChart(rows, from: .day(5), to: .day(9)).text(width: 40).contains("│") == false)
        let open = TimelineChart(rows, marking: .day(100))
        #expect(open.start < .day(0) && open.end > .day(100))
        let inverted = TimelineChart(rows, from: .day(9), to: .day(5))
        #expect(inverted.start == .day(9) && inverted.end > inverted.start)
        #expect(TimelineChart([]).end > TimelineChart([]).start)
    }

    @Test("A label cannot move the terminal's cursor or break its line")
    func hostileLabels() throws {
        let row = with(try rows("gold.monthly")[0]) { $0.label = "a\nb\u{1B}[2J\u{202E}c" }
        let text = TimelineChart([row], marking: .day(3)).text(width: 60)
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("a b [2J c  ") })
    }

    @Test("Labels that leave no room for the bars are shortened")
    func longLabels() throws {
        let row = with(try rows("gold.monthly")[0]) { $0.label = String(repeating: "x", count: 90) }
        let line = TimelineChart([row]).text(width: 60).split(separator: "\n").first { $0.hasPrefix("x") }
        #expect(line?.hasPrefix(String(repeating: "x", count: 19) + "…  ") == true)
        #expect((line?.count ?? 0) <= 60)
    }

    @Test("Every meaning has its own look")
    func segmentStyles() throws {
        let text = TimelineChart(
            try rows("gold.monthly", "remove.ads"), from: .day(-10), to: .day(50)
        ).text(width: 74)
        for character in ["█", "▒", "░", "·"] { #expect(text.contains(character)) }
    }

    private static let extremes: [Instant?] = [nil, .distantPast, .day(0), .distantFuture]

    @Test("A chart is drawn for any edges and any mark", arguments: extremes, extremes)
    func extremeEdges(start: Instant?, end: Instant?) throws {
        let transaction = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let rows = try TestShop.resolution([transaction]).products.map { TimelineChart.Row($0) }
        for mark in Self.extremes {
            for rows in [rows, []] {
                let chart = TimelineChart(rows, from: start, to: end, marking: mark)
                #expect(chart.start < chart.end)
                #expect(!chart.text(width: 80).isEmpty)
                #expect(chart.svg(title: "t").hasSuffix("</svg>\n"))
            }
        }
    }
}
