/// Elements in order, each once, where putting one in or taking one out moves only a few others.
///
/// Changes since the last step can be taken back.
struct SortedElements<Element: Comparable & Sendable>: Sendable {
    private static var chunkLimit: Int { 512 }
    /// Sorted pieces of the whole, none of them empty.
    private var chunks: [[Element]] = []
    private var changes: [(element: Element, isInserted: Bool)] = []

    var first: Element? { chunks.first?.first }

    /// Puts an element in, unless it is there.
    mutating func insert(_ element: Element) {
        if add(element) { changes.append((element, true)) }
    }

    /// Takes an element out, if it is there.
    mutating func remove(_ element: Element) {
        if extract(element) { changes.append((element, false)) }
    }

    /// Commits the changes.
    mutating func commitStep() {
        if !changes.isEmpty { changes.removeAll(keepingCapacity: changes.count < 1024) }
    }

    /// Undoes the changes.
    mutating func rollBackStep() {
        for (element, isInserted) in changes.reversed() { if isInserted { extract(element) } else { add(element) } }
        changes = []
    }

    @discardableResult private mutating func add(_ element: Element) -> Bool {
        guard !chunks.isEmpty else {
            chunks.append([element])
            return true
        }
        let chunk = chunkIndex(of: element)
        let place = chunks[chunk].firstPlace { $0 >= element }
        if place < chunks[chunk].count, chunks[chunk][place] == element { return false }
        chunks[chunk].insert(element, at: place)
        if chunks[chunk].count > Self.chunkLimit {
            let middle = chunks[chunk].count / 2
            chunks.insert(Array(chunks[chunk][middle...]), at: chunk + 1)
            chunks[chunk].removeSubrange(middle...)
        }
        return true
    }

    @discardableResult private mutating func extract(_ element: Element) -> Bool {
        guard !chunks.isEmpty else { return false }
        let chunk = chunkIndex(of: element)
        let place = chunks[chunk].firstPlace { $0 >= element }
        guard place < chunks[chunk].count, chunks[chunk][place] == element else { return false }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        return true
    }

    /// The elements after a given one; all of them without one.
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
