/// An array that costs little to copy and then change, however long it is.
///
/// A plain array is copied whole by the first change after a copy was made. Copies of this one share leaves of one size;
/// a change copies the leaf that it is in, and the way to it. The last elements stand in an array of their own, so that
/// an addition mostly copies no more than these.
///
/// - Complexity: An element is read in O(1). An addition, and a change in place, cost O(1) in an array that nobody
///   shares; otherwise a few dozen copies of elements, and one for every thousand elements there are.
struct LeafArray<Element: Sendable>: Sendable {
    /// The leaves, in branches of one size.
    private var branches: [[[Element]]] = []
    /// How many elements stand in the leaves.
    private var leafElementCount = 0
    /// The last elements: none only where there are none at all.
    private var tail: [Element] = []

    /// How many elements a leaf has, as a power of two.
    private static var leafBits: Int { 4 }
    private static var leafSize: Int { 1 << leafBits }
    /// How many leaves a branch has, as a power of two.
    private static var branchBits: Int { 6 }
    private static var branchSize: Int { 1 << branchBits }

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// All elements as a plain array.
    var elements: [Element] {
        guard !branches.isEmpty else { return tail }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for branch in branches {
            for leaf in branch { elements += leaf }
        }
        elements += tail
        return elements
    }

    /// Adds an element behind all others.
    mutating func append(_ element: Element) {
        if tail.count == Self.leafSize { makeLeaf() }
        tail.append(element)
    }

    private mutating func makeLeaf() {
        if branches.last.map({ $0.count < Self.branchSize }) ?? false {
            branches[branches.count - 1].append(tail)
        } else {
            branches.append([tail])
        }
        leafElementCount += tail.count
        tail = []
        tail.reserveCapacity(Self.leafSize)
    }

    /// Puts the elements in order, at the cost of making the array anew.
    mutating func sort(by precedes: (Element, Element) throws -> Bool) rethrows {
        self = LeafArray(try elements.sorted(by: precedes))
    }

    /// Takes out the elements that fulfil a condition, at the cost of making the array anew.
    mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
        self = LeafArray(try elements.filter { try !isRemoved($0) })
    }
}

extension LeafArray: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { leafElementCount + tail.count }
    /// The last element, which is asked for most.
    var last: Element? { tail.last }

    subscript(position: Int) -> Element {
        // Lent, not copied: an element may be made of many parts.
        @inline(__always)
        _read {
            let inTail = position - leafElementCount
            if inTail >= 0 {
                yield tail[inTail]
            } else {
                let leaf = position >> Self.leafBits
                yield branches[leaf >> Self.branchBits][leaf & (Self.branchSize - 1)][position & (Self.leafSize - 1)]
            }
        }
        @inline(__always)
        _modify {
            let inTail = position - leafElementCount
            if inTail >= 0 {
                yield &tail[inTail]
            } else {
                let leaf = position >> Self.leafBits
                yield &branches[leaf >> Self.branchBits][leaf & (Self.branchSize - 1)][position & (Self.leafSize - 1)]
            }
        }
    }
}

extension LeafArray: Equatable where Element: Equatable {
    /// Whether both have equal elements in one order.
    static func == (left: LeafArray, right: LeafArray) -> Bool {
        left.count == right.count
            && (left.tail.isShared(with: right.tail) && left.branches.isShared(with: right.branches)
                || left.elementsEqual(right))
    }
}

extension Array {
    /// Whether both stand in the same memory, so that they are equal.
    func isShared(with other: Self) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { own in
                other.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress }
            }
    }
}
