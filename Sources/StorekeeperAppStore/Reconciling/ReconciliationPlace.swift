import Storekeeper

/// The position of a reconciliation, which the vault stores as text, so that a run continues after a restart.
struct ReconciliationPlace: Hashable, Sendable {
    /// The last compared customer; `nil` before the first customer.
    ///
    /// All customers with smaller ids were compared as well.
    var last: CustomerID?
    /// The results so far.
    var report = ReconciliationReport()
    /// Whether all customers were compared.
    var isDone = false

    init() {}

    /// Parses a stored position; `nil` if no position is stored, or the text is not valid.
    init?(_ cursor: UpdateCursor?) {
        guard let text = cursor?.rawValue, let object = try? JSONReader().read(Array(text.utf8)).root.object else {
            return nil
        }
        func count(_ name: String) -> Int? {
            object[name]?.int64.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : $0 }
        }
        guard let compared = count("compared"), let differing = count("differing"), let repaired = count("mended"),
            let open = count("open"), let requests = count("requests")
        else { return nil }
        last = object["last"]?.string.map(CustomerID.init(rawValue:))
        report.compared = compared
        report.differing = differing
        report.repaired = repaired
        report.open = open
        report.requests = requests
        isDone = object["done"]?.bool ?? false
    }

    /// The position as text.
    var cursor: UpdateCursor {
        UpdateCursor(
            rawValue: JSONText.object([
                "last": .text(last?.rawValue), "compared": .whole(report.compared),
                "differing": .whole(report.differing), "mended": .whole(report.repaired), "open": .whole(report.open),
                "requests": .whole(report.requests), "done": .bool(isDone),
            ]).text())
    }
}
