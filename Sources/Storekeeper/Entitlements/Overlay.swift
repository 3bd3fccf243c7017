/// Finds, for every instant, the best of what several timelines give.
enum Overlay {
    /// The timeline of the best value.
    ///
    /// Goes through the changes of all sources in order of time and keeps the sources in a heap by what they claim
    /// at the moment, so that only as much is in hand as there are sources. Most comparisons look at keys alone.
    ///
    /// - Parameters:
    ///   - sources: The timelines.
    ///   - background: What holds where no source claims anything.
    ///   - key: What decides first between values of sources; `nil`: the value claims nothing.
    ///   - isBetter: Decides between two values whose keys are equal, each given with the position of its source.
    ///   - value: What a value of the source at a position gives.
    ///   - joins: Whether two neighbouring values belong to one run.
    /// - Complexity: O(*n* log *s*) in the changes and sources.
    static func best<Source: Sendable, Value: Sendable & Equatable>(
        of sources: [Timeline<Source>], background: Value, key: (Source) -> ServiceKey?,
        isBetter: ((Source, Int), (Source, Int)) -> Bool, value: (Source, Int) -> Value, joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        /// The entry of each source that holds at the moment, and what it claims.
        var positions = [Int](repeating: 0, count: sources.count)
        var keys = sources.map { key($0.entries[0].value) ?? ServiceKey(kind: .max) }
        /// When each source changes next.
        var changes = sources.map { $0.entries.count > 1 ? $0.entries[1].from : .distantFuture }
        func isBefore(_ left: Int, _ right: Int) -> Bool {
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return isBetter(
                (sources[left].entries[positions[left]].value, left),
                (sources[right].entries[positions[right]].value, right))
        }
        var upcoming = IndexHeap(count: sources.count) { changes[$0] < changes[$1] }
        var best = IndexHeap(count: sources.count, isBefore)
        func bestValue() -> Value {
            guard let first = best.first, keys[first].kind < .max else { return background }
            return value(sources[first].entries[positions[first]].value, first)
        }
        var current = bestValue()
        var timeline = Timeline(current)
        timeline.reserveCapacity(sources.reduce(1) { $0 + $1.entries.count })
        while let next = upcoming.first, changes[next] < .distantFuture {
            let instant = changes[next]
            // All that changes at one instant changes at once.
            while let source = upcoming.first, changes[source] == instant {
                let position = positions[source] + 1
                positions[source] = position
                keys[source] = key(sources[source].entries[position].value) ?? ServiceKey(kind: .max)
                let entries = sources[source].entries.count
                changes[source] = position + 1 < entries ? sources[source].entries[position + 1].from : .distantFuture
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
}

/// A binary heap of the numbers from 0 on that knows where each of them is, so that one whose rank changed can be
/// moved.
private struct IndexHeap {
    private var elements: [Int]
    /// Where each number stands in ``elements``.
    private var places: [Int]

    init(count: Int, _ isBefore: (Int, Int) -> Bool) {
        elements = Array(0..<count)
        places = elements
        for parent in stride(from: count / 2 - 1, through: 0, by: -1) { sink(from: parent, isBefore) }
    }

    var first: Int? { elements.first }

    /// Puts a number where it belongs after its rank changed.
    mutating func moved(_ element: Int, _ isBefore: (Int, Int) -> Bool) {
        rise(from: places[element], isBefore)
        sink(from: places[element], isBefore)
    }

    private mutating func rise(from start: Int, _ isBefore: (Int, Int) -> Bool) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(elements[child], elements[parent]) else { return }
            swap(child, parent)
            child = parent
        }
    }

    private mutating func sink(from start: Int, _ isBefore: (Int, Int) -> Bool) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < elements.count else { return }
            let right = left + 1
            let child = right < elements.count && isBefore(elements[right], elements[left]) ? right : left
            guard isBefore(elements[child], elements[parent]) else { return }
            swap(child, parent)
            parent = child
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        elements.swapAt(left, right)
        places[elements[left]] = left
        places[elements[right]] = right
    }
}
