import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests that the search for an instant, and changes at the end of a copy, do not affect the values of a timeline.
@Suite("Changed timelines") struct TimelineStorageTests {
    /// A timeline that is searched linearly.
    struct Model: Equatable {
        struct Entry: Equatable {
            var from: Instant
            var value: Int
        }
        var entries = [Entry(from: .distantPast, value: 0)]

        /// Values with the same tens belong to one run.
        static func joins(_ left: Int, _ right: Int) -> Bool { left / 10 == right / 10 }

        mutating func append(_ value: Int, from instant: Instant) {
            entries.removeAll { $0.from >= instant && $0.from > .distantPast }
            if instant <= .distantPast { entries = [] }
            entries.append(Entry(from: instant, value: value))
        }

        func value(at instant: Instant) -> Int { entries.last { $0.from <= instant }?.value ?? -1 }

        var runStarts: [Entry] {
            entries.indices.filter { $0 == 0 || !Self.joins(entries[$0 - 1].value, entries[$0].value) }
                .map { entries[$0] }
        }

        func agrees(with timeline: Timeline<Int>, at instants: [Instant]) -> Bool {
            let (runs, runStarts) = (timeline.runs, runStarts)
            guard runs.map(\.value) == runStarts.map(\.value),
                runs.dropFirst().map(\.from) == runStarts.dropFirst().map(\.from),
                runs.dropLast().map(\.to) == runStarts.dropFirst().map(\.from),
                runs.first?.from == nil, runs.last?.to == nil,
                timeline.entries.count == entries.count
            else { return false }
            return instants.allSatisfy { instant in
                let run = timeline.run(at: instant)
                let value = value(at: instant)
                let start = runStarts.last { $0.from <= instant }?.from
                let next = runStarts.first { $0.from > instant }?.from
                return timeline.value(at: instant) == value && timeline.nextChange(after: instant) == next
                    && run.value == value && run.to == next && run.from == (start == .distantPast ? nil : start)
            }
        }
    }

    /// Random changes of a timeline with a given number of entries.
    struct Changes {
        var length: Int
        var steps: [Step]

        enum Step {
            /// Appends a value from the given number of days before the end on.
            case append(Int, back: Int)
            /// Stores a copy of the timeline, which must not change later.
            case keep
            /// Removes the changes from the given number of days before the end on.
            case cut(back: Int)
        }

        static func generate(_ length: Int, _ random: inout SplitMix64) -> Changes {
            let backs = [0, 0, 0, 1, 2, 7, 8, 9, 31, 32, 33, 40, 41, 100, 1023, 1024, 1100, 5000]
            return Changes(
                length: length,
                steps: (0..<random.number(in: 1...8)).map { _ in
                    switch random.number(in: 0...5) {
                    case 0, 1: .keep
                    case 2: .cut(back: random.element(of: backs) ?? 0)
                    default: .append(random.number(in: 0...40), back: random.element(of: backs) ?? 0)
                    }
                })
        }

        var smaller: [Changes] {
            steps.indices.map { index in with(self) { $0.steps.remove(at: index) } }
        }
    }

    @Test(
        "A timeline is read, and changed at its end, as if it were searched linearly",
        arguments: [
            0, 1, 2, 7, 8, 33, 100, 1000,
        ])
    func changes(length: Int) {
        checkProperty(
            "a timeline of \(length) changes agrees with the model", cases: 6,
            generate: { Changes.generate(length, &$0) }, shrink: \.smaller
        ) { changes in
            var timeline = Timeline(0)
            var model = Model()
            var day = 0
            func append(_ value: Int) {
                timeline.append(value, from: .day(day), joins: Model.joins)
                model.append(value, from: .day(day))
                day += 1
            }
            for number in 0..<changes.length { append(number * 7 % 40) }
            var kept: [(timeline: Timeline<Int>, model: Model)] = []
            func instants() -> [Instant] {
                let days = [0, 31, 32, 1023, 1024] + [0, 1, 2, 7, 8, 9, 31, 32, 33, 40, 41].map { day - $0 }
                return [.distantPast, .distantFuture]
                    + days.flatMap { [Instant.day($0), Instant.day($0).adding(milliseconds: -1)] }
            }
            for step in changes.steps {
                switch step {
                case .append(let value, let back):
                    day = max(0, day - back)
                    append(value)
                case .keep: kept.append((timeline, model))
                case .cut(let back):
                    day = max(0, day - back)
                    timeline.cut(from: .day(day))
                    model.entries.removeAll { $0.from >= .day(day) }
                }
                guard model.agrees(with: timeline, at: instants()) else { return false }
            }
            return kept.allSatisfy { $0.model.agrees(with: $0.timeline, at: instants()) }
        }
    }

    @Test("Timelines with the same changes are equal, however they were built")
    func equality() {
        var straight = Timeline(0)
        for day in 0..<100 { straight.append(day, from: .day(day), joins: ==) }
        var detour = straight
        for day in 100..<200 { detour.append(day, from: .day(day), joins: ==) }
        #expect(detour != straight)
        detour.cut(from: .day(100))
        #expect(detour == straight)
        detour.append(-1, from: .day(3), joins: ==)
        #expect(detour != straight)
    }

    @Test("An overlay that continues from an instant equals one that is built from the beginning")
    func overlay() {
        struct Input {
            var sources: [[(day: Int, value: Int)]]
            var changed: [[(day: Int, value: Int)]]
            var day: Int
        }
        func timeline(_ changes: [(day: Int, value: Int)]) -> Timeline<Int> {
            var timeline = Timeline(0)
            for change in changes { timeline.append(change.value, from: .day(change.day), joins: ==) }
            return timeline
        }
        func overlay(_ sources: [[(day: Int, value: Int)]], after earlier: Overlay.Earlier<Int>?) -> Timeline<Int> {
            Overlay.best(
                of: sources.map(timeline), after: earlier, background: 0,
                key: { $0 == 0 ? nil : ServiceKey(kind: -$0) }, isBetter: { $0.1 < $1.1 },
                value: { value, _ in value }, joins: { $0 / 2 == $1 / 2 })
        }
        checkProperty(
            "a continued overlay equals a newly built one", cases: 600,
            generate: { random in
                let day = random.number(in: 0...120)
                func changes(from first: Int) -> [(day: Int, value: Int)] {
                    Set((0..<random.number(in: 0...60)).map { _ in random.number(in: first...130) }).sorted()
                        .map { ($0, random.number(in: 0...4)) }
                }
                let sources = (0..<random.number(in: 1...5)).map { _ in changes(from: 0) }
                let changed = sources.map { source in
                    random.chance(50) ? source : source.filter { $0.day < day } + changes(from: day)
                }
                return Input(
                    sources: sources, changed: changed + (0..<random.number(in: 0...2)).map { _ in changes(from: day) },
                    day: day)
            },
            holds: { input in
                let before = overlay(input.sources, after: nil)
                let earlier = Overlay.Earlier(timeline: before, holdsUntil: .day(input.day))
                return overlay(input.changed, after: earlier) == overlay(input.changed, after: nil)
            })
    }
}
