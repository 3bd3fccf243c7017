/// Rows in the order in which they were added, each under its place in the vault.
///
/// Changes since the last step can be taken back.
struct MemoryLog<Row: Sendable>: Sendable {
    private var rows: [Int64: Row] = [:]
    /// The places in order, also those of rows that were taken out.
    private var order: [Int64] = []
    /// How many places there were when the step began.
    private var kept = 0
    /// The rows of before that this step has replaced or taken out.
    private var replaced: [(place: Int64, row: Row?)] = []

    subscript(place: Int64) -> Row? { rows[place] }

    /// Adds a row behind all others.
    mutating func append(_ row: Row, at place: Int64) {
        order.append(place)
        rows[place] = row
    }

    /// Replaces an existing row.
    mutating func replace(_ row: Row, at place: Int64) {
        replaced.append((place, rows.updateValue(row, forKey: place)))
    }

    /// Takes a row out; its place stays empty.
    mutating func remove(_ place: Int64) { replaced.append((place, rows.removeValue(forKey: place))) }

    /// The rows after a place.
    func rows(after place: FeedPlace, limit: Int) -> [Row] { rows(at: order, after: place, limit: limit) }

    /// The rows at some places, in order, after a place.
    func rows(at places: [Int64], after place: FeedPlace = .start, limit: Int = .max) -> [Row] {
        placedRows(at: places, after: place, limit: limit).map(\.row)
    }

    /// The rows at some places, in order, or all, after a place, with their places.
    func placedRows(at places: [Int64]?, after start: FeedPlace, limit: Int) -> [(place: FeedPlace, row: Row)] {
        let places = places ?? order
        var found: [(place: FeedPlace, row: Row)] = []
        for place in places[places.firstPlace { $0 > start.number }...] {
            if found.count >= limit { break }
            if let row = rows[place] { found.append((FeedPlace(place), row)) }
        }
        return found
    }

    /// Commits the changes.
    mutating func commitStep() {
        kept = order.count
        if !replaced.isEmpty { replaced.removeAll(keepingCapacity: replaced.count < 1024) }
    }

    /// Undoes the changes.
    mutating func rollBackStep() {
        for (place, row) in replaced.reversed() { rows[place] = row }
        replaced = []
        for place in order[kept...] { rows[place] = nil }
        order.removeSubrange(kept...)
    }
}
