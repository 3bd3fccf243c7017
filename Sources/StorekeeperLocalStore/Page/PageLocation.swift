import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// What the page shows, as its address says it.
struct PageLocation: Hashable, Sendable {
    /// The parts of the page, of which one is open.
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

    /// By what transactions are sorted.
    enum Order: String, Sendable, CaseIterable {
        case purchased, product, person, state, expires, id
    }

    var view = View.transactions
    /// The bundle id of the app that acts are about; `nil`: the first.
    var app: String?
    /// The customer; `nil`: everyone.
    var person: String?
    /// The transaction, or the happening of the notification, that is inspected.
    var selected: String?
    /// Only transactions of products that begin so.
    var product: String?
    var state: TransactionSummary.State?
    /// Only transactions bought on this day or later, as somebody has written it.
    var from: String?
    /// Only transactions bought on this day or earlier.
    var until: String?
    var order = Order.purchased
    var isAscending = false
    /// The product whose answer is explained.
    var why: String?
    /// Which page of a long list is shown, from 1.
    var page = 1
    /// How much had happened before the last act, so that what it has done can be told.
    var done: Int?
    /// Why the App Store refused the last act, if it did: a word.
    var refusal: String?
    /// Whether the form of the last act came twice, so that it was carried out once.
    var isRepeated = false

    init() {}

    /// Reads an address; what it says wrongly counts as not said.
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
        page = text("page").flatMap(Int.init).map { max(1, $0) } ?? 1
        done = text("done").flatMap(Int.init)
        refusal = text("refused").flatMap { $0.utf8.allSatisfy(Self.isLetter) ? $0 : nil }
        isRepeated = text("twice") == "yes"
    }

    /// The parts of the address that are not as they are by themselves.
    var fields: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("view", view == .transactions ? nil : view.rawValue), ("app", app), ("person", person),
            ("selected", selected), ("product", product), ("state", state?.rawValue), ("from", from),
            ("until", until), ("order", order == .purchased ? nil : order.rawValue),
            ("ascending", isAscending ? "yes" : nil), ("why", why), ("page", page > 1 ? String(page) : nil),
            ("done", done.map(String.init)), ("refused", refusal), ("twice", isRepeated ? "yes" : nil),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    /// The query of the address, without its question mark.
    var query: String { fields.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&") }

    /// The address on this server.
    var address: String { fields.isEmpty ? "/" : "/?\(query)" }

    /// The same but for some parts; what was done is no longer told.
    func with(_ change: (inout PageLocation) -> Void) -> PageLocation {
        var location = self
        (location.done, location.refusal, location.isRepeated) = (nil, nil, false)
        change(&location)
        return location
    }

    /// Another part of the page, for the same customer.
    func showing(_ view: View) -> PageLocation {
        var location = PageLocation()
        (location.view, location.app, location.person) = (view, app, person)
        return location
    }

    // MARK: Filters

    /// Whether a filter hides some transactions.
    var isFiltered: Bool { product != nil || state != nil || from != nil || until != nil }

    /// What is wrong with the dates of the filter, if anything.
    var complaint: String? {
        for (name, text) in [("from", from), ("until", until)] {
            if let text, Instant(text) == nil {
                return "'\(text)' is no time for '\(name)': write it like 2026-03-01 or 2026-03-01T09:30:00Z"
            }
        }
        return nil
    }

    /// Whether a transaction passes the filters.
    ///
    /// What was not bought has no time, and passes no filter of time.
    func matches(_ item: TransactionSummary) -> Bool {
        if let person, item.person.rawValue != person { return false }
        if let product, !item.productID.rawValue.hasPrefix(product) { return false }
        if let state, item.state != state { return false }
        if let start = from.flatMap({ Instant($0) }) {
            guard let at = item.purchasedAt, at >= start else { return false }
        }
        if let text = until, let day = Instant(text) {
            // A day is meant whole.
            let end = day.adding(milliseconds: text.utf8.count == 10 ? 86_400_000 : 1)
            guard let at = item.purchasedAt, at < end else { return false }
        }
        return true
    }

    /// Transactions in the order of the page; equal ones in that of their ids, the newest first.
    func sorted(_ items: [TransactionSummary]) -> [TransactionSummary] {
        let items = Array(items.reversed())
        func sorted(by key: (TransactionSummary) -> some Comparable) -> [TransactionSummary] {
            items.enumerated().map { ($0.offset, key($0.element)) }.sorted { left, right in
                if left.1 == right.1 { return left.0 < right.0 }
                return isAscending ? left.1 < right.1 : left.1 > right.1
            }.map { items[$0.0] }
        }
        // What waits for an answer is the newest; what was not bought stands where it was asked for; what has no end ends
        // last.
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
