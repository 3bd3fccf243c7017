import Storekeeper
import StorekeeperCharts
import StorekeeperTesting
import Testing

@Suite("The article Timelines") struct TimelinesTests {
    private func resolution() throws -> Resolution {
        let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        return try TestShop.resolution([first, .renewal(of: first, expires: .month(2))])
    }

    @Test("The article's code queries timelines") func questions() throws {
        let timeline = try #require(try resolution().product("gold.monthly")).timeline
        let instant = Instant.day(33)

        let now = timeline.value(at: instant)
        let lastTuesday = timeline.value(at: instant.advanced(by: .seconds(-7 * 86_400)))
        let since = timeline.run(at: instant).from
        let until = timeline.run(at: instant).to
        let wakeAt = timeline.nextChange(after: instant)

        #expect(now.basis?.transaction.id == "1001" && lastTuesday.basis?.transaction.id == "1000")
        #expect(now.isEquivalent(to: lastTuesday))
        #expect(since == .day(0) && until == .month(2) && wakeAt == until)
    }

    @Test("The article's code draws timelines") func pictures() throws {
        let resolution = try resolution()
        let instant = Instant.day(33)
        var printed = ""
        func print(_ text: String) { printed += text }

        let chart = TimelineChart(resolution.products.map { TimelineChart.Row($0) }, marking: instant)
        print(chart.text(width: 100))
        let picture = chart.svg(title: "A customer")

        #expect(printed.contains("gold.monthly") && picture.contains("gold.monthly"))
    }
}
