/// The routes of the companion service: one table, for the router and its description.
package enum CompanionRoute: String, CaseIterable, Sendable {
    case notifications, transactions, entitlements, features, feature, explanation, timeline, subscriptions, balances,
        balance, spend, grant, lease, checks, events, claims, parked, export, erase, publishedKeys, metrics, live,
        ready, description, desk, deskTimeline, deskStyle, deskIcon

    /// The HTTP method.
    package var method: String {
        switch self {
        case .notifications, .transactions, .spend, .grant, .checks, .claims: "POST"
        case .erase: "DELETE"
        default: "GET"
        }
    }

    /// The supported methods: `HEAD` is supported with `GET`.
    package var methods: [String] { method == "GET" ? ["GET", "HEAD"] : [method] }

    /// The path, with parameters for customer, feature and balance in braces.
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

    /// Whether a person uses it, so that a browser prompts for a key.
    package var isForPeople: Bool {
        switch self {
        case .desk, .deskTimeline: true
        default: false
        }
    }

    /// Whether it reports the health of the process, which is exempt from rate limits.
    package var isHealth: Bool { self == .live || self == .ready }

    /// The required scope; `nil` if no key is required.
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
