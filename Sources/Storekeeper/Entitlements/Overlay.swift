/// Finds, for every instant, the best of many values that hold for a time each.
enum Overlay {
    /// A value and when it holds.
    struct Piece<Value: Sendable>: Sendable {
        /// The first instant, inclusive.
        var from: Instant
        /// The last instant, exclusive; ``Instant/distantFuture``: without end.
        var to: Instant
        var value: Value
    }

    /// The timeline of the best value.
    ///
    /// - Parameters:
    ///   - pieces: In any order; they may overlap.
    ///   - background: What holds where no piece does.
    ///   - isBetter: A strict total order.
    ///   - joins: Whether two neighbouring values belong to one run.
    /// - Complexity: O(*n* log *n*).
    static func best<Value: Sendable & Equatable>(
        of pieces: [Piece<Value>], background: Value,
        isBetter: @escaping (Value, Value) -> Bool,
        joins: (Value, Value) -> Bool
    ) -> Timeline<Value> {
        var timeline = Timeline(background)
        let pieces = pieces.filter { $0.from < $0.to }
        let starts = pieces.indices.sorted { pieces[$0].from < pieces[$1].from }
        var instants = pieces.flatMap { $0.to == .distantFuture ? [$0.from] : [$0.from, $0.to] }
        instants.sort()
        var heap = Heap<Int> { isBetter(pieces[$0].value, pieces[$1].value) }
        var nextStart = 0
        var current = background
        var previous: Instant?
        for instant in instants where instant != previous {
            previous = instant
            while nextStart < starts.count, pieces[starts[nextStart]].from <= instant {
                heap.insert(starts[nextStart])
                nextStart += 1
            }
            while let first = heap.first, pieces[first].to <= instant { heap.removeFirst() }
            let value = heap.first.map { pieces[$0].value } ?? background
            if value != current {
                timeline.append(value, from: instant, joins: joins)
                current = value
            }
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
