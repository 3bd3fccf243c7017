import StorekeeperTesting
import Testing

@testable import Storekeeper

@Suite("Timelines") struct TimelineTests {
    private static let timeline: Timeline<String> = {
        var timeline = Timeline("-")
        for (day, value) in [(1, "a1"), (2, "a2"), (3, "b1"), (5, "-"), (7, "b2")] {
            timeline.append(value, from: .day(day)) { $0.first == $1.first }
        }
        return timeline
    }()

    @Test("hold a value from its first millisecond, and not at the next value's")
    func halfOpen() {
        #expect(Self.timeline.value(at: .distantPast) == "-")
        #expect(Self.timeline.value(at: Instant.day(1).adding(milliseconds: -1)) == "-")
        #expect(Self.timeline.value(at: .day(1)) == "a1")
        #expect(Self.timeline.value(at: .day(2)) == "a2")
        #expect(Self.timeline.value(at: .distantFuture) == "b2")
    }

    @Test("join neighbouring values into runs")
    func runs() {
        #expect(Self.timeline.runs.map(\.value) == ["-", "a1", "b1", "-", "b2"])
        let run = Self.timeline.run(at: .day(2))
        #expect(run.from == .day(1) && run.to == .day(3))
        #expect(Self.timeline.runs.first?.from == nil && Self.timeline.runs.last?.to == nil)
        #expect(Self.timeline.nextChange(after: .day(1)) == .day(3))
        #expect(Self.timeline.nextChange(after: .day(7)) == nil)
        #expect(Self.timeline.nextChange(after: .distantPast) == .day(1))
    }

    @Test("let a later value replace what held from its instant on")
    func replacing() {
        var timeline = Self.timeline
        timeline.append("c", from: .day(3)) { _, _ in false }
        #expect(timeline.runs.map(\.value) == ["-", "a1", "c"])
        timeline.append("d", from: .distantPast) { _, _ in false }
        #expect(timeline.runs.map(\.value) == ["d"])
    }

    @Test("overlay pieces so that the best holds at every instant")
    func overlay() {
        struct Input { var pieces: [Overlay.Piece<Int>] }
        checkProperty(
            "the overlay equals the best piece, instant by instant", cases: 500,
            generate: { random in
                Input(
                    pieces: (0..<random.number(in: 0...8)).map { value in
                        let from = random.number(in: 0...12)
                        return Overlay.Piece(
                            from: .day(from), to: .day(from + random.number(in: -1...6)), value: value + 1)
                    })
            },
            shrink: { input in
                input.pieces.indices.map { index in with(input) { $0.pieces.remove(at: index) } }
            },
            holds: { input in
                let timeline = Overlay.best(of: input.pieces, background: 0, isBetter: >, joins: ==)
                return (-1...20).allSatisfy { day in
                    let best = input.pieces.filter { $0.from <= .day(day) && .day(day) < $0.to }.map(\.value).max()
                    return timeline.value(at: .day(day)) == best ?? 0
                }
            })
    }
}
