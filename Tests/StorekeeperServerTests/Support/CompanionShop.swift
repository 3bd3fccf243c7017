import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

extension CompanionRoute {
    /// The path, with names that the tests use in place of its parameters.
    var samplePath: String {
        let names = [
            "customer": "anna", "feature": "pro", "balance": "coins", "offer": "loyal", "webhook": "billing",
            "key": "a",
        ]
        return names.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

/// A companion service with a vault in memory, and a local App Store.
///
/// The service trusts the signatures of this App Store.
struct CompanionShop: Sendable {
    /// The authority of the App Store's signatures.
    let authority: LocalAuthority
    let served: ServedStore
    let vault = InMemoryVault(accountTokens: .opaque)
    let pool: StorePool
    let service: CompanionService
    /// The API keys, by scope.
    let bearers: [Scope: String]
    /// The faults that a test causes in the vault.
    let faults = VaultFaults()
    let log = LogRecorder()

    /// Makes a service and its local App Store.
    ///
    /// - Parameter slowness: The milliseconds by which the service's clock is behind the App Store's clock.
    init(
        keys more: [AccessKey] = [], leases: LeaseKeys? = nil, hasDesk: Bool = false, openRate: Double? = nil,
        slowBy slowness: Int64 = 0, catalogChangedAt: Instant? = nil, offerKey: AppStoreKey? = nil,
        appStore: ((JWSVerifier) throws -> AppStoreServerClient)? = nil, metrics: PrometheusMetrics? = nil,
        storageFault: @escaping @Sendable () -> String? = { nil },
        believes: (inout JWSVerifier.Configuration) -> Void = { _ in }
    ) async throws {
        authority = try LocalAuthority(name: "Companion")
        served = try await ServedStore(authority: authority)
        let clock = SlowClock(clock: served.store.clock, slowness: slowness)
        var belief = JWSVerifier.Configuration(
            roots: [authority.root], bundleID: ServedStore.bundleID, environments: [.sandbox])
        believes(&belief)
        let verifier = JWSVerifier(belief)
        pool = StorePool(
            configuration: .init(
                store: StoreConfiguration(catalog: try served.store.catalog(), policy: served.scenario.policy),
                readsHistories: false),
            vault: FaultyVault(vault, faults: faults), verifier: verifier, clock: clock)
        var bearers: [Scope: String] = [:]
        var keys = more
        for scope in Scope.allCases {
            let made = try AccessKey.make(name: "the-\(scope.rawValue)", scope: scope)
            bearers[scope] = made.text
            keys.append(made.key)
        }
        self.bearers = bearers
        var configuration = CompanionService.Configuration()
        configuration.environments = [.sandbox]
        configuration.leases = leases
        configuration.metrics = metrics
        configuration.hasDesk = hasDesk
        configuration.openRate = openRate
        configuration.storageFault = storageFault
        configuration.catalogChangedAt = { catalogChangedAt }
        configuration.offerSigner = offerKey.map { OfferSigner(key: $0, bundleID: ServedStore.bundleID, clock: clock) }
        configuration.appStore = try appStore?(verifier)
        configuration.receiptVerifier = ReceiptVerifier(belief)
        service = CompanionService(
            pool: pool, receiver: NotificationReceiver(verifier: verifier, pool: pool),
            keys: try AccessKeys(keys, clock: served.wall), bundleID: ServedStore.bundleID,
            configuration: configuration, clock: clock)
    }

    /// Posts the App Store's newest notification to the service.
    func post() async throws -> Answer {
        let payload = try #require(try served.store.notifications().last)
        return try await ask(
            "POST", "/apple/notifications", as: nil, body: JSONText.object(["signedPayload": .string(payload)]).text())
    }

    /// A clock that is behind another clock.
    private struct SlowClock: StoreClock {
        let clock: any StoreClock
        let slowness: Int64

        var now: Instant { clock.now.adding(milliseconds: -slowness) }

        func sleep(until instant: Instant) async throws {
            try await clock.sleep(until: instant.adding(milliseconds: slowness))
        }
    }

    struct Answer {
        let status: Int
        let fields: HTTPFields
        let text: String
        var document: JSONObject? { try? JSONReader().read(Array(text.utf8)).root.object }
        /// The last part of the type in a problem document.
        var problem: String? {
            document?["type"]?.string.map { String($0.split(separator: ":").last ?? "") }
        }
    }

    /// Sends a request to the service in this process.
    func ask(
        _ method: String = "GET", _ path: String, as scope: Scope? = .admin, body: String? = nil,
        type: String? = "application/json", fields more: [String: String] = [:]
    ) async throws -> Answer {
        let router = Router()
        router.add(middleware: ProblemMiddleware())
        service.addRoutes(to: router)
        var fields = HTTPFields()
        if let bearer = scope.flatMap({ bearers[$0] }) { fields[.authorization] = "Bearer \(bearer)" }
        if body != nil { fields[.contentType] = type }
        for (name, value) in more { fields[try #require(HTTPField.Name(name))] = value }
        let (headers, verb) = (fields, try #require(HTTPRequest.Method(method)))
        return try await Application(router: router, logger: log.logger).test(.router) { client in
            try await client.execute(
                uri: path, method: verb, headers: headers,
                body: body.map(ByteBuffer.init(string:))
            ) { response in
                Answer(
                    status: response.status.code, fields: response.headers, text: String(buffer: response.body))
            }
        }
    }

    /// Serves on a local port while a body runs.
    func serving(
        _ configuration: CompanionServer.Configuration = .init(),
        _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let server = CompanionServer(service, configuration, logger: log.logger) { running.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            for await port in ports {
                try await work(port)
                break
            }
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    /// Sends all evidence of a customer to the service, as their app would.
    func ingest(_ customer: CustomerID) async throws {
        let texts = try served.store.evidence(of: customer)
        _ = try await pool.withStore(customer) { try await $0.ingest(texts) }
    }

    func step(_ text: String) async throws {
        _ = try await served.local.carryOut(try served.scenario.step(typed: text, people: served.store.accounts))
    }
}
