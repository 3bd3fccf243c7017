/// Detects that a history, which is read page by page, has no end.
///
/// The walk counts each page that is followed by another page. It finds a cycle of revisions in constant memory by
/// Brent's method. The walk stores one revision and compares the following revisions with the stored revision, which is
/// replaced at growing intervals.
struct PageWalk: Sendable {
    /// The maximum number of consecutive empty pages.
    static let maximumEmptyPages = 16

    private let maximumPages: Int
    private var pages = 0
    private var emptyPages = 0
    private var mark: String?
    private var distance = 0
    private var limit = 1

    /// Creates a walk.
    ///
    /// - Parameter maximumPages: The maximum number of pages of the history, including the last page.
    init(maximumPages: Int) { self.maximumPages = maximumPages }

    /// Counts a page that is followed by another page.
    ///
    /// - Parameters:
    ///   - place: The revision or token of the next page.
    ///   - itemCount: The number of items on the page.
    /// - Returns: An error message if the next page must not be requested; `nil` if it may be requested.
    mutating func fault(after place: String, itemCount: Int) -> String? {
        pages += 1
        emptyPages = itemCount == 0 ? emptyPages + 1 : 0
        guard mark != place else { return "the history returned the same revision again after \(pages) pages" }
        guard emptyPages < Self.maximumEmptyPages else {
            return "the history has more pages, but returned \(emptyPages) empty ones in a row"
        }
        guard pages < maximumPages else { return "the history has not ended after \(pages) pages" }
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
