/// The changes of a timeline in order of time, stored so that copying and appending are cheap.
///
/// The last changes are in a short array, the tail. Earlier changes are in leaves: arrays of equal size, which copies
/// share. Appending to a copy duplicates at most the tail; whenever the tail is full, its front becomes a new leaf.
/// With a plain array, a renewal of a customer with 1,000 facts would take 4 × as many instructions.
@usableFromInline
struct TimelineEntries<Value: Sendable>: Sendable {
    /// A value, and the instant from which it applies.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var from: Instant
        @usableFromInline var value: Value
        /// The index of the first entry of the run that contains this entry.
        @usableFromInline var runStart: Int
    }

    /// The binary logarithm of ``leafSize``.
    @inlinable static var leafBits: Int { 5 }
    /// The number of entries in a leaf, and also of leaves in a branch.
    @inlinable static var leafSize: Int { 1 << leafBits }
    /// The maximum number of entries in the tail; it is greater than ``leafSize``, so that a change near the end of a
    /// timeline seldom has to move a leaf back into the tail.
    static var tailLimit: Int { leafSize + 8 }

    /// The last entries, at least one.
    @usableFromInline private(set) var tail: [Entry]
    /// The entries before the tail; empty if all entries are in the tail.
    ///
    /// The array has at most one element. An array occupies only one word in a timeline, and can be changed in place if
    /// it is not shared.
    @usableFromInline private(set) var head: [Head] = []

    /// The leaves, with the first instant of each leaf, by which a leaf is found.
    @usableFromInline
    struct Head: Sendable {
        /// The first instant of each leaf.
        @usableFromInline var starts: [Instant] = []
        /// The leaves, grouped into branches.
        @usableFromInline var branches: [[[Entry]]] = []
    }

    /// Creates a timeline with one value for all time.
    init(_ value: Value) {
        tail = [Entry(from: .distantPast, value: value, runStart: 0)]
    }

    /// Returns whether two timelines use the same memory and are therefore equal.
    func isShared(with other: Self) -> Bool { tail.isShared(with: other.tail) && head.isShared(with: other.head) }

    // MARK: Reading

    /// The number of entries before the tail.
    @inlinable var tailStart: Int { head.isEmpty ? 0 : head[0].starts.count << Self.leafBits }

    /// The number of entries, at least one.
    @inlinable var count: Int { tailStart + tail.count }

    /// The last entry.
    var last: Entry { tail[tail.count - 1] }

    /// The instant from which the last entry applies.
    var lastFrom: Instant { tail[tail.count - 1].from }

    /// Returns the index of the first entry of a value's run if the value is appended at the end.
    func runStart(of value: Value, _ joins: (Value, Value) -> Bool) -> Int {
        let last = tail.count - 1
        return joins(tail[last].value, value) ? tail[last].runStart : count
    }

    /// Returns the entry at an index; the first entry has the index 0.
    @inlinable
    subscript(index: Int) -> Entry {
        let tailIndex = index - tailStart
        return tailIndex >= 0 ? tail[tailIndex] : leaf(index >> Self.leafBits)[index & (Self.leafSize - 1)]
    }

    /// Returns the instant from which the entry at an index applies.
    @inlinable
    func from(_ index: Int) -> Instant {
        let tailIndex = index - tailStart
        return tailIndex >= 0 ? tail[tailIndex].from : leaf(index >> Self.leafBits)[index & (Self.leafSize - 1)].from
    }

    /// Returns the leaf with a number; the entries before the tail must exist.
    @inlinable
    func leaf(_ number: Int) -> [Entry] { head[0].branches[number >> Self.leafBits][number & (Self.leafSize - 1)] }

    /// Returns the leaf or tail that contains an index, and the index of its first entry.
    func chunk(around index: Int) -> (entries: [Entry], start: Int) {
        guard index < tailStart else { return (tail, tailStart) }
        return (leaf(index >> Self.leafBits), index & ~(Self.leafSize - 1))
    }

    /// Returns the index of the last entry that begins at or before an instant; the first entry begins before every
    /// instant.
    @inlinable
    func index(at instant: Instant) -> Int {
        if head.isEmpty { return Self.index(at: instant, in: tail) }
        if tail[0].from <= instant { return tailStart + Self.index(at: instant, in: tail) }
        let number = leafNumber(at: instant)
        return (number << Self.leafBits) + Self.index(at: instant, in: leaf(number))
    }

    /// Returns the value of the last entry that begins at or before an instant.
    @inlinable
    func value(at instant: Instant) -> Value {
        if head.isEmpty || tail[0].from <= instant { return tail[Self.index(at: instant, in: tail)].value }
        let leaf = leaf(leafNumber(at: instant))
        return leaf[Self.index(at: instant, in: leaf)].value
    }

    /// Passes the value at an instant to a closure without copying the value, and returns the closure's result.
    func withValue<Answer>(at instant: Instant, _ ask: (borrowing Value) -> Answer) -> Answer {
        if head.isEmpty || tail[0].from <= instant { return ask(tail[Self.index(at: instant, in: tail)].value) }
        let leaf = leaf(leafNumber(at: instant))
        return ask(leaf[Self.index(at: instant, in: leaf)].value)
    }

    /// Returns the index after the last entry of the run that contains an entry.
    @inlinable
    func runEnd(of index: Int) -> Int {
        let tailStart = tailStart
        if index >= tailStart { return tailStart + Self.runEnd(of: index - tailStart, in: tail) }
        let number = index >> Self.leafBits
        let leaf = leaf(number)
        let offset = index & (Self.leafSize - 1)
        let end = Self.runEnd(of: offset, in: leaf)
        guard end == leaf.count else { return (number << Self.leafBits) + end }
        // The run may continue after this leaf. If the tail begins with an entry of the run, the run ends in the tail.
        // If not, the run ends in the last leaf that begins with an entry of the run, or in this leaf.
        let runStart = leaf[offset].runStart
        if tail[0].runStart == runStart { return tailStart + Self.runEnd(of: 0, in: tail) }
        var low = number
        var high = head[0].starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if self.leaf(middle)[0].runStart == runStart { low = middle } else { high = middle }
        }
        return (low << Self.leafBits) + Self.runEnd(of: low == number ? offset : 0, in: self.leaf(low))
    }

    @inlinable
    static func runEnd(of index: Int, in entries: [Entry]) -> Int {
        let runStart = entries[index].runStart
        var low = index
        var high = entries.count
        // If the run extends to the end of the array, no search is needed.
        if entries[high - 1].runStart == runStart { return high }
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].runStart == runStart { low = middle } else { high = middle }
        }
        return high
    }

    @inlinable
    static func index(at instant: Instant, in entries: [Entry]) -> Int {
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].from <= instant { low = middle } else { high = middle }
        }
        return low
    }

    @inlinable
    func leafNumber(at instant: Instant) -> Int {
        var low = 0
        var high = head[0].starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if head[0].starts[middle] <= instant { low = middle } else { high = middle }
        }
        return low
    }
}

// MARK: - Changing

extension TimelineEntries {
    /// Reserves capacity for a known number of entries.
    mutating func reserveCapacity(_ capacity: Int) { tail.reserveCapacity(min(capacity, Self.tailLimit)) }

    /// Appends an entry.
    mutating func append(_ entry: Entry) {
        if tail.count >= Self.tailLimit { makeLeaf() }
        tail.append(entry)
    }

    /// Replaces all entries by one value for all time.
    mutating func reset(to value: Value) { self = Self(value) }

    /// Removes the entries from an index on, except the first entry.
    mutating func truncate(to newCount: Int) {
        let newCount = max(newCount, 1)
        if newCount <= tailStart {
            let number = (newCount - 1) >> Self.leafBits
            tail = Array(leaf(number)[..<(newCount - number << Self.leafBits)])
            if number == 0 { head = [] } else { head[0].truncate(toLeaves: number) }
        } else if newCount < count {
            tail.removeLast(count - newCount)
        }
    }

    /// Moves the first entries of the tail into a new leaf.
    private mutating func makeLeaf() {
        var rest: [Entry] = []
        rest.reserveCapacity(Self.tailLimit)
        rest.append(contentsOf: tail[Self.leafSize...])
        tail.removeLast(rest.count)
        swap(&tail, &rest)
        if head.isEmpty { head = [Head()] }
        head[0].append(rest)
    }
}

extension TimelineEntries.Head {
    /// Appends a leaf.
    mutating func append(_ leaf: [TimelineEntries.Entry]) {
        starts.append(leaf[0].from)
        if let last = branches.last, last.count < TimelineEntries.leafSize {
            branches[branches.count - 1].append(leaf)
        } else {
            branches.append([leaf])
        }
    }

    /// Removes leaves from the end, so that a given number of leaves remains.
    mutating func truncate(toLeaves count: Int) {
        starts.removeLast(starts.count - count)
        let fullBranches = count >> TimelineEntries.leafBits
        let rest = count & (TimelineEntries.leafSize - 1)
        branches.removeLast(branches.count - fullBranches - (rest > 0 ? 1 : 0))
        if rest > 0 { branches[fullBranches].removeLast(branches[fullBranches].count - rest) }
    }
}

extension TimelineEntries.Entry: Equatable where Value: Equatable {}

extension TimelineEntries: Equatable where Value: Equatable {
    /// Returns whether the entries are equal, regardless of how they are stored.
    @usableFromInline
    static func == (left: TimelineEntries, right: TimelineEntries) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}
