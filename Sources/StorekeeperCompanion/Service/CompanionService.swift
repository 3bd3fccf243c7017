import HTTPTypes
import Hummingbird
public import Logging
import NIOCore
public import Storekeeper
public import StorekeeperAppStore

/// The service that a team runs next to its game: it receives Apple's notifications, keeps the vault, and answers over
/// HTTP what customers own.
///
/// Its routes can be added to any Hummingbird router; the embedding program must also run the pool.
public struct CompanionService: Sendable {
    let pool: StorePool
    let receiver: NotificationReceiver
    /// The access keys.
    package let keys: AccessKeys
    let bundleID: String
    let environments: [AppStore.Environment]
    /// The keys of leases, if there are any.
    package let leases: LeaseKeys?
    let metrics: PrometheusMetrics?
    /// Whether the page `/desk` is served to desk and admin keys.
    package let hasDesk: Bool
    /// The requests per second that an address may send without a key; `nil` without limit.
    let openRate: Double?
    /// Returns why the vault's storage is not usable; `nil` if it is.
    let storageFault: @Sendable () -> String?
    let counts = RouteMetrics()
    let state = ServiceState()
    let limits: RateLimits
    let clock: any StoreClock
    let logger: Logger

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - pool: The pool of stores.
    ///   - receiver: The receiver of notifications, over the same pool.
    ///   - keys: The access keys.
    ///   - bundleID: The bundle id of the app, for claims.
    ///   - environments: The accepted environments; claims without one use the first.
    ///   - leases: The keys of leases; `nil` for none.
    ///   - metrics: The metrics of this process; `nil` for none.
    ///   - hasDesk: Whether the page `/desk` is served to desk and admin keys.
    ///   - openRate: The requests per second that an address may send to routes without a key, with a burst of ten
    ///     times as many; of notifications only refused ones count. `nil` without limit.
    ///   - storageFault: Returns why the vault's storage is not usable, such as a full disk; `nil` if it is.
    ///   - clock: The clock.
    ///   - logger: The logger for internal failures; names no key and no customer.
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

    /// Responds to an authorised request.
    ///
    /// - Parameters:
    ///   - caller: The caller; `nil` if the route requires no key.
    ///   - address: The client's address.
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

    /// Returns an answer about a customer, which must not be cached.
    static func json(_ text: JSONText, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: jsonHead, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes())))
    }

    private static let jsonHead: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
}
