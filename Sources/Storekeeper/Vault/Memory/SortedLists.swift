/// Lists of elements in order, each list under a key, whose changes since the last step can be taken back.
struct SortedLists<Key: Hashable & Sendable, Element: Comparable & Sendable>: Sendable {
    /// The lists that are not empty.
    private var lists: [Key: [Element]] = [:]
    private var changes: [(key: Key, element: Element, isInserted: Bool)] = []

    var isEmpty: Bool { lists.isEmpty }

    subscript(key: Key) -> [Element] { lists[key] ?? [] }

    /// Puts an element into a list, unless it is there.
    mutating func insert(_ element: Element, under key: Key) {
        if add(element, under: key) { changes.append((key, element, true)) }
    }

    /// Takes an element out of a list, if it is there.
    mutating func remove(_ element: Element, under key: Key) {
        if take(element, under: key) { changes.append((key, element, false)) }
    }

    /// Makes the changes final.
    mutating func keepStep() {
        if !changes.isEmpty { changes.removeAll(keepingCapacity: changes.count < 1024) }
    }

    /// Takes the changes back.
    mutating func undoStep() {
        for change in changes.reversed() {
            if change.isInserted {
                take(change.element, under: change.key)
            } else {
                add(change.element, under: change.key)
            }
        }
        changes = []
    }

    @discardableResult private mutating func add(_ element: Element, under key: Key) -> Bool {
        func place(in list: inout [Element]) -> Bool {
            // Mostly it is the newest of all.
            if let last = list.last, last >= element {
                let index = list.firstPlace { $0 >= element }
                if list[index] == element { return false }
                list.insert(element, at: index)
            } else {
                list.append(element)
            }
            return true
        }
        return place(in: &lists[key, default: []])
    }

    @discardableResult private mutating func take(_ element: Element, under key: Key) -> Bool {
        guard let found = place(of: element, under: key) else { return false }
        if found.isAlone { lists[key] = nil } else { lists[key]?.remove(at: found.index) }
        return true
    }

    /// Where an element stands; asked for apart, so that nobody else holds the list while it changes.
    private func place(of element: Element, under key: Key) -> (index: Int, isAlone: Bool)? {
        guard let list = lists[key] else { return nil }
        let index = list.firstPlace { $0 >= element }
        return index < list.count && list[index] == element ? (index, list.count == 1) : nil
    }
}

/// Places of rows, listed under what the rows are looked for by.
typealias PlaceLists<Key: Hashable & Sendable> = SortedLists<Key, Int64>
