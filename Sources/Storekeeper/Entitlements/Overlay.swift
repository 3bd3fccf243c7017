/// Finds, for every instant, the best of many values that hold for a time each.
enum Overlay {
    /// A value and when it holds.
    struct Piece<Value: Sendable>: Sendable {
        /// The first instant, inclusive.
        var from: Instant
        /// The last instant, exclusive.
        var to: Instant
        var value: Value
    }

    /// The timeline of the best value.
    ///
    /// - Parameters:
    ///   - pieces: In any order; they may overlap.
    ///   - background: What holds where no piece does.
    ///   - key: What decides first between values; computed once a piece; without it nothing.
    ///   - isBetter: A strict total order, of which the keys are the first part.
    ///   - joins: Whether two neighbouring values belong to one run.
    /// - Complexity: O(*n* log *n*).
    static func best<Value: Sendable & Equatable>(
        of pieces: [Piece<Value>], background: Value,
        key: (Value) -> ServiceKey = { _ in ServiceKey(kind: 0) }, isBetter: @escaping (Value, Value) -> Bool,
        joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        var timeline = Timeline(background)
        timeline.reserveCapacity(pieces.count + 1)
        let starts = pieces.indices.filter { pieces[$0].from < pieces[$0].to }
            .sorted { pieces[$0].from < pieces[$1].from }
        let keys = pieces.map { key($0.value) }
        var heap = Heap<Int> { left, right in
            keys[left] == keys[right] ? isBetter(pieces[left].value, pieces[right].value) : keys[left] < keys[right]
        }
        var nextStart = 0
        var best: Int?
        // The best changes only where a piece begins or the best one ends.
        while true {
            let start = nextStart < starts.count ? pieces[starts[nextStart]].from : .distantFuture
            let instant = min(start, heap.first.map { pieces[$0].to } ?? .distantFuture)
            guard instant < .distantFuture else { break }
            while let first = heap.first, pieces[first].to <= instant { heap.removeFirst() }
            while nextStart < starts.count, pieces[starts[nextStart]].from <= instant {
                heap.insert(starts[nextStart])
                nextStart += 1
            }
            if heap.first == best { continue }
            let current = best.map { pieces[$0].value } ?? background
            best = heap.first
            let value = best.map { pieces[$0].value } ?? background
            if value != current { timeline.append(value, from: instant, joins: joins) }
        }
        return timeline
    }
}

/// A binary heap with the best element first.
private struct Heap<Element> {
    private var elements: [Element] = []
    private let isBetter: (Element, Element) -> Bool

    init(isBetter: @escaping (Element, Element) -> Bool) { self.isBetter = isBetter }

    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBetter(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        elements[0] = last
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < elements.count else { return }
            let right = left + 1
            let child = right < elements.count && isBetter(elements[right], elements[left]) ? right : left
            guard isBetter(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}
