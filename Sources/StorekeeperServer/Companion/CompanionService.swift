import HTTPTypes
public import Hummingbird
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
    /// Whether there is a page on which those with an admin key look customers up.
    package let hasDesk: Bool
    private let counts = RouteMetrics()
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
    ///   - hasDesk: Whether there is a page at `/desk` on which those with an admin key look customers up.
    ///   - clock: The time.
    ///   - logger: Where it says what goes wrong inside; names no key and no customer.
    public init(
        pool: StorePool, receiver: NotificationReceiver, keys: AccessKeys, bundleID: String,
        environments: [AppStore.Environment] = [.production], leases: LeaseKeys? = nil,
        metrics: PrometheusMetrics? = nil, hasDesk: Bool = false, clock: any StoreClock = WallClock(),
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
        self.clock = clock
        self.logger = logger
    }

    // MARK: Routes

    /// Adds all routes to a router, and answers for methods that they do not take.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        var methods: [String: [String]] = [:]
        for route in CompanionRoute.allCases {
            methods[route.path, default: []].append(route.method)
            let parts = Self.parts(of: route)
            router.on(RouterPath(route.path), method: Self.method(route.method)) { request, _ in
                await respond(to: request, route, parts)
            }
        }
        for (path, taken) in methods {
            for method in Self.methods where !taken.contains(method) {
                router.on(RouterPath(path), method: Self.method(method)) { _, _ in
                    Problem.wrongMethod(taken.sorted()).response
                }
            }
        }
    }

    private static let methods = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "QUERY",
    ]

    private static func method(_ name: String) -> HTTPRequest.Method { HTTPRequest.Method(name) ?? .get }

    /// Answers a request; what goes wrong is an answer, too.
    private func respond(to request: Request, _ route: CompanionRoute, _ parts: [String?]) async -> Response {
        let start = ContinuousClock.now
        var caller: Caller?
        let response = await respond(to: request, route, parts, caller: &caller)
        let duration = ContinuousClock.now - start
        counts.note(route, response.status.code, took: duration)
        // Who was asked about, and with which key, stands in no log.
        logger.info(
            "answered",
            metadata: [
                "route": "\(route.rawValue)", "status": "\(response.status.code)", "caller": "\(caller?.name ?? "-")",
                "ms": "\(duration / .milliseconds(1))",
            ])
        return response
    }

    private func respond(
        to request: Request, _ route: CompanionRoute, _ parts: [String?], caller: inout Caller?
    ) async -> Response {
        do {
            if let scope = route.scope {
                do throws(AccessRefusal) {
                    caller = try keys.caller(request.headers[.authorization], for: scope, route.isForPeople)
                } catch {
                    var problem = Problem(error)
                    if route.isForPeople, problem.status == 401 {
                        problem.headers["WWW-Authenticate"] = Self.deskChallenge
                    }
                    throw problem
                }
            }
            let question = CompanionQuestion(request, Self.names(request.uri.path, parts), at: clock.now)
            return try await answer(question, route)
        } catch let problem as Problem {
            return problem.response
        } catch let refusal as LedgerRefusal {
            return Problem(refusal).response
        } catch let error as VaultError {
            let problem = Problem(error)
            if problem.status >= 500 { logger.error("\(route.rawValue): \(error)") }
            return problem.response
        } catch {
            logger.error("\(route.rawValue): \(error)")
            return Problem(503, "unavailable", "It cannot be answered now", "try again").response
        }
    }

    /// The parts of a route's path: the name where one stands for something.
    private static func parts(of route: CompanionRoute) -> [String?] {
        route.path.split(separator: "/").map { $0.hasPrefix("{") ? String($0.dropFirst().dropLast()) : nil }
    }

    /// What stands in a path for the names of a route, but what is no text; the route may stand below another path.
    private static func names(_ path: String, _ parts: [String?]) -> [(name: String, value: String)] {
        var names: [(name: String, value: String)] = []
        var rest = path.utf8[...]
        let slash = UInt8(ascii: "/")
        for name in parts.reversed() {
            while rest.last == slash { rest.removeLast() }
            let start = rest.lastIndex(of: slash).map { rest.index(after: $0) } ?? rest.startIndex
            if let name, let text = Substring(rest[start...]).removingPercentEncoding { names.append((name, text)) }
            rest = rest[..<start]
        }
        return names
    }

    private func answer(_ question: CompanionQuestion, _ route: CompanionRoute) async throws -> Response {
        switch route {
        case .notifications: try await takeNotification(question)
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
        case .spend: try await move(question, isGrant: false)
        case .grant: try await move(question, isGrant: true)
        case .lease: try await lease(question)
        case .publishedKeys: try publishedKeys()
        case .claims: try await claim(question)
        case .parked: try await parked(question)
        case .export: try await export(question)
        case .erase: try await erase(question)
        case .events: try events(question)
        case .metrics: try told()
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

    /// What was counted in this process.
    private func told() throws(Problem) -> Response {
        guard let metrics else { throw .notFound }
        return Response(
            status: .ok, headers: [.contentType: PrometheusMetrics.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }

    /// Whether the vault can be read, so that questions can be answered.
    private func ready() async throws -> Response {
        _ = try await pool.vault.nextWake()
        return Self.json(.object(["status": .string("ready")]))
    }
}
