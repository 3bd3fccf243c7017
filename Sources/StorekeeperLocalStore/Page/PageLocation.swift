import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The state of the page, as its address encodes it.
struct PageLocation: Hashable, Sendable {
    /// The views of the page, one of which is open.
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
    enum Order: String, Sendable, CaseIterable {
        case purchased, product, person, state, expires, id
    }

    var view = View.transactions
    /// The bundle id of the app that actions are about; `nil` for the first app.
    var app: String?
    /// The customer; `nil` for all customers.
    var person: String?
    /// The selected transaction, or the happening of the selected notification.
    var selected: String?
    /// The prefix of the products whose transactions are shown.
    var product: String?
    var state: TransactionSummary.State?
    /// The first day of the purchases shown, as typed.
    var from: String?
    /// The last day of the purchases shown, as typed.
    var until: String?
    var order = Order.purchased
    var isAscending = false
    /// The product whose answer is explained.
    var why: String?
    /// The instant of the answers, as typed; `nil` for the present.
    var at: String?
    /// The part of the timeline that is shown, as ``TimelineSpan`` writes it; `nil` for all.
    var span: String?
    /// The number of the page of a long list, from 1.
    var page = 1
    /// The number of the page of the steps of the story, from 1.
    var steps = 1
    /// The branches to compare.
    var compared: [Int] = []
    /// The last action on the story.
    var told: StoryAction?
    /// The number of happenings before the last action, so that its effects can be shown.
    var done: Int?
    /// The code with which the App Store refused the last action, if it did.
    var refusal: String?
    /// Whether the form of the last action was sent twice; it was carried out once.
    var isRepeated = false

    init() {}

    /// Parses a query; invalid values count as absent.
    init(_ query: [(name: String, value: String)]) {
        func text(_ name: String) -> String? { query.first { $0.name == name && !$0.value.isEmpty }?.value }
        view = text("view").flatMap(View.init) ?? .transactions
        app = text("app")
        person = text("person")
        selected = text("selected")
        product = text("product")
        state = text("state").flatMap(TransactionSummary.State.init)
        from = text("from")
        until = text("until")
        order = text("order").flatMap(Order.init) ?? .purchased
        isAscending = text("ascending") == "yes"
        why = text("why")
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
            ("selected", selected), ("product", product), ("state", state?.rawValue), ("from", from),
            ("until", until), ("order", order == .purchased ? nil : order.rawValue),
            ("ascending", isAscending ? "yes" : nil), ("why", why), ("at", at), ("span", span),
            ("page", page > 1 ? String(page) : nil), ("steps", steps > 1 ? String(steps) : nil), ("first", compared.first.map(String.init)),
            ("second", compared.count > 1 ? compared.last.map(String.init) : nil), ("told", told?.rawValue),
            ("done", done.map(String.init)), ("refused", refusal), ("twice", isRepeated ? "yes" : nil),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    /// The query of the address, without its question mark.
    var query: String { fields.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&") }

    /// The address on this server.
    var address: String { fields.isEmpty ? "/" : "/?\(query)" }

    /// Returns a changed copy without the result of the last action.
    func with(_ change: (inout PageLocation) -> Void) -> PageLocation {
        var location = self
        (location.done, location.refusal, location.isRepeated, location.told) = (nil, nil, false, nil)
        change(&location)
        return location
    }

    /// Returns the location of another view for the same customer.
    func showing(_ view: View) -> PageLocation {
        var location = PageLocation()
        (location.view, location.app, location.person) = (view, app, person)
        // These two views show the timeline, and the answers at an instant.
        if [.transactions, .answers].contains(view) { (location.at, location.span) = (at, span) }
        return location
    }

    // MARK: Filters

    /// Whether a filter hides some transactions.
    var isFiltered: Bool { product != nil || state != nil || from != nil || until != nil }

    /// An error in the dates of the filter, if any.
    var complaint: String? {
        for (name, text) in [("from", from), ("until", until)] {
            if let text, Instant(text) == nil {
                return "'\(text)' is not a valid time for '\(name)': write it like 2026-03-01 or 2026-03-01T09:30:00Z"
            }
        }
        return nil
    }

    /// Returns whether a transaction passes the filters.
    ///
    /// A transaction without a purchase date passes no date filter.
    func matches(_ item: TransactionSummary) -> Bool {
        if let person, item.person.rawValue != person { return false }
        if let product, !item.productID.rawValue.hasPrefix(product) { return false }
        if let state, item.state != state { return false }
        if let start = from.flatMap({ Instant($0) }) {
            guard let at = item.purchasedAt, at >= start else { return false }
        }
        if let text = until, let day = Instant(text) {
            // A date includes the whole day.
            let end = day.adding(milliseconds: text.utf8.count == 10 ? 86_400_000 : 1)
            guard let at = item.purchasedAt, at < end else { return false }
        }
        return true
    }

    /// Returns transactions in the order of the page; equal ones by id, newest first.
    func sorted(_ items: [TransactionSummary]) -> [TransactionSummary] {
        let items = Array(items.reversed())
        func sorted(by key: (TransactionSummary) -> some Comparable) -> [TransactionSummary] {
            items.enumerated().map { ($0.offset, key($0.element)) }.sorted { left, right in
                if left.1 == right.1 { return left.0 < right.0 }
                return isAscending ? left.1 < right.1 : left.1 > right.1
            }.map { items[$0.0] }
        }
        // Pending purchases sort as the newest; failed ones by the instant when they were requested; those that do not
        // expire come last.
        return switch order {
        case .purchased:
            sorted {
                let isWaiting = [.pending, .interrupted].contains($0.state)
                return $0.purchasedAt ?? (isWaiting ? .distantFuture : $0.begunAt)
            }
        case .product: sorted { $0.productID }
        case .person: sorted { $0.person.rawValue }
        case .state: sorted { $0.state.rawValue }
        case .expires: sorted { $0.expiresAt ?? .distantFuture }
        case .id: sorted { Int64($0.id.rawValue) ?? 0 }
        }
    }
}
