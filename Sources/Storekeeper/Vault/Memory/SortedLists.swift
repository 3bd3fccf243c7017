/// Sorted lists by key, whose changes since the last step can be undone.
struct SortedLists<Key: Hashable & Sendable, Element: Comparable & Sendable>: Sendable {
    /// The non-empty lists.
    private var lists: [Key: [Element]] = [:]
    private var changes: [(key: Key, element: Element, isInserted: Bool)] = []

    var isEmpty: Bool { lists.isEmpty }

    subscript(key: Key) -> [Element] { lists[key] ?? [] }

    /// Inserts an element into a list, unless it is present.
    mutating func insert(_ element: Element, under key: Key) {
        if add(element, under: key) { changes.append((key, element, true)) }
    }

    /// Removes an element from a list, if it is present.
    mutating func remove(_ element: Element, under key: Key) {
        if extract(element, under: key) { changes.append((key, element, false)) }
    }

    /// Commits the changes.
    mutating func commitStep() {
        if !changes.isEmpty { changes.removeAll(keepingCapacity: changes.count < 1024) }
    }

    /// Undoes the changes.
    mutating func rollBackStep() {
        for change in changes.reversed() {
            if change.isInserted {
                extract(change.element, under: change.key)
            } else {
                add(change.element, under: change.key)
            }
        }
        changes = []
    }

    @discardableResult private mutating func add(_ element: Element, under key: Key) -> Bool {
        func place(in list: inout [Element]) -> Bool {
            // The element is usually the newest.
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

    @discardableResult private mutating func extract(_ element: Element, under key: Key) -> Bool {
        guard let found = place(of: element, under: key) else { return false }
        if found.isAlone { lists[key] = nil } else { lists[key]?.remove(at: found.index) }
        return true
    }

    /// Returns the index of an element; a separate call, so that the list is uniquely referenced when it changes.
    private func place(of element: Element, under key: Key) -> (index: Int, isAlone: Bool)? {
        guard let list = lists[key] else { return nil }
        let index = list.firstPlace { $0 >= element }
        return index < list.count && list[index] == element ? (index, list.count == 1) : nil
    }
}

/// Places of rows, listed by the keys for which rows are looked up.
typealias PlaceLists<Key: Hashable & Sendable> = SortedLists<Key, Int64>
