/// The inverses of the changes of a step, in order, which undo the step.
///
/// There is one log for all tables, so that a step pays only for what it changes.
struct UndoLog: Sendable {
    /// Reverts one change.
    typealias Inverse = @Sendable (inout MemoryTables) -> Void

    private var inverses: [Inverse] = []

    /// Records what reverts a change.
    mutating func record(_ inverse: @escaping Inverse) { inverses.append(inverse) }

    /// Forgets the changes, which are final.
    mutating func clear() {
        if !inverses.isEmpty { inverses.removeAll(keepingCapacity: inverses.count < 1024) }
    }

    /// Returns the inverses, the newest first, and forgets them.
    mutating func takeAll() -> ReversedCollection<[Inverse]> {
        defer { inverses = [] }
        return inverses.reversed()
    }
}
