import Storekeeper
import Synchronization

/// A test double of the App Store Server API that answers with signed evidence.
///
/// It returns pages of two items with revisions, returns statuses, and accepts finishes. It does not share the code of
/// the simulator's paging, so that the client is not tested with code of its own library.
final class ScriptedAppStore: Sendable {
    static let pageSize = 2

    struct Account: Sendable {
        var transactions: [String] = []
        var statuses: [(transaction: String, renewalInfo: String, original: String)] = []
    }

    let bundleID: String
    let environment: AppStore.Environment
    private let accounts: Mutex<[String: Account]>
    let finished = Mutex<[String]>([])
    /// The error code of `finish`; `nil` accepts it.
    let finishRefusal = Mutex<Int64?>(nil)

    init(bundleID: String, environment: AppStore.Environment, accounts: [String: Account]) {
        self.bundleID = bundleID
        self.environment = environment
        self.accounts = Mutex(accounts)
    }

    func append(_ transaction: String, to account: String) {
        accounts.withLock { $0[account, default: Account()].transactions.append(transaction) }
    }

    func reply(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let halves = request.target.split(separator: "?", maxSplits: 1)
        let path = (halves.first ?? "").split(separator: "/").map(String.init)
        if request.method == "POST", path.count == 5, path[2] == "transactions", path[4] == "finish" {
            if let code = finishRefusal.withLock({ $0 }) { return .error(code) }
            finished.withLock { $0.append(path[3]) }
            return .answer(200, [:], "", type: nil)
        }
        guard request.method == "GET", path.count == 4, let id = path.last,
            let account = accounts.withLock({ $0[id] })
        else { return .error(4_040_010) }
        let query = halves.count == 2 ? String(halves[1]) : ""
        switch path[2] {
        case "history": return history(account, query)
        case "subscriptions": return statuses(account)
        default: return .error(4_000_000)
        }
    }

    private func history(_ account: Account, _ query: String) -> LoopbackServer.Reply {
        var start = 0
        if !query.isEmpty {
            guard query.hasPrefix("revision=at."), let place = Int(query.dropFirst("revision=at.".count)) else {
                return .error(4_000_005)
            }
            start = place
        }
        let page = account.transactions.dropFirst(start).prefix(Self.pageSize)
        let end = start + page.count
        let texts = page.map { "\"\($0)\"" }.joined(separator: ",")
        return .json(
            #"{"revision":"at.\#(end)","hasMore":\#(end < account.transactions.count),"bundleId":"\#(bundleID)","#
                + #""environment":"\#(environment.rawValue)","signedTransactions":[\#(texts)]}"#)
    }

    private func statuses(_ account: Account) -> LoopbackServer.Reply {
        let items = account.statuses.map {
            #"{"originalTransactionId":"\#($0.original)","status":1,"signedTransactionInfo":"\#($0.transaction)","#
                + #""signedRenewalInfo":"\#($0.renewalInfo)"}"#
        }
        return .json(
            #"{"environment":"\#(environment.rawValue)","bundleId":"\#(bundleID)","#
                + #""data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[\#(items.joined(separator: ","))]}]}"#
        )
    }
}
