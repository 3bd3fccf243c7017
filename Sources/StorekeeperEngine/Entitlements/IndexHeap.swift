/// A binary heap of the numbers from 0 on that knows where each of them is, so that one whose rank changed can be
/// moved.
///
/// Where the first is looked for among all of them in its place, resolving 1,000 facts takes 1.5 × as long, and 20,000
/// facts in 500 chains 12 × as long.
struct IndexHeap {
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
