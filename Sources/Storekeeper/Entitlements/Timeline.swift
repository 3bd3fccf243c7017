/// An answer as a function of time.
///
/// With the facts fixed an answer changes only at known instants, so all of it is computed at once:
/// one value holds from each instant on until the next. Every interval is half-open: it includes its
/// first millisecond and excludes its last.
///
/// Neighbouring values may belong to one *run*: two periods of a subscription are different values,
/// because another transaction decides, but one run of access.
public struct Timeline<Value: Sendable>: Sendable {
    /// A value and the instant it holds from.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var from: Instant
        @usableFromInline var value: Value
        /// The index of the first entry of the run this one belongs to.
        @usableFromInline var runStart: Int
    }

    /// A run of values that count as the same.
    public struct Segment: Sendable {
        /// The first instant, inclusive; `nil`: since ever.
        public let from: Instant?
        /// The last instant, exclusive; `nil`: without end, with what is known.
        public let to: Instant?
        /// The value at the start of the run.
        public let value: Value
    }

    // Whoever reads a timeline may do so often: the compiler sees through the reading in other modules, too.

    /// At least one; the first holds since ever.
    @usableFromInline private(set) var entries: [Entry]

    /// Makes a timeline with one value for all time.
    public init(_ value: Value) {
        entries = [Entry(from: .distantPast, value: value, runStart: 0)]
    }

    mutating func reserveCapacity(_ capacity: Int) { entries.reserveCapacity(capacity) }

    /// Lets a value hold from an instant on, in place of whatever held from there on.
    ///
    /// - Parameter joins: Whether the value goes on with the run of the value before it.
    mutating func append(_ value: Value, from instant: Instant, joins: (Value, Value) -> Bool) {
        while entries.count > 1, entries[entries.count - 1].from >= instant { entries.removeLast() }
        let last = entries.count - 1
        if entries[last].from >= instant {
            entries[0] = Entry(from: .distantPast, value: value, runStart: 0)
        } else {
            let runStart = joins(entries[last].value, value) ? entries[last].runStart : entries.count
            entries.append(Entry(from: instant, value: value, runStart: runStart))
        }
    }

    /// The value at an instant.
    ///
    /// - Complexity: O(log *n*) in the number of changes.
    @inlinable
    public func value(at instant: Instant) -> Value { entries[index(at: instant)].value }

    /// The run around an instant.
    public func run(at instant: Instant) -> Segment {
        let index = index(at: instant)
        return segment(startingAt: entries[index].runStart, endingAt: runEnd(of: index), value: entries[index].value)
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

    /// The first instant after another at which a new run begins.
    @inlinable
    public func nextChange(after instant: Instant) -> Instant? {
        let end = runEnd(of: index(at: instant))
        return end < entries.count ? entries[end].from : nil
    }

    /// The index of the entry that holds at an instant: the last that begins no later.
    @inlinable
    func index(at instant: Instant) -> Int {
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].from <= instant { low = middle } else { high = middle }
        }
        return low
    }

    /// The index behind the run that an entry belongs to.
    @inlinable
    func runEnd(of index: Int) -> Int {
        let runStart = entries[index].runStart
        var low = index
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].runStart == runStart { low = middle } else { high = middle }
        }
        return high
    }

    private func segment(startingAt start: Int, endingAt end: Int, value: Value) -> Segment {
        Segment(
            from: start == 0 ? nil : entries[start].from, to: end < entries.count ? entries[end].from : nil,
            value: value)
    }
}

extension Timeline.Entry: Equatable where Value: Equatable {}
extension Timeline: Equatable where Value: Equatable {}
