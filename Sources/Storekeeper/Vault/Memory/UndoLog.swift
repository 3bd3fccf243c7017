/// The inverses of the changes of a step, in the order of the changes; calling them in reverse order undoes the step.
///
/// All tables share one log, so that the cost of a step depends only on the number of its changes.
struct UndoLog: Sendable {
    /// A function that reverts one change.
    typealias Inverse = @Sendable (inout MemoryTables) -> Void

    private var inverses: [Inverse] = []

    /// Records the inverse of a change.
    mutating func record(_ inverse: @escaping Inverse) { inverses.append(inverse) }

    /// Deletes the inverses, because the changes are final.
    mutating func clear() {
        if !inverses.isEmpty { inverses.removeAll(keepingCapacity: inverses.count < 1024) }
    }

    /// Returns the inverses, the newest first, and deletes them.
    mutating func takeAll() -> ReversedCollection<[Inverse]> {
        defer { inverses = [] }
        return inverses.reversed()
    }
}
