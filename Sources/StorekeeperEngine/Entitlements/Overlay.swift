/// Combines several timelines into one that has the best of their values at every instant.
enum Overlay {
    /// A previously computed timeline, and the instant from which it is no longer valid.
    struct Earlier<Value: Sendable> {
        /// The combined timeline that was computed earlier.
        ///
        /// Sources that were added since then must have no value that counts before ``holdsUntil``.
        let timeline: Timeline<Value>
        /// The first instant, inclusive, at which the values of any source may have changed since then.
        let holdsUntil: Instant
    }

    /// Returns the timeline that has, at every instant, the best value of all sources.
    ///
    /// The changes of all sources are processed in order of time. A heap orders the sources by their current values, so
    /// that the required memory depends only on the number of sources. Most comparisons use only the sort keys of the
    /// values.
    ///
    /// - Parameters:
    ///   - sources: The timelines to combine.
    ///   - earlier: The earlier result; the computation continues from its ``Earlier/holdsUntil``. `nil` computes the
    ///     whole timeline.
    ///   - background: The value of the result while no source has a value that counts.
    ///   - key: Returns the sort key by which values are compared first; `nil` for a value that never counts, such as
    ///     `never`.
    ///   - isBetter: Returns whether the first of two values is better if their keys are equal; each value is given
    ///     with the position of its source.
    ///   - value: Returns the value of the result for a source's value and the source's position.
    ///   - joins: Returns whether two neighboring values belong to one run.
    /// - Complexity: O(*n* log *s*) for *n* changes of *s* sources. With an earlier result, O(*s* log *m* + *n* log
    ///   *s*) if *m* of the changes precede ``Earlier/holdsUntil`` and *n* follow it.
    static func best<Source: Sendable, Value: Sendable & Equatable>(
        of sources: [Timeline<Source>], after earlier: Earlier<Value>? = nil, background: Value,
        key: (Source) -> ServiceKey?, isBetter: ((Source, Int), (Source, Int)) -> Bool,
        value: (Source, Int) -> Value, joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        var race = SourceCursors(sources, from: earlier?.holdsUntil ?? .distantPast, key: key)
        var upcoming = IndexHeap(count: sources.count) { race.changes[$0] < race.changes[$1] }
        var best = IndexHeap(count: sources.count) { race.isAhead($0, of: $1, isBetter) }
        var leader = best.first
        var current = race.lead(of: leader, background, value)
        var timeline: Timeline<Value>
        if let earlier, earlier.holdsUntil > .distantPast {
            timeline = earlier.timeline
            timeline.cut(from: earlier.holdsUntil)
        } else {
            timeline = Timeline(current)
            timeline.reserveCapacity(sources.reduce(1) { $0 + $1.entries.count })
        }
        while let next = upcoming.first, race.changes[next] < .distantFuture {
            let instant = race.changes[next]
            var isLeaderChanged = false
            // All changes at one instant are applied together.
            while let source = upcoming.first, race.changes[source] == instant {
                race.advance(source, in: sources[source], key: key)
                upcoming.moved(source) { race.changes[$0] < race.changes[$1] }
                best.moved(source) { race.isAhead($0, of: $1, isBetter) }
                if source == leader { isLeaderChanged = true }
            }
            // The result does not change if the same source still has the best value and this value is unchanged.
            guard isLeaderChanged || best.first != leader else { continue }
            leader = best.first
            let value = race.lead(of: leader, background, value)
            if value != current {
                timeline.append(value, from: instant, joins: joins)
                current = value
            }
        }
        return timeline
    }

    /// The position in each source's timeline, and the sort key of the value at that position.
    private struct SourceCursors<Source: Sendable> {
        private(set) var cursors: [Cursor<Source>]
        private(set) var keys: [ServiceKey]
        /// The instant of the next change of each source.
        private(set) var changes: [Instant]

        init(_ sources: [Timeline<Source>], from instant: Instant, key: (Source) -> ServiceKey?) {
            cursors = sources.map { Cursor($0, before: instant) }
            keys = cursors.map { key($0.value) ?? ServiceKey(kind: .max) }
            changes = zip(cursors, sources).map { $0.nextChange(in: $1) }
        }

        mutating func advance(_ source: Int, in timeline: Timeline<Source>, key: (Source) -> ServiceKey?) {
            cursors[source].advance(in: timeline)
            keys[source] = key(cursors[source].value) ?? ServiceKey(kind: .max)
            changes[source] = cursors[source].nextChange(in: timeline)
        }

        /// Returns the result for the source with the best value, or the background if no source has a value that
        /// counts.
        func lead<Value>(of leader: Int?, _ background: Value, _ value: (Source, Int) -> Value) -> Value {
            guard let leader, keys[leader].kind < .max else { return background }
            return value(cursors[leader].value, leader)
        }

        func isAhead(
            _ left: Int, of right: Int, _ isBetter: ((Source, Int), (Source, Int)) -> Bool
        ) -> Bool {
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return isBetter((cursors[left].value, left), (cursors[right].value, right))
        }
    }

    /// A position in a source's timeline.
    private struct Cursor<Source: Sendable> {
        /// The chunk of the timeline that contains the position.
        private var chunk: [Timeline<Source>.Entry]
        private var chunkStart: Int
        private var offset: Int

        /// Creates a cursor at the last entry that begins before an instant, or at the first entry if all entries begin
        /// later.
        init(_ timeline: Timeline<Source>, before instant: Instant) {
            let index = max(timeline.entries.count(before: instant) - 1, 0)
            (chunk, chunkStart) = timeline.entries.chunk(around: index)
            offset = index - chunkStart
        }

        var value: Source { chunk[offset].value }

        /// Returns the beginning of the next entry; the distant future if the current entry is the last.
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
