/// An answer as a function of time.
///
/// With the facts fixed an answer changes only at known instants, so all of it is computed at once:
/// one value holds from each instant on until the next. Every interval is half-open: it includes its
/// first millisecond and excludes its last.
///
/// Neighbouring values may belong to one *run*: two periods of a subscription are different values,
/// because another transaction decides, but one run of access.
public struct Timeline<Value: Sendable>: Sendable {
    /// A run of values that count as equal.
    public struct Segment: Sendable {
        /// The first instant, inclusive; `nil`: without a beginning.
        public let from: Instant?
        /// The last instant, exclusive; `nil`: without end, by the known facts.
        public let to: Instant?
        /// The value at the start of the run.
        public let value: Value
    }

    @usableFromInline typealias Entry = TimelineEntries<Value>.Entry

    // Timelines are read often, so reading is inlinable into other modules.

    /// At least one entry; the first has no beginning.
    @usableFromInline private(set) var entries: TimelineEntries<Value>

    /// Makes a timeline with one value for all time.
    package init(_ value: Value) { entries = TimelineEntries(value) }

    /// Returns whether both timelines share the same memory, so that they are equal.
    func isShared(with other: Timeline) -> Bool { entries.isShared(with: other.entries) }

    /// The number of values.
    package var entryCount: Int { entries.count }

    /// Returns the value at an instant.
    ///
    /// - Complexity: O(log *n*) in the number of changes.
    @inlinable
    public func value(at instant: Instant) -> Value { entries.value(at: instant) }

    /// Returns the run around an instant.
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

    /// Returns the first instant after another at which a new run begins.
    @inlinable
    public func nextChange(after instant: Instant) -> Instant? {
        let end = entries.runEnd(of: entries.index(at: instant))
        return end < entries.count ? entries.from(end) : nil
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

    /// Replaces all values from an instant on by one value.
    ///
    /// - Parameter joins: Returns whether the value continues the run of the value before it.
    mutating func append(_ value: Value, from instant: Instant, joins: (Value, Value) -> Bool) {
        if entries.lastFrom >= instant { cut(from: instant) }
        if entries.lastFrom >= instant {
            entries.reset(to: value)
        } else {
            entries.append(Entry(from: instant, value: value, runStart: entries.runStart(of: value, joins)))
        }
    }

    /// The last value and the instant it holds from.
    var last: (from: Instant, value: Value) { (entries.last.from, entries.last.value) }

    /// Removes all entries from `instant` on. The first entry is kept.
    mutating func cut(from instant: Instant) { entries.truncate(to: entries.count(before: instant)) }

    /// Does the same as ``cut(from:)``, but keeps the first values from the instant on as long as they fulfil a
    /// condition.
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

    /// The end of a timeline from an instant on, for restoring it.
    struct End {
        /// The number of entries that stayed.
        let count: Int
        /// The removed entries, in order.
        let entries: [Entry]
    }

    /// Removes the entries from an instant on, as ``cut(from:)`` does.
    ///
    /// - Returns: The value that ``restore(_:)`` needs to undo this, and everything appended from the instant on.
    mutating func removeEnd(from instant: Instant) -> End {
        let count = entries.count(before: instant)
        // The first entry is not removed but may be replaced.
        let end = End(count: count, entries: (count..<entries.count).map { entries[$0] })
        entries.truncate(to: count)
        return end
    }

    /// Restores the removed entries.
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
        // Mostly only the end changes.
        if let last = tail.last, last.from < instant { return count }
        let index = index(at: instant)
        return from(index) < instant ? index + 1 : index
    }
}
