/// An answer as a function of time.
///
/// With the facts fixed an answer changes only at known instants, so all of it is computed at once:
/// one value holds from each instant on until the next. Every interval is half-open: it includes its
/// first millisecond and excludes its last.
///
/// Neighbouring values may belong to one *run*: two periods of a subscription are different values,
/// because another transaction decides, but one run of access.
public struct Timeline<Value: Sendable>: Sendable {
    /// A run of values that count as the same.
    public struct Segment: Sendable {
        /// The first instant, inclusive; `nil`: since ever.
        public let from: Instant?
        /// The last instant, exclusive; `nil`: without end, with what is known.
        public let to: Instant?
        /// The value at the start of the run.
        public let value: Value
    }

    @usableFromInline typealias Entry = TimelineEntries<Value>.Entry

    // Whoever reads a timeline may do so often: the compiler sees through the reading in other modules, too.

    /// At least one; the first holds since ever.
    @usableFromInline private(set) var entries: TimelineEntries<Value>

    /// Makes a timeline with one value for all time.
    package init(_ value: Value) { entries = TimelineEntries(value) }

    /// Whether both stand in the same memory, so that they are equal.
    func isShared(with other: Timeline) -> Bool { entries.isShared(with: other.entries) }

    /// How many values there are, one after the other.
    package var entryCount: Int { entries.count }

    /// The value at an instant.
    ///
    /// - Complexity: O(log *n*) in the number of changes.
    @inlinable
    public func value(at instant: Instant) -> Value { entries.value(at: instant) }

    /// Asks something of the value at an instant, without a copy of it.
    func withValue<Answer>(at instant: Instant, _ ask: (borrowing Value) -> Answer) -> Answer {
        entries.withValue(at: instant, ask)
    }

    /// The run around an instant.
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

    /// The first instant after another at which a new run begins.
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

    /// Lets a value hold from an instant on, in place of whatever held from there on.
    ///
    /// - Parameter joins: Whether the value goes on with the run of the value before it.
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

    /// Lets what holds just before an instant hold for ever; the first entry stays.
    mutating func cut(from instant: Instant) { entries.truncate(to: entries.count(before: instant)) }

    /// Does as ``cut(from:)``, but keeps the values that hold first from the instant on as long as they fulfil a
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

    /// What a timeline was from an instant on, so that it can become so again.
    struct End {
        /// How many entries stayed.
        let count: Int
        /// The entries that went, in order.
        let entries: [Entry]
    }

    /// Takes away what holds from an instant on, as ``cut(from:)`` does.
    ///
    /// - Returns: What ``restore(_:)`` needs to undo this, and all that is appended from the instant on.
    mutating func removeEnd(from instant: Instant) -> End {
        let count = entries.count(before: instant)
        // The first entry is not taken away but may be replaced.
        let end = End(count: count, entries: (count..<entries.count).map { entries[$0] })
        entries.truncate(to: count)
        return end
    }

    /// Gives back what was taken away.
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
    /// How many entries begin before an instant.
    func count(before instant: Instant) -> Int {
        // Mostly it is the end that changes.
        if let last = tail.last, last.from < instant { return count }
        let index = index(at: instant)
        return from(index) < instant ? index + 1 : index
    }
}
