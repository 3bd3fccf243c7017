import Storekeeper

/// How far a reconciliation has come; a text in the vault, so that it goes on after the process has ended.
struct ReconciliationPlace: Hashable, Sendable {
    /// The last customer who was compared, with all before; `nil` before the first.
    var last: CustomerID?
    /// What was found up to there.
    var report = ReconciliationReport()
    /// Whether all customers were compared.
    var isDone = false

    init() {}

    /// Reads a place; `nil` where there is none, or the text is none.
    init?(_ cursor: UpdateCursor?) {
        guard let text = cursor?.rawValue, let object = try? JSONReader().read(Array(text.utf8)).root.object else {
            return nil
        }
        func count(_ name: String) -> Int? {
            object[name]?.int64.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : $0 }
        }
        guard let compared = count("compared"), let differing = count("differing"), let mended = count("mended"),
            let open = count("open"), let requests = count("requests")
        else { return nil }
        last = object["last"]?.string.map(CustomerID.init(rawValue:))
        report.compared = compared
        report.differing = differing
        report.mended = mended
        report.open = open
        report.requests = requests
        isDone = object["done"]?.bool ?? false
    }

    /// The place as text.
    var cursor: UpdateCursor {
        UpdateCursor(
            rawValue: JSONText.object([
                "last": .text(last?.rawValue), "compared": .whole(report.compared),
                "differing": .whole(report.differing), "mended": .whole(report.mended), "open": .whole(report.open),
                "requests": .whole(report.requests), "done": .bool(isDone),
            ]).text())
    }
}
