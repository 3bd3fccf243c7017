extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element with a property; the end index if no element has the property.
    ///
    /// If an element has the property, all elements after it must have the property as well.
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
