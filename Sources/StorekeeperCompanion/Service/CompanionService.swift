import HTTPTypes
import Hummingbird
import NIOCore
public import Storekeeper
public import StorekeeperAppStore
public import StorekeeperJWS

/// The service that a team runs next to its own server.
///
/// The service receives Apple's notifications, writes them to the vault, and answers over HTTP which purchases and
/// features customers own.
///
/// The routes of the service can be added to any Hummingbird router; the embedding program must also run the pool.
public struct CompanionService: Sendable {
    let pool: StorePool
    let receiver: NotificationReceiver
    /// The access keys.
    package let keys: AccessKeys
    let bundleID: String
    let environments: [AppStore.Environment]
    /// The signing keys of leases, if leases are enabled.
    package let leases: LeaseKeys?
    let metrics: PrometheusMetrics?
    /// Whether the support desk is served at `/desk` to callers with a desk or admin key.
    package let hasDesk: Bool
    /// The number of requests per second that one IP address may send to routes without a key; `nil` for no limit.
    let openRate: Double?
    /// Returns the reason why the vault's storage is not usable; `nil` if the storage is usable.
    let storageFault: @Sendable () -> String?
    /// Returns the instant of the last change of the catalog's files; `nil` if it is not known.
    let catalogChangedAt: @Sendable () -> Instant?
    /// The signer of offers; `nil` if offers are not signed.
    let offerSigner: OfferSigner?
    /// The sender of webhooks, if the service has webhooks.
    let webhookSender: WebhookSender?
    /// The client of the App Store Server API, with which the service fetches evidence from Apple; `nil` for none.
    let appStore: AppStoreServerClient?
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
    ///   - environments: The accepted environments; the first is used for a claim that names no environment.
    ///   - leases: The signing keys of leases; `nil` if the service does not issue leases.
    ///   - metrics: The metrics of this process; `nil` if the service does not serve metrics.
    ///   - hasDesk: Whether the support desk is served at `/desk` to callers with a desk or admin key.
    ///   - openRate: The number of requests per second that one IP address may send to routes without a key; `nil` for
    ///     no limit, also of wrong keys. After a pause, ten times as many requests are allowed at once. A notification
    ///     counts only if it is refused: once, and once more for each 16 KiB.
    ///   - storageFault: Returns the reason why the vault's storage is not usable, such as a full disk; `nil` if the
    ///     storage is usable.
    ///   - catalogChangedAt: Returns the instant of the last change of the catalog's files; `nil` if it is not known.
    ///   - offerSigner: The signer of offers; `nil` if offers are not signed.
    ///   - webhooks: The sender of webhooks, which `CompanionServer` runs; `nil` for none.
    ///   - appStore: The client with which the service exchanges receipts for signed transactions, and with which the
    ///     support desk fetches a customer's evidence and looks up orders; `nil` for none.
    ///   - receiptVerifier: The verifier of receipts. A receipt that it does not verify is exchanged too, but assigns
    ///     purchases only if the caller's key has the scope ``Scope/claim``. `nil` verifies no receipt.
    ///   - clock: The clock.
    public init(
        pool: StorePool, receiver: NotificationReceiver, keys: AccessKeys, bundleID: String,
        environments: [AppStore.Environment] = [.production], leases: LeaseKeys? = nil,
        metrics: PrometheusMetrics? = nil, hasDesk: Bool = false, openRate: Double? = nil,
        storageFault: @escaping @Sendable () -> String? = { nil },
        catalogChangedAt: @escaping @Sendable () -> Instant? = { nil },
        offerSigner: OfferSigner? = nil, webhooks: WebhookSender? = nil,
        appStore: AppStoreServerClient? = nil, receiptVerifier: ReceiptVerifier? = nil,
        clock: any StoreClock = WallClock()
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
        self.catalogChangedAt = catalogChangedAt
        self.offerSigner = offerSigner
        webhookSender = webhooks
        self.appStore = appStore
        self.receiptVerifier = receiptVerifier ?? ReceiptVerifier(.init(roots: [], bundleID: bundleID))
        limits = RateLimits(clock: keys.clock)
        logLimits = RateLimits(clock: keys.clock)
        self.clock = clock
    }

    /// Returns a JSON response, which must not be cached because it may be about a customer.
    static func json(_ text: JSONText, cacheControl: String = "no-store") -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: cacheControl],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes())))
    }
}
