import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

/// The state of the page, as the page's URL encodes it.
struct PageLocation: Hashable, Sendable {
    /// The views of the page; one view is open at a time.
    enum View: String, Sendable, CaseIterable {
        case transactions, answers, notifications, story, store, scenario

        var title: String {
            switch self {
            case .transactions: "Transactions"
            case .answers: "Answers"
            case .notifications: "Notifications"
            case .story: "Story"
            case .store: "Store"
            case .scenario: "Scenario"
            }
        }
    }

    /// The sort order of transactions.
    typealias Order = TransactionQuery.Order

    var view = View.transactions
    /// The bundle id of the app that actions affect; `nil` for the first app.
    var app: String?
    /// The customer; `nil` for all customers.
    var person: String?
    /// The id of the selected transaction, or of the happening that the selected notification reports.
    var selected: String?
    /// The search text; only transactions that contain all its words are shown.
    var find: String?
    /// The beginning of a product id; only transactions of products whose ids begin with this text are shown.
    var product: String?
    var state: TransactionSummary.State?
    /// The first day or time of the purchases that are shown, as the user typed it.
    var from: String?
    /// The last day or time of the purchases that are shown, as the user typed it.
    var until: String?
    var order = Order.purchased
    var isAscending = false
    /// Whether each period of a subscription has its own row.
    var isUnfolded = false
    /// The opened rows of the table, identified by the id of their newest transaction; an opened row shows its earlier
    /// periods.
    var opened: [String] = []
    /// The product that the catalog shows in detail.
    var item: String?
    /// The product whose answer the page explains.
    var why: String?
    /// The product that was bought last; the form for purchases suggests it again.
    var bought: String?
    /// The instant of the answers, as the user typed it; `nil` for the present.
    var at: String?
    /// The part of the timeline that is shown, in the format of ``TimelineSpan``; `nil` for the whole timeline.
    var span: String?
    /// The number of the page of a long list, from 1.
    var page = 1
    /// The number of the page of the steps of the story, from 1.
    var steps = 1
    /// The numbers of the branches to compare.
    var compared: [Int] = []
    /// The last action on the story, such as undo.
    var told: StoryAction?
    /// The number of happenings before the last action; the page shows the happenings after them as the action's
    /// effects.
    var done: Int?
    /// The code of the App Store's refusal of the last action; `nil` if the action was not refused.
    var refusal: String?
    /// Whether the form of the last action was sent again, and was not carried out a second time.
    var isRepeated = false

    init() {}

    /// Parses a query; invalid values are ignored.
    init(_ query: [(name: String, value: String)]) {
        func text(_ name: String) -> String? { query.first { $0.name == name && !$0.value.isEmpty }?.value }
        view = text("view").flatMap(View.init) ?? .transactions
        app = text("app")
        person = text("person")
        selected = text("selected")
        find = text("find")
        product = text("product")
        state = text("state").flatMap(TransactionSummary.State.init)
        from = text("from")
        until = text("until")
        order = text("order").flatMap(Order.init) ?? .purchased
        isAscending = text("ascending") == "yes"
        isUnfolded = text("fold") == "no"
        opened = (text("open") ?? "").split(separator: " ").prefix(Self.maximumOpened).map(String.init)
        item = text("item")
        why = text("why")
        bought = text("bought")
        at = text("at")
        span = text("span")
        page = text("page").flatMap(Int.init).map { max(1, $0) } ?? 1
        steps = text("steps").flatMap(Int.init).map { max(1, $0) } ?? 1
        compared = [text("first"), text("second")].compactMap { $0.flatMap(Int.init) }
        told = text("told").flatMap(StoryAction.init)
        done = text("done").flatMap(Int.init)
        refusal = text("refused").flatMap { $0.utf8.allSatisfy(Self.isLetter) ? $0 : nil }
        isRepeated = text("twice") == "yes"
    }

    /// The query parameters that differ from their defaults.
    var fields: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("view", view == .transactions ? nil : view.rawValue), ("app", app), ("person", person),
            ("selected", selected), ("find", find), ("product", product), ("state", state?.rawValue), ("from", from),
            ("until", until), ("order", order == .purchased ? nil : order.rawValue),
            ("ascending", isAscending ? "yes" : nil), ("fold", isUnfolded ? "no" : nil),
            ("open", opened.isEmpty ? nil : opened.joined(separator: " ")), ("item", item), ("why", why),
            ("bought", bought), ("at", at), ("span", span), ("page", page > 1 ? String(page) : nil),
            ("steps", steps > 1 ? String(steps) : nil), ("first", compared.first.map(String.init)),
            ("second", compared.count > 1 ? compared.last.map(String.init) : nil), ("told", told?.rawValue),
            ("done", done.map(String.init)), ("refused", refusal), ("twice", isRepeated ? "yes" : nil),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The maximum number of opened rows.
    private static let maximumOpened = 20

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    /// The query of the page's URL, without the question mark.
    var query: String { fields.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&") }

    /// The path and query of the page's URL.
    var address: String { fields.isEmpty ? "/" : "/?\(query)" }

    /// Returns a changed copy of the location, without the result of the last action.
    func with(_ change: (inout PageLocation) -> Void) -> PageLocation {
        var location = self
        (location.done, location.refusal, location.isRepeated, location.told) = (nil, nil, false, nil)
        change(&location)
        return location
    }

    /// Returns the location of another view for the same app and customer.
    func showing(_ view: View) -> PageLocation {
        var location = PageLocation()
        (location.view, location.app, location.person) = (view, app, person)
        // Only these two views show the timeline and the answers at an instant.
        if [.transactions, .answers].contains(view) { (location.at, location.span) = (at, span) }
        return location
    }

    /// Returns the location of the first page of the same view for another customer.
    func about(_ person: String?) -> PageLocation {
        with {
            ($0.person, $0.selected, $0.why) = (person, nil, nil)
            $0.restart()
        }
    }

    /// Changes the location to the first page of its list.
    mutating func restart() { (page, opened) = (1, []) }

    // MARK: Filters

    /// Whether a filter hides some transactions.
    var isFiltered: Bool { find != nil || isFilteredExactly }

    /// Whether a filter of one column hides some transactions.
    var isFilteredExactly: Bool { product != nil || state != nil || from != nil || until != nil }

    /// Returns the error message for a date of the filter; `nil` if the date is valid or absent.
    static func complaint(about date: String?) -> String? {
        guard let date, PageTime.instant(date) == nil else { return nil }
        return TimelineText.invalid.rawValue.filling(["typed": date])
    }

    /// The query for the rows of the table.
    var transactionQuery: TransactionQuery {
        var query = TransactionQuery()
        query.customer = person.map { CustomerID(rawValue: $0) }
        query.words = (find ?? "").split(whereSeparator: \.isWhitespace).prefix(8).map(String.init)
        query.product = product
        query.state = state
        query.from = from.flatMap(PageTime.instant)
        query.until = until.flatMap { text in
            // If the end has no time of day, the filter includes the whole day.
            PageTime.instant(text)?.adding(milliseconds: text.utf8.count == 10 ? 86_400_000 : 1)
        }
        query.order = order
        query.isAscending = isAscending
        query.folds = !isUnfolded
        query.opened = Set(opened.map { Transaction.ID(rawValue: $0) })
        query.page = page
        query.pageSize = PageBuilder.pageSize
        return query
    }
}
