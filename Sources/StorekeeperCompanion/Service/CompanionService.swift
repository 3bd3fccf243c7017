import Crypto
import HTTPTypes
public import Hummingbird
import NIOCore
public import Storekeeper
public import StorekeeperAppStore
public import StorekeeperJWS
import StorekeeperPages

/// The service that a team runs next to its own server.
///
/// The service receives Apple's notifications, writes them to the vault, and answers over HTTP which purchases and
/// features customers own.
///
/// The routes of the service can be added to any Hummingbird router; the embedding program must also run the pool.
public struct CompanionService: Sendable {
    /// What a service offers in addition to answers, and its limits.
    public struct Configuration: Sendable {
        /// The accepted environments; the first is used for a claim that names no environment.
        public var environments: [AppStore.Environment] = [.production]
        /// The signing keys of leases; `nil` if the service does not issue leases.
        public var leases: LeaseKeys?
        /// The metrics of this process; `nil` if the service does not serve metrics.
        public var metrics: PrometheusMetrics?
        /// Whether the support desk is served at `/desk` to callers with a desk or admin key.
        public var hasDesk = false
        /// The number of requests per second that one IP address may send to routes without a key; `nil` for no limit,
        /// also of wrong keys.
        ///
        /// After a pause, ten times as many requests are allowed at once. A notification counts only if it is refused:
        /// once, and once more for each 16 KiB.
        public var openRate: Double?
        /// Returns the reason why the vault's storage is not usable, such as a full disk; `nil` if the storage is usable.
        public var storageFault: @Sendable () -> String? = { nil }
        /// Returns the instant of the last change of the catalog's files; `nil` if it is not known.
        public var catalogChangedAt: @Sendable () -> Instant? = { nil }
        /// The signer of offers; `nil` if offers are not signed.
        public var offerSigner: OfferSigner?
        /// The sender of webhooks, which `CompanionServer` runs; `nil` for none.
        public var webhooks: WebhookSender?
        /// The client with which the service exchanges receipts for signed transactions, and with which the support desk
        /// fetches a customer's evidence and looks up orders; `nil` for none.
        public var appStore: AppStoreServerClient?
        /// The verifier of receipts; `nil` verifies no receipt.
        ///
        /// A receipt that is not verified is exchanged too, but assigns purchases only if the caller's key has the scope
        /// ``Scope/claim``.
        public var receiptVerifier: ReceiptVerifier?

        /// Makes a configuration of a service that only answers.
        public init() {}
    }

    let pool: StorePool
    let receiver: NotificationReceiver
    /// The access keys.
    package let keys: AccessKeys
    let bundleID: String
    package let configuration: Configuration
    let receiptVerifier: ReceiptVerifier
    let counts = RouteMetrics()
    let state = ServiceState()
    let limits: RateLimits
    /// The limits of log lines, which many addresses cannot make the service forget.
    let logLimits: RateLimits
    /// The memory for bodies of requests with an access key, in bytes.
    let bodies = BodyBudget(64 << 20)
    /// The memory for bodies of requests without an access key: clients without a key cannot take the memory of others,
    /// and one IP address cannot take the memory of Apple's notifications.
    let openBodies = BodyBudget(16 << 20)
    let clock: any StoreClock

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - pool: The pool of stores.
    ///   - receiver: The receiver of notifications, over the same pool.
    ///   - keys: The access keys.
    ///   - bundleID: The bundle id of the app, for claims.
    ///   - configuration: What the service offers in addition to answers.
    ///   - clock: The clock.
    public init(
        pool: StorePool, receiver: NotificationReceiver, keys: AccessKeys, bundleID: String,
        configuration: Configuration = Configuration(), clock: any StoreClock = WallClock()
    ) {
        self.pool = pool
        self.receiver = receiver
        self.keys = keys
        self.bundleID = bundleID
        var valid = configuration
        valid.openRate = configuration.openRate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        self.configuration = valid
        receiptVerifier = configuration.receiptVerifier ?? ReceiptVerifier(.init(roots: [], bundleID: bundleID))
        limits = RateLimits(clock: keys.clock)
        logLimits = RateLimits(clock: keys.clock)
        self.clock = clock
    }

    /// Returns a JSON response, which must not be cached because it may be about a customer.
    static func json(_ text: JSONText, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: jsonHead, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes())))
    }

    private static let jsonHead: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
}

/// The routes that export and erase a customer's data.
extension CompanionService {
    /// Responds with the output of `storekeeper vault export --customer ID`: lines of JSON that `vault import` can
    /// read.
    func export(_ request: CompanionRequest) async throws -> Response {
        let customer = try request.customer()
        try await checkKnown(customer)
        let lines = try await pool.vault.archive(of: customer).lines
        var buffer = ByteBuffer(string: ArchiveLine.header + "\n")
        for line in lines + [.end(lines: lines.count)] {
            buffer.writeBytes(line.json.bytes())
            buffer.writeString("\n")
        }
        return Response(
            status: .ok, headers: [.contentType: "application/jsonl", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// Deletes all data of a customer, except for a proof of the erasure.
    func erase(_ request: CompanionRequest) async throws -> Response {
        guard let reason = try request.parameter("reason"), !reason.isEmpty else {
            throw Problem.badRequest("'reason' is empty", "give a reason without names: it stays in the vault")
        }
        let erasure = try await eraseCustomer(try request.customer(), because: reason, request)
        return Self.json(
            .object([
                "at": .time(erasure.at), "facts": .whole(erasure.facts), "entries": .whole(erasure.entries),
                "proof": .string(erasure.proof),
            ]))
    }

    /// Deletes all data of a customer, or throws a ``Problem`` if the vault has no data about the customer.
    func eraseCustomer(
        _ customer: CustomerID, because reason: String, _ request: CompanionRequest
    ) async throws -> Erasure {
        try CompanionRequest.check(reason, "reason")
        try await checkKnown(customer)
        let erasure = try await written {
            try await pool.vault.erase(customer, reason: reason, at: request.now)
        }
        // The customer's store in memory still contains the erased data, so its data is read from the vault again.
        _ = try await pool.withStore(customer) { try await $0.refresh() }
        return erasure
    }

    /// Throws a ``Problem`` if the vault has no data about the customer, so that a mistyped id is noticed.
    private func checkKnown(_ customer: CustomerID) async throws {
        guard try await pool.vault.containsCustomer(customer) else { throw Problem.unknownCustomer }
    }
}

/// The routes for leases: signed answers that other processes can verify without a request.
extension CompanionService {
    /// Responds with a signed lease of the customer's features.
    func lease(_ request: CompanionRequest) async throws -> Response {
        let keys = try leaseKeys()
        let snapshot = try await pool.snapshot(of: try request.customer())
        let lease = EntitlementLease(of: snapshot, issuer: bundleID, life: keys.life, at: request.now)
        return Self.json(
            .object([
                "lease": .string(try await keys.sign(lease)), "endsAt": .time(Instant(clamped: lease.exp * 1000)),
                "features": .array(lease.features.map(JSONText.string)),
                "verified": .bool(snapshot.resolution.isVerified),
            ]))
    }

    /// Responds with the public keys with which leases are verified.
    func publishedKeys() throws(Problem) -> Response {
        var response = Self.json(try leaseKeys().published)
        // Clients may cache the keys, because keys change rarely and a new key is published before it signs.
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    private func leaseKeys() throws(Problem) -> LeaseKeys {
        guard let leases = configuration.leases else {
            throw Problem(.noLeases, "start the service with a lease key")
        }
        return leases
    }
}

/// The route for the catalog.
extension CompanionService {
    /// Responds with the document of `storekeeper products --format json` with `--localizations` or `--locale`.
    ///
    /// Responds with 304 if the client already has this document.
    func products(_ request: CompanionRequest) async throws -> Response {
        var texts = Catalog.Texts.all
        if let text = try request.parameter("locale") {
            guard let locale = LocaleID(checking: text) else {
                throw Problem.badRequest("'locale' is not a language", "write it like de or de_CH")
            }
            texts = .localized(locale)
        }
        let bytes = await pool.catalog.json(texts).bytes()
        let tag = "\"" + Base64URL.encode(Array(SHA256.hash(data: bytes).prefix(16))) + "\""
        var headers: HTTPFields = [
            // The response requires a key, so only the client itself may cache it, and must revalidate it before each
            // use.
            .contentType: "application/json", .cacheControl: "private, no-cache", .eTag: tag,
        ]
        let changed = configuration.catalogChangedAt()
        headers[.lastModified] = changed.map(HTTPDate.text)
        if isKnown(tag, changed, in: request.http.headers) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns whether the headers show that a client already has this version of a response.
    ///
    /// - SeeAlso: RFC 9110, section 13.2.2.
    private func isKnown(_ tag: String, _ changed: Instant?, in headers: HTTPFields) -> Bool {
        let tags = headers[values: .ifNoneMatch]
        if !tags.isEmpty {
            return tags.flatMap { $0.split(separator: ",") }.contains { part in
                let known = part.filter { $0 != " " }
                return known == "*" || known == tag || known == "W/" + tag
            }
        }
        guard let since = headers[.ifModifiedSince].flatMap(HTTPDate.instant), let changed else { return false }
        // The times are compared for equality, because a catalog that is older than the client's copy must be sent as
        // well, for example after a rollback.
        return changed.millisecondsSince1970 / 1000 == since.millisecondsSince1970 / 1000
    }
}

extension CompanionService {
    /// Adds all routes to a router, and error responses for unsupported methods.
    ///
    /// The logger of the router's context receives a line at level `info` for each request, and a line for each
    /// internal failure. The lines name neither keys nor customers.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        add(CompanionRoute.all, to: router)
    }

    /// Adds routes to a router, and error responses for unsupported methods.
    func add<Context: RequestContext>(_ routes: [CompanionRoute], to router: some RouterMethods<Context>) {
        var supported: [String: [HTTPRequest.Method]] = [:]
        for route in routes {
            let responder = RouteResponder(service: self, route: route)
            for method in route.methods {
                supported[route.path, default: []].append(method)
                router.on(RouterPath(route.path), method: method) { request, context in
                    await responder.respond(to: request, context)
                }
            }
        }
        for (path, supported) in supported {
            let wrongMethod = Problem.wrongMethod(supported.map(\.rawValue).sorted())
            for method in HTTPRequest.Method.standard where !supported.contains(method) {
                router.on(RouterPath(path), method: method) { request, context in
                    (request.hasTidyPath ? wrongMethod : .notFound).response
                        .completed(for: request, id: request.id(in: context.logger))
                }
            }
        }
    }
}
