/// Rows in the order in which they were added, each under its place in the vault.
struct MemoryLog<Row: Sendable>: Sendable {
    private var rows: [Int64: Row] = [:]
    /// The places in order, also those of rows that were taken out.
    private var order: [Int64] = []

    subscript(sequence: Int64) -> Row? { rows[sequence] }

    /// Adds a row behind all others.
    mutating func append(_ row: Row, at sequence: Int64) {
        order.append(sequence)
        rows[sequence] = row
    }

    /// Undoes ``append(_:at:)`` of the last row.
    mutating func removeLast(_ sequence: Int64) {
        if order.last == sequence { order.removeLast() }
        rows[sequence] = nil
    }

    /// Takes a row out; its place stays empty.
    mutating func take(_ sequence: Int64) -> Row? { rows.removeValue(forKey: sequence) }

    /// Undoes ``take(_:)``.
    mutating func putBack(_ row: Row, at sequence: Int64) { rows[sequence] = row }

    /// The rows after a place.
    func rows(after place: FeedPlace, limit: Int) -> [Row] { rows(at: order, after: place, limit: limit) }

    /// The rows at some places, in order, after a place.
    func rows(at places: [Int64], after place: FeedPlace, limit: Int) -> [Row] {
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
}
