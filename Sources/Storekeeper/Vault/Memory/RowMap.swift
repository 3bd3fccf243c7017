/// Rows by key, whose changes since the last step can be undone.
struct RowMap<Key: Hashable & Sendable, Row: Sendable>: Sendable {
    private var rows: [Key: Row] = [:]
    /// The previous row of each key, for each change of this step.
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

    /// Sets the row of a key.
    ///
    /// - Returns: Whether the key had no row.
    @discardableResult mutating func set(_ row: Row, at key: Key) -> Bool {
        let previous = rows.updateValue(row, forKey: key)
        replaced.append((key, previous))
        return previous == nil
    }

    /// Commits the changes.
    mutating func commitStep() {
        if !replaced.isEmpty { replaced.removeAll(keepingCapacity: replaced.count < 1024) }
    }

    /// Undoes the changes.
    mutating func rollBackStep() {
        for (key, row) in replaced.reversed() { rows[key] = row }
        replaced = []
    }
}
