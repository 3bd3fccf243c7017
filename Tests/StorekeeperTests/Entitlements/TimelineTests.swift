import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

@Suite("Timelines") struct TimelineTests {
    private static let timeline: Timeline<String> = {
        var timeline = Timeline("-")
        for (day, value) in [(1, "a1"), (2, "a2"), (3, "b1"), (5, "-"), (7, "b2")] {
            timeline.append(value, from: .day(day)) { $0.first == $1.first }
        }
        return timeline
    }()

    @Test("A timeline holds a value from its first millisecond up to, not including, the next value's")
    func halfOpen() {
        #expect(Self.timeline.value(at: .distantPast) == "-")
        #expect(Self.timeline.value(at: Instant.day(1).adding(milliseconds: -1)) == "-")
        #expect(Self.timeline.value(at: .day(1)) == "a1")
        #expect(Self.timeline.value(at: .day(2)) == "a2")
        #expect(Self.timeline.value(at: .distantFuture) == "b2")
    }

    @Test("A timeline joins equal neighbouring values into runs")
    func runs() {
        #expect(Self.timeline.runs.map(\.value) == ["-", "a1", "b1", "-", "b2"])
        let run = Self.timeline.run(at: .day(2))
        #expect(run.from == .day(1) && run.to == .day(3))
        #expect(Self.timeline.runs.first?.from == nil && Self.timeline.runs.last?.to == nil)
        #expect(Self.timeline.nextChange(after: .day(1)) == .day(3))
        #expect(Self.timeline.nextChange(after: .day(7)) == nil)
        #expect(Self.timeline.nextChange(after: .distantPast) == .day(1))
    }

    @Test("A later value replaces all values from its instant on")
    func replacing() {
        var timeline = Self.timeline
        timeline.append("c", from: .day(3)) { _, _ in false }
        #expect(timeline.runs.map(\.value) == ["-", "a1", "c"])
        timeline.append("d", from: .distantPast) { _, _ in false }
        #expect(timeline.runs.map(\.value) == ["d"])
    }

    @Test("An overlay holds the value of the best source at every instant")
    func overlay() {
        /// For each source, the days on which its value changes, and the new values; 0 means no value.
        struct Input { var sources: [[(day: Int, value: Int)]] }
        checkProperty(
            "the overlay equals the best source, instant by instant", cases: 800,
            generate: { random in
                Input(
                    sources: (0..<random.number(in: 0...6)).map { _ in
                        Set((0..<random.number(in: 0...5)).map { _ in random.number(in: 0...12) }).sorted()
                            .map { ($0, random.number(in: 0...4)) }
                    })
            },
            shrink: { input in
                input.sources.indices.map { index in with(input) { $0.sources.remove(at: index) } }
            },
            holds: { input in
                let sources = input.sources.map { changes in
                    var timeline = Timeline(0)
                    for change in changes { timeline.append(change.value, from: .day(change.day), joins: ==) }
                    return timeline
                }
                let overlay = Overlay.best(
                    of: sources, background: 0,
                    key: { $0 == 0 ? nil : ServiceKey(kind: -$0) }, isBetter: { $0.1 < $1.1 },
                    value: { value, _ in value }, joins: ==)
                return (-1...20).allSatisfy { day in
                    overlay.value(at: .day(day)) == sources.map { $0.value(at: .day(day)) }.max() ?? 0
                }
            })
    }
}
