/// A sorted list without duplicates; inserting or removing an element moves only a few other elements.
struct SortedElements<Element: Comparable & Sendable>: Sendable {
    private static var pieceLimit: Int { 512 }
    /// The elements before ``tail``, in order, split into short sorted arrays (pieces); no piece is empty.
    private var pieces: [[Element]] = []
    /// The last piece; empty only if the whole list is empty.
    ///
    /// The last piece is usually the only piece, or the only piece that changes.
    private var tail: [Element] = []

    var isEmpty: Bool { tail.isEmpty }
    var first: Element? { pieces.first?.first ?? tail.first }
    var last: Element? { tail.last }
    /// All elements.
    var all: [Element] { pieces.isEmpty ? tail : pieces.flatMap(\.self) + tail }

    /// Returns the elements after a given element; all elements if `previous` is `nil`.
    func elements(after previous: Element?, limit: Int = .max) -> [Element] {
        var found: [Element] = []
        for index in (previous.map(pieceIndex) ?? 0)...pieces.count where found.count < limit {
            let rest = limit - found.count
            found += previous.map { self[index].elements(after: $0, limit: rest) } ?? self[index].prefix(rest)
        }
        return found
    }

    /// Inserts an element, unless it is present.
    ///
    /// - Returns: Whether the element was inserted.
    @discardableResult mutating func insert(_ element: Element) -> Bool {
        // The element is usually greater than all others, and is then appended.
        guard let last = tail.last, last >= element else {
            if tail.count == Self.pieceLimit {
                pieces.append(tail)
                tail = []
            }
            tail.append(element)
            return true
        }
        let piece = pieceIndex(of: element)
        let place = self[piece].partitioningIndex { $0 >= element }
        if place < self[piece].count, self[piece][place] == element { return false }
        self[piece].insert(element, at: place)
        if self[piece].count > Self.pieceLimit {
            let half = Array(self[piece].prefix(Self.pieceLimit / 2))
            self[piece].removeFirst(half.count)
            pieces.insert(half, at: piece)
        }
        return true
    }

    /// Removes an element, if it is present.
    ///
    /// - Returns: Whether the element was removed.
    @discardableResult mutating func remove(_ element: Element) -> Bool {
        let piece = pieceIndex(of: element)
        let place = self[piece].partitioningIndex { $0 >= element }
        guard place < self[piece].count, self[piece][place] == element else { return false }
        self[piece].remove(at: place)
        if tail.isEmpty {
            tail = pieces.popLast() ?? []
        } else if self[piece].isEmpty {
            pieces.remove(at: piece)
        }
        return true
    }

    /// Accesses a piece by its number; the tail has the last number.
    private subscript(piece: Int) -> [Element] {
        _read { if piece < pieces.count { yield pieces[piece] } else { yield tail } }
        _modify { if piece < pieces.count { yield &pieces[piece] } else { yield &tail } }
    }

    /// Returns the number of the last piece whose first element is not greater than an element; 0 if no such
    /// piece exists.
    private func pieceIndex(of element: Element) -> Int {
        if pieces.isEmpty || tail[0] <= element { return pieces.count }
        return max(0, pieces.partitioningIndex { $0[0] > element } - 1)
    }
}

extension Array where Element: Comparable {
    /// Returns the elements of a sorted array after a given element.
    func elements(after previous: Element, limit: Int) -> ArraySlice<Element> {
        self[partitioningIndex { $0 > previous }...].prefix(Swift.max(0, limit))
    }
}

/// A sorted list for each key.
struct SortedLists<Key: Hashable & Sendable, Element: Comparable & Sendable>: Sendable {
    /// The non-empty lists.
    private var lists: [Key: SortedElements<Element>] = [:]

    var isEmpty: Bool { lists.isEmpty }

    subscript(key: Key) -> SortedElements<Element> { lists[key] ?? SortedElements() }

    /// Inserts an element into a list, unless it is present.
    ///
    /// - Returns: Whether the element was inserted.
    @discardableResult mutating func insert(_ element: Element, under key: Key) -> Bool {
        lists[key, default: SortedElements()].insert(element)
    }

    /// Removes an element from a list, if it is present.
    ///
    /// - Returns: Whether the element was removed.
    @discardableResult mutating func remove(_ element: Element, under key: Key) -> Bool {
        guard lists[key]?.remove(element) == true else { return false }
        if lists[key]?.isEmpty == true { lists[key] = nil }
        return true
    }
}
