/// Notices that a history which is read page by page has no end.
///
/// A value that is told of each page behind which another follows. A circle of places is found in constant memory, by
/// Brent's method: one place is kept and compared with those that follow, and replaced at growing distances.
struct PageWalk: Sendable {
    /// How many pages without an item may follow one another.
    static let maximumEmptyPages = 16

    private let maximumPages: Int
    private var pages = 0
    private var emptyPages = 0
    private var mark: String?
    private var distance = 0
    private var limit = 1

    /// Makes a walk.
    ///
    /// - Parameter maximumPages: How many pages there may be, the last one among them.
    init(maximumPages: Int) { self.maximumPages = maximumPages }

    /// Counts a page that is not the last.
    ///
    /// - Parameters:
    ///   - place: Where the page says that the next one begins.
    ///   - itemCount: How many items the page has.
    /// - Returns: Why the next page must not be asked for; `nil` if it may.
    mutating func fault(after place: String, itemCount: Int) -> String? {
        pages += 1
        emptyPages = itemCount == 0 ? emptyPages + 1 : 0
        guard mark != place else { return "the history gives the same place again after \(pages) pages" }
        guard emptyPages < Self.maximumEmptyPages else {
            return "the history says that it has more, and gave \(emptyPages) empty pages in a row"
        }
        guard pages < maximumPages else { return "the history has no end after \(pages) pages" }
        guard mark != nil else {
            mark = place
            return nil
        }
        distance += 1
        if distance == limit {
            mark = place
            limit *= 2
            distance = 0
        }
        return nil
    }
}
