import Crypto
import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperSimulator
import Testing

struct NotificationEndpoint {
    let transport: AsyncHTTPTransport
    let pool: StorePool
    let receiver: NotificationReceiver

    init(
        bundleID: String, root certificate: [UInt8], catalog: Catalog, vault path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let verifier = JWSVerifier(.init(roots: [try TrustedRoot(derOrPEM: certificate)], bundleID: bundleID))
        let vault = try SQLiteVault(path: path)
        transport = try AsyncHTTPTransport()
        let client = AppStoreServerClient(
            AppStoreServerConfiguration(bundleID: bundleID), key: try AppStoreKey(environment: environment),
            verifier: verifier, transport: transport)
        let backend = AppStoreBackend(client, anchors: VaultAnchors(vault, bundleID: bundleID))
        pool = StorePool(
            configuration: .init(store: StoreConfiguration(catalog: catalog)), vault: vault, verifier: verifier,
            backend: backend)
        receiver = NotificationReceiver(verifier: verifier, pool: pool)
    }

    /// Answers POST /apple/notifications with a status.
    func take(_ body: [UInt8]) async -> Int { await receiver.receive(body).status }
}

@Suite("The article 'From a key to a check'") struct FromAKeyToACheckTests {
    private static let catalog = """
        {"identifier":"A1B2C3D4","products":[],"version":{"major":4,"minor":0},
         "subscriptionGroups":[{"id":"00AA11BB","name":"Gold","subscriptions":[
           {"productID":"gold.monthly","type":"RecurringSubscription","groupNumber":1,
            "recurringSubscriptionPeriod":"P1M","displayPrice":"9.99"}]}]}
        """

    @Test("The receiver of the article accepts notifications and refuses forged ones") func accepts() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "article-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scenario = try Scenario(
            reading:
                "{story: A purchase, people: [anna], catalog: Store.storekit, environment: Production, steps: [{buy: gold.monthly, by: anna}]}",
            file: "article.yaml"
        ) { _ in CatalogFile(name: "Store.storekit", bytes: Array(Self.catalog.utf8)) }
        var runner = try await ScenarioRunner(scenario)
        _ = try await runner.run()
        let store = runner.store
        let path = folder.appending(path: "customers.sqlite").path
        let desk = try NotificationEndpoint(
            bundleID: try #require(scenario.apps.first?.bundleID), root: store.root.der, catalog: try store.catalog(),
            vault: path,
            environment: [
                "APP_STORE_KEY_ID": Fixture.keyID, "APP_STORE_ISSUER_ID": Fixture.issuerID,
                "APP_STORE_PRIVATE_KEY": P256.Signing.PrivateKey().pemRepresentation,
            ])
        let payloads = try store.notifications()
        #expect(payloads.count == 1)
        for payload in payloads {
            #expect(await desk.take(Array(#"{"signedPayload":"\#(payload)"}"#.utf8)) == 200)
            #expect(await desk.take(Array(#"{"signedPayload":"\#(payload.dropLast(4))AAAA"}"#.utf8)) == 400)
        }
        // The purchase has no owner yet: its transaction, its renewal info, and the notification with its status wait.
        let vault = try SQLiteVault(path: path)
        #expect(try await vault.parked(after: FeedPlace(0), limit: 10).rows.count == 3)
        try await desk.transport.close()
    }
}
