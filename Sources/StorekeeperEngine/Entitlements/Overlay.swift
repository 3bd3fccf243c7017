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
    /// The changes of all sources are processed in order of time. Most comparisons use only the sort keys of the values.
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
    /// - Complexity: O(*n* × *s*) for *n* changes of *s* sources. With an earlier result, only the changes from
    ///   ``Earlier/holdsUntil`` on count, and each source is searched for its first.
    static func best<Source: Sendable, Value: Sendable & Equatable>(
        of sources: [Timeline<Source>], after earlier: Earlier<Value>? = nil, background: Value,
        key: (Source) -> ServiceKey?, isBetter: ((Source, Int), (Source, Int)) -> Bool,
        value: (Source, Int) -> Value, joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        let start = earlier?.holdsUntil ?? .distantPast
        var cursors = SourceCursors(sources, from: start, key: key)
        var current = cursors.best(isBetter).map { value(cursors.value(of: $0), $0) } ?? background
        var timeline: Timeline<Value>
        if let earlier, start > .distantPast {
            timeline = earlier.timeline
            timeline.cut(from: start)
        } else {
            timeline = Timeline(current)
            timeline.reserveCapacity(sources.reduce(1) { $0 + $1.entryCount })
        }
        while let instant = cursors.changes.min(), instant < .distantFuture {
            // All changes at one instant are applied together.
            for source in sources.indices where cursors.changes[source] == instant { cursors.advance(source, key: key) }
            let next = cursors.best(isBetter).map { value(cursors.value(of: $0), $0) } ?? background
            if next != current {
                timeline.append(next, from: instant, joins: joins)
                current = next
            }
        }
        return timeline
    }

    /// The position in each source's timeline, and the sort key of the value at that position.
    private struct SourceCursors<Source: Sendable> {
        private let sources: [Timeline<Source>]
        private var places: [Int]
        private var keys: [ServiceKey]
        /// The instant of the next change of each source; the distant future if a source does not change any more.
        private(set) var changes: [Instant]

        /// Places each cursor at the last entry that begins before an instant, or at the first entry if all entries
        /// begin later.
        init(_ sources: [Timeline<Source>], from instant: Instant, key: (Source) -> ServiceKey?) {
            self.sources = sources
            places = sources.map { max($0.count(before: instant) - 1, 0) }
            keys = []
            changes = []
            for source in sources.indices {
                keys.append(key(value(of: source)) ?? ServiceKey(kind: .max))
                changes.append(nextChange(of: source))
            }
        }

        func value(of source: Int) -> Source { sources[source].entries[places[source]].value }

        private func nextChange(of source: Int) -> Instant {
            let next = places[source] + 1
            return next < sources[source].entries.count ? sources[source].entries[next].from : .distantFuture
        }

        mutating func advance(_ source: Int, key: (Source) -> ServiceKey?) {
            places[source] += 1
            keys[source] = key(value(of: source)) ?? ServiceKey(kind: .max)
            changes[source] = nextChange(of: source)
        }

        /// Returns the source with the best value; `nil` if no source has a value that counts.
        func best(_ isBetter: ((Source, Int), (Source, Int)) -> Bool) -> Int? {
            var best: Int?
            for source in keys.indices where keys[source].kind < .max {
                if let best, !isAhead(source, of: best, isBetter) { continue }
                best = source
            }
            return best
        }

        private func isAhead(_ left: Int, of right: Int, _ isBetter: ((Source, Int), (Source, Int)) -> Bool) -> Bool {
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return isBetter((value(of: left), left), (value(of: right), right))
        }
    }
}
