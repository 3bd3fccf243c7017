/// Rows by key, whose changes since the last step can be taken back.
struct RowMap<Key: Hashable & Sendable, Row: Sendable>: Sendable {
    private var rows: [Key: Row] = [:]
    /// What stood under each key before each change of this step.
    private var replaced: [(key: Key, row: Row?)] = []

    var isEmpty: Bool { rows.isEmpty }
    /// All rows.
    var all: [Key: Row] { rows }

    subscript(key: Key) -> Row? {
        get { rows[key] }
        set {
            if let newValue { set(newValue, at: key) } else { replaced.append((key, rows.removeValue(forKey: key))) }
        }
    }

    /// Puts a row under a key.
    ///
    /// - Returns: Whether there was none.
    @discardableResult mutating func set(_ row: Row, at key: Key) -> Bool {
        let previous = rows.updateValue(row, forKey: key)
        replaced.append((key, previous))
        return previous == nil
    }

    /// Makes the changes final.
    mutating func keepStep() {
        if !replaced.isEmpty { replaced.removeAll(keepingCapacity: replaced.count < 1024) }
    }

    /// Takes the changes back.
    mutating func undoStep() {
        for (key, row) in replaced.reversed() { rows[key] = row }
        replaced = []
    }
}
