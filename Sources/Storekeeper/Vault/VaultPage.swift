/// A page of a possibly long list, with the position after which the next page begins.
///
/// A row that exists during the whole reading is returned exactly once, even if other callers write meanwhile. A page
/// may be empty although more pages follow.
public struct VaultPage<Row: Sendable>: Sendable {
    /// The rows, in the order of the list.
    public var rows: [Row]
    /// The place after which the next page begins; `nil` for the last page.
    public var next: FeedPlace?

    /// Creates a page.
    package init(_ rows: [Row] = [], next: FeedPlace? = nil) {
        self.rows = rows
        self.next = next
    }

    /// Whether this page is empty and no page follows.
    package var isEnd: Bool { rows.isEmpty && next == nil }
}

extension VaultPage {
    /// Creates a page from rows and their positions in the feed; if the number of rows is `limit`, another page may
    /// follow.
    package init(_ placed: [(place: FeedPlace, row: Row)], limit: Int) {
        self.init(placed.map(\.row), next: placed.count < limit ? nil : placed.last?.place)
    }
}

extension VaultPage<VerifiedFact> {
    /// Adds the rows of another page of the same list, except for rows that this page already has.
    ///
    /// The next page begins after the earlier of the two pages' ``next``, so that no row is missed.
    package mutating func add(_ page: VaultPage) {
        guard !page.isEnd else { return }
        let known = Set(rows.map { PayloadKey($0) })
        rows += page.rows.filter { !known.contains(PayloadKey($0)) }
        next = [next, page.next].compactMap { $0 }.min { $0.number < $1.number }
    }
}
