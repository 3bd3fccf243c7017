/// An array that is cheap to copy and to change after a copy, regardless of its length.
///
/// The first change of a copied plain array duplicates all elements. Copies of a leaf array share leaves, which are
/// small arrays of a fixed size. A change copies only the leaf that contains the element, and the arrays that refer to
/// this leaf. The last elements are in a separate array, the tail, so that appending an element usually copies only the
/// tail.
///
/// - Complexity: Reading an element costs O(1). In an unshared array, appending an element and changing an element in
///   place cost O(1). In a shared array, both operations copy a few dozen elements, and one reference for every
///   thousand elements.
struct LeafArray<Element: Sendable>: Sendable {
    /// The leaves, grouped into branches of a fixed size.
    private var branches: [[[Element]]] = []
    /// The number of elements in the leaves.
    private var leafElementCount = 0
    /// The last elements; empty only if the array is empty.
    private var tail: [Element] = []

    /// The size of a leaf, as a power of two.
    private static var leafBits: Int { 4 }
    private static var leafSize: Int { 1 << leafBits }
    /// The number of leaves in a branch, as a power of two.
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

    /// Appends an element.
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

    /// Sorts the elements, at the cost of rebuilding the array.
    mutating func sort(by precedes: (Element, Element) throws -> Bool) rethrows {
        self = LeafArray(try elements.sorted(by: precedes))
    }

    /// Removes the elements that fulfill a condition, at the cost of rebuilding the array.
    mutating func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
        self = LeafArray(try elements.filter { try !isRemoved($0) })
    }
}

extension LeafArray: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { leafElementCount + tail.count }
    /// The last element, which is stored in the tail because it is read most often.
    var last: Element? { tail.last }

    subscript(position: Int) -> Element {
        // The element is borrowed and not copied, because copying a large element would be slow.
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
    /// Returns whether both arrays have equal elements in the same order.
    static func == (left: LeafArray, right: LeafArray) -> Bool {
        left.count == right.count
            && (left.tail.isShared(with: right.tail) && left.branches.isShared(with: right.branches)
                || left.elementsEqual(right))
    }
}

extension Array {
    /// Returns whether both arrays share the same memory and are therefore equal.
    func isShared(with other: Self) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { own in
                other.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress }
            }
    }
}
