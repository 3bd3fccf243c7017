/// What can be asked of the companion service: one table, from which the router and its description are made.
package enum CompanionRoute: String, CaseIterable, Sendable {
    case notifications, transactions, entitlements, features, feature, explanation, timeline, subscriptions, balances,
        balance, spend, grant, lease, checks, events, claims, parked, export, erase, publishedKeys, metrics, live,
        ready, description, desk, deskTimeline, deskStyle, deskIcon

    /// The method.
    package var method: String {
        switch self {
        case .notifications, .transactions, .spend, .grant, .checks, .claims: "POST"
        case .erase: "DELETE"
        default: "GET"
        }
    }

    /// The methods that are answered: what can be got can be asked about without its body.
    package var methods: [String] { method == "GET" ? ["GET", "HEAD"] : [method] }

    /// The path, with what stands for a customer, a feature or a balance in braces.
    package var path: String {
        let customer = "/v1/customers/{customer}"
        return switch self {
        case .notifications: "/apple/notifications"
        case .transactions: customer + "/transactions"
        case .entitlements: customer + "/entitlements"
        case .features: customer + "/features"
        case .feature: customer + "/features/{feature}"
        case .explanation: customer + "/explanation"
        case .timeline: customer + "/timeline"
        case .subscriptions: customer + "/subscriptions"
        case .balances: customer + "/balances"
        case .balance: customer + "/balances/{balance}"
        case .spend: customer + "/balances/{balance}/spend"
        case .grant: customer + "/balances/{balance}/grant"
        case .lease: customer + "/lease"
        case .claims: customer + "/claims"
        case .export: customer + "/export"
        case .erase: customer
        case .checks: "/v1/checks"
        case .events: "/v1/events"
        case .parked: "/v1/parked"
        case .publishedKeys: "/.well-known/jwks.json"
        case .metrics: "/metrics"
        case .live: "/health/live"
        case .ready: "/health/ready"
        case .description: "/openapi.yaml"
        case .desk: "/desk"
        case .deskTimeline: "/desk/timeline.svg"
        case .deskStyle: "/desk/style.css"
        case .deskIcon: "/desk/icon.svg"
        }
    }

    /// Whether a person asks, whom a browser asks for a key.
    package var isForPeople: Bool {
        switch self {
        case .desk, .deskTimeline: true
        default: false
        }
    }

    /// Whether it tells how the process is, which must be answered however often it is asked.
    package var isHealth: Bool { self == .live || self == .ready }

    /// What a key must be allowed to do; `nil` where none is asked for.
    package var scope: Scope? {
        switch self {
        case .notifications, .publishedKeys, .live, .ready, .description, .deskStyle, .deskIcon: nil
        case .transactions, .spend, .grant: .spend
        case .claims: .claim
        case .desk, .deskTimeline: .desk
        case .export, .erase, .parked, .events: .admin
        default: .check
        }
    }
}
