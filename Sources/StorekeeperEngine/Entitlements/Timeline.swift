/// An answer as a function of time.
///
/// With given evidence, an answer changes only at known instants, so that the answers for all time can be computed at
/// once. Each value applies from its instant until the instant of the next value. Every interval is half-open: it
/// includes its first instant and excludes its end.
///
/// Neighboring values may belong to one *run*. For example, two periods of a subscription are different values, because
/// different transactions decide, but they form one run of access.
public struct Timeline<Value: Sendable>: Sendable {
    /// The time of a run, during which successive values count as the same, and the first of these values.
    public struct Segment: Sendable {
        /// The first instant, inclusive; `nil` if the run has no start.
        public let from: Instant?
        /// The end, exclusive; `nil` if the run has no known end.
        public let to: Instant?
        /// The value at the start of the run.
        public let value: Value
    }

    /// A value, and the instant from which it applies.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var from: Instant
        @usableFromInline var value: Value
        /// The index of the first entry of the run that contains this entry.
        @usableFromInline var runStart: Int
    }

    // Timelines are read often, so the functions that read them can be inlined into other modules.

    /// The entries in order of time, at least one; the first entry has no beginning.
    @usableFromInline private(set) var entries: [Entry]

    /// Creates a timeline with one value for all time.
    package init(_ value: Value) { entries = [Entry(from: .distantPast, value: value, runStart: 0)] }

    /// The number of successive values, which is greater than the number of runs if some runs have several values.
    package var entryCount: Int { entries.count }

    /// Returns the index of the last entry that begins at or before an instant; the first entry begins before every
    /// instant.
    @inlinable
    func index(at instant: Instant) -> Int {
        var (low, high) = (0, entries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].from <= instant { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the index after the last entry of the run that contains an entry.
    @inlinable
    func runEnd(of index: Int) -> Int {
        let start = entries[index].runStart
        var (low, high) = (index, entries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].runStart == start { low = middle } else { high = middle }
        }
        return high
    }

    /// Returns the value at an instant.
    ///
    /// - Complexity: O(log *n*) in the number of changes.
    @inlinable
    public func value(at instant: Instant) -> Value { entries[index(at: instant)].value }

    /// Passes the value at an instant to a closure without copying the value, and returns the closure's result.
    func withValue<Answer>(at instant: Instant, _ ask: (borrowing Value) -> Answer) -> Answer {
        ask(entries[index(at: instant)].value)
    }

    /// Returns the run that contains an instant.
    public func run(at instant: Instant) -> Segment {
        let index = index(at: instant)
        let entry = entries[index]
        return segment(startingAt: entry.runStart, endingAt: runEnd(of: index), value: entry.value)
    }

    /// All runs, in order.
    public var runs: [Segment] {
        var runs: [Segment] = []
        var start = 0
        while start < entries.count {
            let end = runEnd(of: start)
            runs.append(segment(startingAt: start, endingAt: end, value: entries[start].value))
            start = end
        }
        return runs
    }

    /// Returns the first instant after the given one at which a new run begins; `nil` if no run begins later.
    @inlinable
    public func nextChange(after instant: Instant) -> Instant? {
        let end = runEnd(of: index(at: instant))
        return end < entries.count ? entries[end].from : nil
    }

    /// Returns the first instant after the given one from which another value applies, even if it continues the run;
    /// `nil` if there is none.
    func nextValue(after instant: Instant) -> Instant? {
        let next = index(at: instant) + 1
        return next < entries.count ? entries[next].from : nil
    }

    private func segment(startingAt start: Int, endingAt end: Int, value: Value) -> Segment {
        Segment(
            from: start == 0 ? nil : entries[start].from, to: end < entries.count ? entries[end].from : nil,
            value: value)
    }
}

extension Timeline.Entry: Equatable where Value: Equatable {}
extension Timeline: Equatable where Value: Equatable {}

// MARK: - Building

extension Timeline {
    mutating func reserveCapacity(_ capacity: Int) { entries.reserveCapacity(capacity) }

    /// The last value, and the instant from which it applies.
    var last: (from: Instant, value: Value) {
        let entry = entries[entries.count - 1]
        return (entry.from, entry.value)
    }

    /// Sets the value from an instant on, and removes all later entries.
    ///
    /// - Parameter joins: Returns whether the value continues the run of the previous value.
    mutating func append(_ value: Value, from instant: Instant, joins: (Value, Value) -> Bool) {
        cut(from: instant)
        let last = entries.count - 1
        if entries[last].from >= instant {
            entries = [Entry(from: .distantPast, value: value, runStart: 0)]
        } else {
            let runStart = joins(entries[last].value, value) ? entries[last].runStart : entries.count
            entries.append(Entry(from: instant, value: value, runStart: runStart))
        }
    }

    /// Removes all entries from an instant on, except the first entry.
    mutating func cut(from instant: Instant) {
        entries.removeLast(entries.count - max(count(before: instant), 1))
    }

    /// Finds the first entry from an instant on that does not satisfy a condition, and removes this entry and all later
    /// entries.
    mutating func cut(from instant: Instant, keepingWhile isKept: (Value) -> Bool) {
        let end = entries[count(before: instant)...].firstIndex { !isKept($0.value) } ?? entries.count
        entries.removeLast(entries.count - max(end, 1))
    }

    /// Returns the number of entries that begin before an instant.
    func count(before instant: Instant) -> Int {
        // Usually the instant is after the beginning of the last entry, so that no search is necessary.
        if entries[entries.count - 1].from < instant { return entries.count }
        let index = index(at: instant)
        return entries[index].from < instant ? index + 1 : index
    }
}
