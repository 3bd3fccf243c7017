/// Finds, for every instant, the best of what several timelines give.
enum Overlay {
    /// What was found before, and from which instant on it no longer holds.
    struct Earlier<Value: Sendable> {
        /// The overlay of the same sources as they were; new ones may have come that claim nothing before the instant.
        let timeline: Timeline<Value>
        /// The first instant, inclusive, at which a source is another than it was.
        let holdsUntil: Instant
    }

    /// The timeline of the best value.
    ///
    /// Goes through the changes of all sources in order of time and keeps the sources in a heap by what they claim
    /// at the moment, so that only as much is in hand as there are sources. Most comparisons look at keys alone.
    ///
    /// - Parameters:
    ///   - sources: The timelines.
    ///   - earlier: What was found before, to go on from where it no longer holds; `nil`: nothing.
    ///   - background: What holds where no source claims anything.
    ///   - key: What decides first between values of sources; `nil`: the value claims nothing.
    ///   - isBetter: Decides between two values whose keys are equal, each given with the position of its source.
    ///   - value: What a value of the source at a position gives.
    ///   - joins: Whether two neighbouring values belong to one run.
    /// - Complexity: O(*n* log *s*) in the changes and sources; O(*s* log *m* + *n* log *s*) where *m* of the changes
    ///   lie before the instant to go on from and *n* behind it.
    static func best<Source: Sendable, Value: Sendable & Equatable>(
        of sources: [Timeline<Source>], after earlier: Earlier<Value>? = nil, background: Value,
        key: (Source) -> ServiceKey?, isBetter: ((Source, Int), (Source, Int)) -> Bool,
        value: (Source, Int) -> Value, joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        /// The entry of each source that holds at the moment, and what it claims.
        var cursors = sources.map { Cursor($0, before: earlier?.holdsUntil ?? .distantPast) }
        var keys = cursors.map { key($0.value) ?? ServiceKey(kind: .max) }
        /// When each source changes next.
        var changes = cursors.indices.map { cursors[$0].nextChange(in: sources[$0]) }
        func isBefore(_ left: Int, _ right: Int) -> Bool {
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return isBetter((cursors[left].value, left), (cursors[right].value, right))
        }
        var upcoming = IndexHeap(count: sources.count) { changes[$0] < changes[$1] }
        var best = IndexHeap(count: sources.count, isBefore)
        func bestValue() -> Value {
            guard let first = best.first, keys[first].kind < .max else { return background }
            return value(cursors[first].value, first)
        }
        var current = bestValue()
        var timeline: Timeline<Value>
        if let earlier, earlier.holdsUntil > .distantPast {
            timeline = earlier.timeline
            timeline.cut(from: earlier.holdsUntil)
        } else {
            timeline = Timeline(current)
            timeline.reserveCapacity(sources.reduce(1) { $0 + $1.entries.count })
        }
        while let next = upcoming.first, changes[next] < .distantFuture {
            let instant = changes[next]
            // All that changes at one instant changes at once.
            while let source = upcoming.first, changes[source] == instant {
                cursors[source].advance(in: sources[source])
                keys[source] = key(cursors[source].value) ?? ServiceKey(kind: .max)
                changes[source] = cursors[source].nextChange(in: sources[source])
                upcoming.moved(source) { changes[$0] < changes[$1] }
                best.moved(source, isBefore)
            }
            let value = bestValue()
            if value != current {
                timeline.append(value, from: instant, joins: joins)
                current = value
            }
        }
        return timeline
    }

    /// A place in a timeline.
    private struct Cursor<Source: Sendable> {
        /// The part of the timeline that the place is in.
        private var chunk: [Timeline<Source>.Entry]
        private var chunkStart: Int
        private var offset: Int

        /// Goes to the entry that holds just before an instant; before the first instant there is, to the first entry.
        init(_ timeline: Timeline<Source>, before instant: Instant) {
            let index = max(timeline.entries.count(before: instant) - 1, 0)
            (chunk, chunkStart) = timeline.entries.chunk(around: index)
            offset = index - chunkStart
        }

        var value: Source { chunk[offset].value }

        /// When the next entry begins; never where there is none.
        func nextChange(in timeline: Timeline<Source>) -> Instant {
            if offset + 1 < chunk.count { return chunk[offset + 1].from }
            let next = chunkStart + offset + 1
            return next < timeline.entries.count ? timeline.entries.from(next) : .distantFuture
        }

        mutating func advance(in timeline: Timeline<Source>) {
            offset += 1
            guard offset >= chunk.count else { return }
            (chunk, chunkStart) = timeline.entries.chunk(around: chunkStart + offset)
            offset = 0
        }
    }
}
