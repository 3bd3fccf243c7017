import HTTPTypes
import Hummingbird
public import Logging
import NIOCore
public import Storekeeper
public import StorekeeperAppStore

/// What teams run beside their game: it takes Apple's notifications, keeps the vault, and answers over HTTP what customers
/// own.
///
/// Its routes can be added to any Hummingbird router. Whoever embeds them runs the pool beside the server.
public struct CompanionService: Sendable {
    let pool: StorePool
    let receiver: NotificationReceiver
    /// Who may ask.
    package let keys: AccessKeys
    let bundleID: String
    let environments: [AppStore.Environment]
    /// The keys of leases, if there are any.
    package let leases: LeaseKeys?
    let metrics: PrometheusMetrics?
    /// Whether there is a page on which those with a desk or admin key look customers up.
    package let hasDesk: Bool
    /// How many requests a second an address may make without a key; `nil` without limit.
    let openRate: Double?
    /// Why the vault's storage cannot be used; `nil` where it can.
    let storageFault: @Sendable () -> String?
    let counts = RouteMetrics()
    let state = ServiceState()
    let limits: RateLimits
    let clock: any StoreClock
    let logger: Logger

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - pool: Whose stores answer.
    ///   - receiver: Takes in notifications; over the same pool.
    ///   - keys: Who may ask.
    ///   - bundleID: The app, for claims.
    ///   - environments: The environments that are accepted; claims without one are of the first.
    ///   - leases: The keys of leases; `nil`: there are none.
    ///   - metrics: What is told of this process; `nil`: nothing.
    ///   - hasDesk: Whether there is a page at `/desk` on which those with a desk or admin key look customers up.
    ///   - openRate: How many requests a second an address may make to what takes no key, with ten times as many at once
    ///     after a rest; of notifications only those that are refused count. `nil` without limit.
    ///   - storageFault: Tells why the vault's storage cannot be used, such as a full disk; `nil` where it can.
    ///   - clock: The time.
    ///   - logger: Where it says what goes wrong inside; names no key and no customer.
    public init(
        pool: StorePool, receiver: NotificationReceiver, keys: AccessKeys, bundleID: String,
        environments: [AppStore.Environment] = [.production], leases: LeaseKeys? = nil,
        metrics: PrometheusMetrics? = nil, hasDesk: Bool = false, openRate: Double? = nil,
        storageFault: @escaping @Sendable () -> String? = { nil }, clock: any StoreClock = WallClock(),
        logger: Logger = Logger(label: "storekeeper.companion", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.pool = pool
        self.receiver = receiver
        self.keys = keys
        self.bundleID = bundleID
        self.environments = environments
        self.leases = leases
        self.metrics = metrics
        self.hasDesk = hasDesk
        self.openRate = openRate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        self.storageFault = storageFault
        limits = RateLimits(clock: keys.clock)
        self.clock = clock
        self.logger = logger
    }

    /// Answers a question of a caller who may ask it.
    ///
    /// - Parameters:
    ///   - caller: Whose key asks; `nil` where none is asked for.
    ///   - address: From where.
    func answer(
        _ question: CompanionQuestion, _ route: CompanionRoute, by caller: Caller?, from address: String?
    ) async throws -> Response {
        switch route {
        case .notifications: try await takeNotification(question, from: address)
        case .transactions: try await takeTransactions(question)
        case .entitlements: try await entitlements(question)
        case .features: try await part("features", question)
        case .subscriptions: try await part("groups", question)
        case .feature: try await feature(question)
        case .explanation: try await explanation(question)
        case .timeline: try await timeline(question)
        case .checks: try await checks(question)
        case .balances: try await balances(question)
        case .balance: try await balance(question)
        case .spend: try await move(question, isGrant: false, by: caller)
        case .grant: try await move(question, isGrant: true, by: caller)
        case .lease: try await lease(question)
        case .publishedKeys: try publishedKeys()
        case .claims: try await claim(question)
        case .parked: try await parked(question)
        case .export: try await export(question)
        case .erase: try await erase(question)
        case .events: try await events(question)
        case .metrics: try await told()
        case .desk: try await desk(question)
        case .deskTimeline: try await deskTimeline(question)
        case .deskStyle, .deskIcon: try deskAsset(route)
        case .live: Self.json(.object(["status": .string("live")]))
        case .ready: try await ready()
        case .description:
            Response(
                status: .ok, headers: [.contentType: "application/yaml"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: CompanionDescription.text)))
        }
    }

    /// An answer about a customer, which nobody on the way is to keep.
    static func json(_ text: JSONText, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: jsonHead, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes())))
    }

    private static let jsonHead: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
}
