/// A page of a possibly long list, with the start of the next one.
///
/// Reading all pages returns each row that exists from the first call to the last exactly once, even while others
/// write. A page may be empty although the list continues.
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

    /// Whether the page is empty and the last one.
    package var isEnd: Bool { rows.isEmpty && next == nil }
}

extension VaultPage {
    /// Creates a page from rows and their places; if there are as many as requested, more may follow.
    package init(_ placed: [(place: FeedPlace, row: Row)], limit: Int) {
        self.init(placed.map(\.row), next: placed.count < limit ? nil : placed.last?.place)
    }
}

extension VaultPage<VerifiedFact> {
    /// Adds rows of the same list that have appeared meanwhile; rows after this page are read again from the first
    /// place after which the page is incomplete.
    package mutating func add(_ page: VaultPage) {
        guard !page.isEnd else { return }
        let known = Set(rows.map { PayloadKey($0) })
        rows += page.rows.filter { !known.contains(PayloadKey($0)) }
        next = [next, page.next].compactMap { $0 }.min { $0.number < $1.number }
    }
}
