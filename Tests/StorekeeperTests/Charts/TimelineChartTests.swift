import StorekeeperTesting
import Testing

@testable import Storekeeper

@Suite("Timeline charts") struct TimelineChartTests {
    private static let extremes: [Instant?] = [nil, .distantPast, .day(0), .distantFuture]

    @Test("are drawn whatever the edges and the mark", arguments: extremes, extremes)
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
