extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that satisfies a condition; the end index if no element satisfies it.
    ///
    /// All elements after the first such element must satisfy the condition as well.
    ///
    /// - Complexity: O(log *n*).
    @inlinable
    package func partitioningIndex(where hasProperty: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if hasProperty(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
