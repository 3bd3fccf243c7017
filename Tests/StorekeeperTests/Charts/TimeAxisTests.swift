import StorekeeperTesting
import Testing

@testable import StorekeeperCharts
@testable import StorekeeperEngine

@Suite("Time axes") struct TimeAxisTests {
    private func labels(_ from: String, _ to: String, at most: Int) throws -> [String] {
        TimeAxis(from: try #require(Instant(from)), to: try #require(Instant(to)), maximumCount: most).ticks.map(
            \.label)
    }

    @Test(
        "An axis marks round instants, as many as fit",
        arguments: [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:03Z", 9, ["00:00:00", "00:00:01", "00:00:02", "00:00:03"]),
            ("2026-01-01T00:00:00.001Z", "2026-01-01T00:00:02.999Z", 9, ["00:00:01", "00:00:02"]),
            ("2026-01-01T23:58:30Z", "2026-01-02T00:01:00Z", 4, ["01-01 23:59", "01-02 00:00", "01-02 00:01"]),
            (
                "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", 5,
                ["01-01 00:00", "01-01 06:00", "01-01 12:00", "01-01 18:00", "01-02 00:00"]
            ),
            ("2026-02-27T12:00:00Z", "2026-03-02T00:00:00Z", 5, ["2026-02-28", "2026-03-01", "2026-03-02"]),
            ("2026-01-15T00:00:00Z", "2026-04-15T00:00:00Z", 5, ["2026-02", "2026-03", "2026-04"]),
            ("2026-01-15T00:00:00Z", "2026-12-31T00:00:00Z", 5, ["2026-04", "2026-07", "2026-10"]),
            ("2024-06-01T00:00:00Z", "2028-06-01T00:00:00Z", 5, ["2025", "2026", "2027", "2028"]),
            ("1999-06-01T00:00:00Z", "2041-06-01T00:00:00Z", 5, ["2000", "2010", "2020", "2030", "2040"]),
            ("1969-12-31T12:00:00Z", "1970-01-02T00:00:00Z", 2, ["1970-01-01", "1970-01-02"]),
        ] as [(String, String, Int, [String])])
    func labels(from: String, to: String, most: Int, expected: [String]) throws {
        #expect(try labels(from, to, at: most) == expected)
    }

    @Test("An axis never has more marks than fit, and all are inside it and in order")
    func property() {
        struct Span {
            var from: Int
            var to: Int
            var most: Int
        }
        checkProperty(
            "marks are inside the axis, in order and not too many",
            generate: { random in
                let from = random.number(in: -100_000...100_000)
                let length = 1 << random.number(in: 0...17)
                return Span(from: from, to: from + length, most: random.number(in: 2...12))
            },
            holds: { span in
                let ticks = TimeAxis(from: .day(span.from), to: .day(span.to), maximumCount: span.most).ticks
                return ticks.count <= span.most
                    && ticks.allSatisfy { .day(span.from) <= $0.at && $0.at <= .day(span.to) }
                    && zip(ticks, ticks.dropFirst()).allSatisfy { $0.at < $1.at }
            })
    }

    @Test("An axis can span the whole range of time")
    func extremes() {
        let ticks = TimeAxis(from: .distantPast, to: .distantFuture, maximumCount: 9).ticks
        #expect(ticks.count <= 9)
    }
}
