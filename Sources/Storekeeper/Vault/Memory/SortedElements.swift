/// Elements in order, each once, where putting one in or taking one out moves only a few others.
struct SortedElements<Element: Comparable & Sendable>: Sendable {
    private static var chunkLimit: Int { 512 }
    /// Sorted pieces of the whole, none of them empty.
    private var chunks: [[Element]] = []

    var first: Element? { chunks.first?.first }

    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else {
            chunks.append([element])
            return
        }
        let chunk = chunkIndex(of: element)
        let place = chunks[chunk].firstPlace { $0 >= element }
        if place < chunks[chunk].count, chunks[chunk][place] == element { return }
        chunks[chunk].insert(element, at: place)
        if chunks[chunk].count > Self.chunkLimit {
            let middle = chunks[chunk].count / 2
            chunks.insert(Array(chunks[chunk][middle...]), at: chunk + 1)
            chunks[chunk].removeSubrange(middle...)
        }
    }

    mutating func remove(_ element: Element) {
        guard !chunks.isEmpty else { return }
        let chunk = chunkIndex(of: element)
        let place = chunks[chunk].firstPlace { $0 >= element }
        guard place < chunks[chunk].count, chunks[chunk][place] == element else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The elements after a given one; all where none is given.
    func elements(after previous: Element?, limit: Int) -> [Element] {
        var elements: [Element] = []
        let start = previous.map(chunkIndex) ?? 0
        for chunk in chunks.dropFirst(start) {
            let place = previous.map { previous in chunk.firstPlace { $0 > previous } } ?? 0
            elements += chunk[place...].prefix(max(0, limit - elements.count))
            if elements.count >= limit { break }
        }
        return elements
    }

    /// The last piece that begins no later than an element, or else the first.
    private func chunkIndex(of element: Element) -> Int {
        max(0, chunks.firstPlace { piece in piece.first.map { $0 > element } ?? false } - 1)
    }
}

extension Array {
    /// Where the elements begin that have a property which, once an element has it, all after it have.
    func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
