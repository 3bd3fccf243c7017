import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCharts

@Suite("Timelines as pictures") struct TimelinePictureTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private func rows() throws -> [TimelineChart.Row] {
        let resolution = try TestShop.resolution(
            [Self.gold], [RenewalInfoDraft(for: Self.gold, signedAt: .month(1)).grace(until: .day(37))])
        return [TimelineChart.Row(try #require(resolution.product("gold.monthly")))]
    }

    @Test("Each run is a box whose tooltip has the answer, the reason, its start and end, and the transaction")
    func boxes() throws {
        let svg = TimelineChart(try rows(), from: .day(-10), to: .day(50), marking: .day(25)).svg(title: "A customer")
        for caption in [
            """
            gold.monthly: entitled (active)
            A period is running.
            From 2026-01-01 until 2026-02-01 UTC.
            Decided by transaction 1000.
            """,
            """
            gold.monthly: entitled (gracePeriod), expected
            The payment failed; service continues during the grace period.
            From 2026-02-01 until 2026-02-07 UTC.
            Decided by transaction 1000.
            """,
            """
            gold.monthly: lapsed (billingRetry), expected
            The payment failed and is tried again, without service.
            From 2026-02-07 until 2026-04-02 UTC.
            Decided by transaction 1000.
            """,
        ] { #expect(svg.contains("<title>\(caption)</title></rect>")) }
        #expect(svg.contains(">A customer</text>") && svg.contains("<title>A customer</title>"))
        #expect(svg.contains(">2026-01-26T00:00:00.000Z</text>"), "the marked instant")
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"252\""))
        #expect(svg.hasSuffix("</svg>\n"))
    }

    @Test("A picture is well-formed XML whatever its labels and title contain")
    func hostileText() throws {
        let hostile = "</text><script>\"&'\u{0}\u{1B}\u{FFFF}]]>"
        let row = with(try rows()[0]) { $0.label = hostile }
        let svg = TimelineChart([row]).svg(title: hostile)
        let escaped = "&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;\u{FFFD}\u{FFFD}\u{FFFD}]]&gt;"
        #expect(svg.contains("<title>\(escaped)</title>"))
        #expect(!svg.contains("<script"))
        #expect(!svg.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 })
    }

    @Test(
        "A coordinate is written with its sign and without needless decimals",
        arguments: [
            (-0.5, "-0.5", "-0.500"), (-1.25, "-1.3", "-1.250"), (-0.0001, "0", "0"), (0.0, "0", "0"),
            (0.04, "0", "0.040"), (2.5, "2.5", "2.500"), (-3.0, "-3", "-3"),
        ])
    func coordinates(number: Double, tenths: String, thousandths: String) {
        #expect(number.inTenths == tenths)
        #expect(number.inThousandths == thousandths)
    }

    @Test("Billing retry differs from expired by colour and by thickness")
    func retry() throws {
        let svg = TimelineChart(try rows(), from: .day(-10), to: .day(150), marking: .day(25)).svg(title: "t")
        let boxes = svg.matches(
            of: #/<rect class="(access|grace|retry|lapsed)(?: expected)?" [^>]*height="([0-9]+)" rx="3"><title>/#)
        #expect(boxes.map { String($0.1) } == ["access", "access", "grace", "retry", "lapsed"])
        #expect(Set(boxes.dropFirst(2).map { String($0.2) }).count == 3)
        for meaning in ["access", "grace period, leeway", "billing retry", "no longer"] {
            #expect(svg.contains(">\(meaning)</text>"))
        }
    }

    @Test("Dates are written below the ends of bars, as many as fit")
    func dates() throws {
        let wide = TimelineChart(try rows(), from: .day(-10), to: .day(150)).svg(title: "t")
        for date in ["2026-01-01", "2026-04-02"] { #expect(wide.contains(">\(date)</text>")) }
        let places = wide.matches(of: #/x="([0-9.]+)" [^>]*font-size="10"/#).compactMap { Double($0.1) }
        #expect(places.count >= 2)
        #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 >= 60 })
        let hours = TimelineChart(try rows(), from: .day(30), to: .day(32)).svg(title: "t")
        #expect(hours.contains(">02-01 00:00</text>"))
    }

    @Test("Colours follow the reader's colour scheme")
    func colours() throws {
        let svg = TimelineChart(try rows()).svg(title: "t")
        #expect(svg.contains("@media (prefers-color-scheme: dark)"))
        // An element with a fixed colour would look the same on a dark page.
        #expect(!svg.contains("fill=\"") && !svg.contains("stroke=\""))
        for segmentStyle in TimelineChart.SegmentStyle.allCases where segmentStyle != .nothing {
            #expect(svg.ranges(of: ".\(segmentStyle.rawValue) { fill: #").count == 2)
        }
    }

    @Test("Features look different from products")
    func features() throws {
        let product = try rows()[0]
        let feature = with(product) {
            $0.label = "pro"
            $0.kind = .feature
        }
        let both = TimelineChart([product, feature]).svg(title: "t")
        #expect(both.contains(">PRODUCTS</text>") && both.contains(">FEATURES</text>"))
        #expect(both.contains("font-style=\"italic\">pro</text>"))
        #expect(!TimelineChart([product]).svg(title: "t").contains("PRODUCTS"))
    }

    @Test("The legend is spaced evenly")
    func legend() throws {
        let svg = TimelineChart(try rows(), from: .day(-10), to: .day(150)).svg(title: "t")
        let places = svg.matches(of: #/<rect class="[a-z]+" x="([0-9]+)" y="[0-9]+" width="14"/#).compactMap {
            Int($0.1)
        }
        #expect(places.count == 4)
        #expect(Set(zip(places, places.dropFirst()).map { $1 - $0 }).count == 1)
    }

    @Test("Every box is inside the picture")
    func bounds() throws {
        let svg = TimelineChart(try rows(), from: .day(10), to: .day(20)).svg(title: "t")
        for match in svg.matches(of: #/<rect class="[a-z ]+" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)"/#) {
            let (x, width) = (try #require(Double(match.1)), try #require(Double(match.3)))
            #expect(x >= 0 && x + width <= 960)
        }
    }

    @Test("A picture of no products is valid")
    func empty() {
        let svg = TimelineChart([]).svg(title: "Nobody")
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
    }
}
