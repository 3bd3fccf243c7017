import Crypto
import Foundation
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Runs the same store code with three backends: the simulator in this process, the local App Store over HTTP, and
/// replayed evidence.
@Suite(.system) struct ThreeBackendsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/scenarios")

    static let scenarios: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.sorted()

    /// The anchors of a simulated store's customers.
    private struct SimulatedAnchors: CustomerAnchors {
        let store: SimulatedAppStore
        let app: String
        let environment: AppStore.Environment

        func anchors(of customer: CustomerID) async throws -> [CustomerAnchor] {
            let bought = store.transactions.first {
                $0.person == customer && $0.app == app && $0.originalID != nil
            }
            return bought.map { [CustomerAnchor(environment: environment, id: $0.id.rawValue)] } ?? []
        }
    }

    @Test("A story gives the same answers with each backend", arguments: scenarios)
    func sameAnswers(_ file: String) async throws {
        let scenario = try Scenario(contentsOfFile: Self.folder.appending(path: file).path)
        var runner = try await ScenarioRunner(scenario)
        _ = try await runner.run()
        let store = runner.store
        // Simulated errors occur with each backend, but not in the same way, so they are switched off.
        try store.perform(.resetSettings)
        for app in scenario.apps {
            for api in SimulatedAPI.allCases {
                try store.perform(.setSetting(.simulatedError(nil, api: api)), app: app.bundleID)
            }
        }
        let local = await LocalAppStore(store: store, scenario: scenario)
        try await local.serving { url in
            for app in scenario.apps {
                try await Self.compare(store, scenario, app, url)
            }
        }
    }

    private static func compare(
        _ store: SimulatedAppStore, _ scenario: Scenario, _ app: SimulatedApp, _ url: String
    ) async throws {
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [store.root], bundleID: app.bundleID, environments: Set(scenario.policy.environments.keys)))
        let host = try AppStoreServerHost(baseURL: url, environment: scenario.environment)
        let transport = try AsyncHTTPTransport()
        // The answers are compared one second later, because each request is signed at its own instant.
        let instant = store.now.adding(milliseconds: 1000)
        let client = AppStoreServerClient(
            AppStoreServerConfiguration(bundleID: app.bundleID, lookup: .only(host)),
            key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer", privateKey: P256.Signing.PrivateKey()),
            verifier: verifier,
            transport: transport)
        let remote = AppStoreBackend(
            client,
            anchors: SimulatedAnchors(store: store, app: app.bundleID, environment: scenario.environment))
        for customer in store.accounts {
            let evidence = try store.evidence(of: customer, app: app.bundleID)
            let backends: [(String, any StoreBackend)] = [
                ("in process", try store.backend(for: app.bundleID)), ("over HTTP", remote),
                ("played back", ReplayBackend(evidence: [customer: evidence])),
            ]
            var documents: [(String, String)] = []
            for (name, backend) in backends {
                let own = try await Store.open(
                    customer: customer,
                    configuration: StoreConfiguration(catalog: app.catalog, policy: scenario.policy),
                    vault: InMemoryVault(), verifier: verifier, backend: backend, clock: store.clock)
                _ = try await own.sync()
                documents.append((name, own.snapshot.answers(at: instant).json.text(.pretty)))
            }
            // The answers must name a product that was bought. Without this check, the test would also pass if all
            // three answers were empty.
            if let first = evidence.first.flatMap(ServedStore.Answer.payload), first["type"]?.string != "Consumable",
                let bought = first["productId"]?.string
            {
                #expect(documents[0].1.contains("\"\(bought)\""), "\(scenario.story): \(customer)")
            }
            for (name, document) in documents.dropFirst() {
                #expect(document == documents[0].1, "\(scenario.story): \(customer), \(name)")
            }
        }
        try await transport.close()
    }
}
