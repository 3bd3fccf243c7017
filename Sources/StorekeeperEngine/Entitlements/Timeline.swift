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

    @usableFromInline typealias Entry = TimelineEntries<Value>.Entry

    // Timelines are read often, so the functions that read them can be inlined into other modules.

    /// The entries, at least one; the first entry has no beginning.
    @usableFromInline private(set) var entries: TimelineEntries<Value>

    /// Creates a timeline with one value for all time.
    package init(_ value: Value) { entries = TimelineEntries(value) }

    /// Returns whether two timelines use the same memory and are therefore equal.
    func isShared(with other: Timeline) -> Bool { entries.isShared(with: other.entries) }

    /// The number of successive values, which is greater than the number of runs if some runs have several values.
    package var entryCount: Int { entries.count }

    /// Returns the value at an instant.
    ///
    /// - Complexity: O(log *n*) in the number of changes.
    @inlinable
    public func value(at instant: Instant) -> Value { entries.value(at: instant) }

    /// Passes the value at an instant to a closure without copying the value, and returns the closure's result.
    func withValue<Answer>(at instant: Instant, _ ask: (borrowing Value) -> Answer) -> Answer {
        entries.withValue(at: instant, ask)
    }

    /// Returns the run that contains an instant.
    public func run(at instant: Instant) -> Segment {
        let index = entries.index(at: instant)
        let entry = entries[index]
        return segment(startingAt: entry.runStart, endingAt: entries.runEnd(of: index), value: entry.value)
    }

    /// All runs, in order.
    public var runs: [Segment] {
        var runs: [Segment] = []
        var start = 0
        while start < entries.count {
            let end = entries.runEnd(of: start)
            runs.append(segment(startingAt: start, endingAt: end, value: entries[start].value))
            start = end
        }
        return runs
    }

    /// Returns the first instant after the given one at which a new run begins; `nil` if no run begins later.
    @inlinable
    public func nextChange(after instant: Instant) -> Instant? {
        let end = entries.runEnd(of: entries.index(at: instant))
        return end < entries.count ? entries.from(end) : nil
    }

    /// Returns the first instant after the given one from which another value applies, even if it continues the run;
    /// `nil` if there is none.
    func nextValue(after instant: Instant) -> Instant? {
        let next = entries.index(at: instant) + 1
        return next < entries.count ? entries.from(next) : nil
    }

    private func segment(startingAt start: Int, endingAt end: Int, value: Value) -> Segment {
        Segment(
            from: start == 0 ? nil : entries.from(start), to: end < entries.count ? entries.from(end) : nil,
            value: value)
    }
}

extension Timeline: Equatable where Value: Equatable {}

// MARK: - Building

extension Timeline {
    mutating func reserveCapacity(_ capacity: Int) { entries.reserveCapacity(capacity) }

    /// Sets the value from an instant on, and removes all later entries.
    ///
    /// - Parameter joins: Returns whether the value continues the run of the previous value.
    mutating func append(_ value: Value, from instant: Instant, joins: (Value, Value) -> Bool) {
        if entries.lastFrom >= instant { cut(from: instant) }
        if entries.lastFrom >= instant {
            entries.reset(to: value)
        } else {
            entries.append(Entry(from: instant, value: value, runStart: entries.runStart(of: value, joins)))
        }
    }

    /// The last value, and the instant from which it applies.
    var last: (from: Instant, value: Value) { (entries.last.from, entries.last.value) }

    /// Removes all entries from an instant on, except the first entry.
    mutating func cut(from instant: Instant) { entries.truncate(to: entries.count(before: instant)) }

    /// Finds the first entry from an instant on that does not satisfy a condition, and removes this entry and all later
    /// entries.
    mutating func cut(from instant: Instant, keepingWhile isKept: (Value) -> Bool, joins: (Value, Value) -> Bool) {
        var kept: [Entry] = []
        for index in entries.count(before: instant)..<entries.count {
            let entry = entries[index]
            guard isKept(entry.value) else { break }
            kept.append(entry)
        }
        cut(from: instant)
        for entry in kept { append(entry.value, from: entry.from, joins: joins) }
    }

    /// The entries that were removed from the end of a timeline, with which the timeline can be restored.
    struct End {
        /// The number of entries that remained in the timeline.
        let count: Int
        /// The removed entries in order.
        let entries: [Entry]
    }

    /// Removes and returns all entries from an instant on, like ``cut(from:)``.
    ///
    /// - Returns: The removed entries, with which ``restore(_:)`` undoes this removal and all additions that were made
    ///   after it.
    mutating func removeEnd(from instant: Instant) -> End {
        let count = entries.count(before: instant)
        // `truncate` never removes the first entry. The result may contain the first entry nevertheless, because a
        // later addition may replace this entry.
        let end = End(count: count, entries: (count..<entries.count).map { entries[$0] })
        entries.truncate(to: count)
        return end
    }

    /// Restores the entries that ``removeEnd(from:)`` has removed.
    mutating func restore(_ end: End) {
        var rest = end.entries[...]
        if end.count == 0, let first = rest.popFirst() {
            entries.reset(to: first.value)
        } else {
            entries.truncate(to: end.count)
        }
        for entry in rest { entries.append(entry) }
    }
}

extension TimelineEntries {
    /// Returns the number of entries that begin before an instant.
    func count(before instant: Instant) -> Int {
        // Usually the instant is after the beginning of the last entry, so that no search is necessary.
        if let last = tail.last, last.from < instant { return count }
        let index = index(at: instant)
        return from(index) < instant ? index + 1 : index
    }
}

extension Array {
    /// Returns whether both arrays share the same memory and are therefore equal.
    func isShared(with other: Self) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { own in
                other.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress }
            }
    }
}
