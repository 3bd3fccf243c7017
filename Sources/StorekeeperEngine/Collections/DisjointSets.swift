/// Disjoint sets of elements, each represented by its smallest element (union-find).
struct DisjointSets<Element: Hashable & Comparable> {
    /// The parent of each element in a forest, in which each tree is one set; a root is its own parent.
    private var parents: [Element: Element] = [:]

    /// Adds an element as a set of its own, unless it is in a set.
    mutating func insert(_ element: Element) {
        if parents[element] == nil { parents[element] = element }
    }

    /// Returns the smallest element of an element's set.
    mutating func root(of element: Element) -> Element {
        insert(element)
        var element = element
        while let parent = parents[element], parent != element {
            // Making each visited element point to its grandparent speeds up later look-ups.
            parents[element] = parents[parent]
            element = parent
        }
        return element
    }

    /// Unites the sets of two elements.
    mutating func unite(_ left: Element, _ right: Element) {
        let (leftRoot, rightRoot) = (root(of: left), root(of: right))
        if leftRoot != rightRoot { parents[max(leftRoot, rightRoot)] = min(leftRoot, rightRoot) }
    }
}
