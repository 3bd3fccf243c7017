/// A part of a list that may be long, and where it goes on.
///
/// Whoever goes through all pages meets each row that is there from the first call to the last, and none twice, while
/// others write. A page may be empty although the list goes on.
public struct VaultPage<Row: Sendable>: Sendable {
    /// The rows, in the order of the list.
    public var rows: [Row]
    /// The place after which the next page begins; `nil` where this is the last.
    public var next: FeedPlace?

    /// Makes a page.
    package init(_ rows: [Row] = [], next: FeedPlace? = nil) {
        self.rows = rows
        self.next = next
    }

    /// Whether there is nothing in it and nothing behind it.
    package var isEnd: Bool { rows.isEmpty && next == nil }
}

extension VaultPage {
    /// Makes a page of rows and their places, of which a number was asked for: where there are as many, there may be
    /// more.
    package init(_ placed: [(place: FeedPlace, row: Row)], limit: Int) {
        self.init(placed.map(\.row), next: placed.count < limit ? nil : placed.last?.place)
    }
}

extension VaultPage<VerifiedFact> {
    /// Adds what of the same list has come to be in it, wherever: what is behind this page is asked for again from the first
    /// place behind which not all is known.
    package mutating func add(_ page: VaultPage) {
        guard !page.isEnd else { return }
        let known = Set(rows.map { PayloadKey($0) })
        rows += page.rows.filter { !known.contains(PayloadKey($0)) }
        next = [next, page.next].compactMap { $0 }.min { $0.number < $1.number }
    }
}
