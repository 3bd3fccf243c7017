import Storekeeper
import StorekeeperAppStore
import Synchronization

/// A history of notifications in memory, with the behaviour of the App Store Server API.
final class RecordedHistory: NotificationHistorySource {
    struct Unavailable: Error {}

    /// A fault of a call.
    enum Fault: Sendable {
        /// The next call fails.
        case fails
        /// The next token has expired.
        case expires
        /// The page reports that more pages follow, but has no token.
        case losesToken
        /// Each page has the same token.
        case circles
    }

    private struct State {
        var faults: [Int: Fault] = [:]
        var calls = 0
        var largestPage = 0
        var queries: [NotificationHistoryQuery] = []
    }

    private let payloads: [String]
    private let pageSize: Int
    /// The transactions of a payload, for queries about one customer.
    private let transactions: [String: Set<Transaction.ID>]
    private let undelivered: Set<String>
    private let state: Mutex<State>

    init(
        _ payloads: [String], pageSize: Int = 20, transactions: [String: Set<Transaction.ID>] = [:],
        undelivered: Set<String> = [], faults: [Int: Fault] = [:]
    ) {
        self.payloads = payloads
        self.pageSize = pageSize
        self.transactions = transactions
        self.undelivered = undelivered
        state = Mutex(State(faults: faults))
    }

    var calls: Int { state.withLock { $0.calls } }
    var queries: [NotificationHistoryQuery] { state.withLock { $0.queries } }

    /// Sets the fault of a call, counted from 1.
    func setFault(_ fault: Fault?, ofCall call: Int) { state.withLock { $0.faults[call] = fault } }

    func page(of query: NotificationHistoryQuery, after token: String?) async throws -> NotificationHistoryPage {
        let fault = state.withLock { state in
            state.calls += 1
            state.queries.append(query)
            return state.faults[state.calls]
        }
        await Task.yield()
        let all = payloads.filter { payload in
            if query.onlyFailures, !undelivered.contains(payload) { return false }
            guard let id = query.transactionID else { return true }
            return transactions[payload]?.contains(id) ?? false
        }
        let start = token.flatMap(Int.init) ?? 0
        let items = all.dropFirst(start).prefix(pageSize).map { payload in
            let result = undelivered.contains(payload) ? "TIMED_OUT" : "SUCCESS"
            return NotificationHistoryPage.Item(
                signedPayload: payload, attempts: [.init(at: query.from, result: result)])
        }
        let end = start + items.count
        switch fault {
        case .fails: throw Unavailable()
        case .expires: throw NotificationHistoryTokenExpired()
        case .losesToken: return NotificationHistoryPage(items: items, hasMore: true, token: nil)
        case .circles: return NotificationHistoryPage(items: items, hasMore: true, token: token ?? "0")
        case nil:
            // Like the App Store, the history may also return a token with the last page.
            return NotificationHistoryPage(items: items, hasMore: end < all.count, token: String(end))
        }
    }
}
