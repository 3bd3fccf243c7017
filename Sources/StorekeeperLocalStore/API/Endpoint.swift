import Storekeeper

/// An endpoint of the App Store Server API, parsed from a method and path.
///
/// - SeeAlso: Apple, "App Store Server API".
enum Endpoint: Hashable, Sendable {
    /// The rate limit of an endpoint in production, in requests per second.
    enum Limit: Int, Hashable, Sendable { case fifty = 50, twenty = 20, ten = 10, one = 1 }

    case transaction(String)
    case history(String, version: Int)
    case subscriptions(String)
    case refunds(String)
    case order(String)
    case consumption(String, version: Int)
    case extend(String)
    case extendAll
    case extensionStatus(productID: Product.ID, requestID: String)
    case requestTest
    case testStatus(String)
    case notificationHistory
    case setToken(String)
    case appTransaction(String)
    case finish(String)

    /// Parses a method and path; `nil` if the API has no such endpoint.
    init?(method: String, path: [String]) {
        guard path.first == "inApps", path.count >= 3 else { return nil }
        let version = path[1]
        let rest = Array(path.dropFirst(2))
        switch (method, version, rest.count, rest[0]) {
        case ("GET", "v1", 2, "transactions"): self = .transaction(rest[1])
        case ("GET", "v1", 3, "transactions") where rest[1] == "appTransactions": self = .appTransaction(rest[2])
        case ("POST", "v1", 3, "transactions") where rest[2] == "finish": self = .finish(rest[1])
        case ("PUT", "v1", 3, "transactions") where rest[1] == "consumption": self = .consumption(rest[2], version: 1)
        case ("PUT", "v2", 3, "transactions") where rest[1] == "consumption": self = .consumption(rest[2], version: 2)
        case ("PUT", "v1", 3, "transactions") where rest[2] == "appAccountToken": self = .setToken(rest[1])
        case ("GET", "v1", 2, "history"): self = .history(rest[1], version: 1)
        case ("GET", "v2", 2, "history"): self = .history(rest[1], version: 2)
        case ("GET", "v1", 2, "subscriptions"): self = .subscriptions(rest[1])
        case ("GET", "v2", 3, "refund") where rest[1] == "lookup": self = .refunds(rest[2])
        case ("GET", "v1", 2, "lookup"): self = .order(rest[1])
        case ("POST", "v1", 3, "subscriptions") where rest[1] == "extend" && rest[2] == "mass": self = .extendAll
        case ("GET", "v1", 5, "subscriptions") where rest[1] == "extend" && rest[2] == "mass":
            self = .extensionStatus(productID: Product.ID(rest[3]), requestID: rest[4])
        case ("PUT", "v1", 3, "subscriptions") where rest[1] == "extend": self = .extend(rest[2])
        case ("POST", "v1", 2, "notifications") where rest[1] == "test": self = .requestTest
        case ("POST", "v1", 2, "notifications") where rest[1] == "history": self = .notificationHistory
        case ("GET", "v1", 3, "notifications") where rest[1] == "test": self = .testStatus(rest[2])
        default: return nil
        }
    }

    /// Returns the methods that a path supports, in order; empty for an unknown path.
    static func methods(at path: [String]) -> [String] {
        ["GET", "POST", "PUT"].filter { Endpoint(method: $0, path: path) != nil }
    }

    /// The rate limit of the endpoint.
    var limit: Limit {
        switch self {
        case .transaction, .history, .subscriptions, .consumption, .notificationHistory, .appTransaction, .finish:
            .fifty
        case .extend, .setToken: .twenty
        case .refunds, .order: .ten
        case .extendAll, .extensionStatus, .requestTest, .testStatus: .one
        }
    }
}
