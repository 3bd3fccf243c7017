import Foundation
import HTTPTypes
import JWTKit
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// A local App Store with a few products, and the credentials of its clients.
struct ServedStore: Sendable {
    static let bundleID = "com.example.game"

    let local: LocalAppStore
    let scenario: Scenario
    let wall: VirtualClock
    let token: String

    var store: SimulatedAppStore { local.store }

    /// Makes a local App Store.
    ///
    /// - Parameters:
    ///   - people: The customers with an account.
    ///   - webhook: The receiver of notifications.
    init(
        people: [CustomerID] = ["anna", "bert"], environment: AppStore.Environment = .sandbox,
        webhook: (any Webhook)? = nil, authority: LocalAuthority? = nil,
        _ change: (inout LocalAppStore.Configuration) throws -> Void = { _ in }
    ) async throws {
        scenario = try Scenario(
            reading: """
                story: A shop for tests
                app: \(Self.bundleID)
                catalog: [Store.storekit, Products.json]
                environment: \(environment.rawValue)
                people: [\(people.map(\.rawValue).joined(separator: ", "))]
                steps: []
                """, file: "shop.yaml"
        ) { name in
            CatalogFile(name: name, bytes: Array(try Data(contentsOf: Self.catalogs.appending(path: name))))
        }
        wall = VirtualClock(Instant(clamped: 1_800_000_000_000))
        var configuration = LocalAppStore.Configuration()
        configuration.wallClock = wall
        try change(&configuration)
        let runner = try await ScenarioRunner(scenario, authority: authority)
        local = await LocalAppStore(
            store: runner.store, scenario: scenario, webhook: webhook, configuration: configuration)
        token = try await Self.token(at: wall.now)
    }

    private static let catalogs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Configuration")

    /// Returns a bearer token, as clients make it.
    static func token(
        at now: Instant, for bundleID: String = Self.bundleID, key: ES256PrivateKey = ES256PrivateKey(),
        kid: String = "KEY1"
    ) async throws -> String {
        let seconds = Double(now.millisecondsSince1970) / 1000
        return try await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: kid)).sign(
            Claims(iss: "issuer", aud: "appstoreconnect-v1", bid: bundleID, exp: seconds + 300, iat: seconds),
            kid: JWKIdentifier(string: kid))
    }

    private struct Claims: JWTPayload {
        let iss: String
        let aud: String
        let bid: String
        let exp: Double
        let iat: Double

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// Sends a request to the App Store Server API.
    func ask(
        _ method: String = "GET", _ path: String, query: [(name: String, value: String)] = [], body: String = ""
    ) async -> Answer {
        let query = query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return await local.respond(
            HTTPRequest.Method(method) ?? .get, query.isEmpty ? path : "\(path)?\(query)",
            fields: [.authorization: "Bearer \(token)", .contentType: "application/json"], body: Array(body.utf8))
    }

    /// Carries out a step of a scenario.
    @discardableResult
    func step(_ text: String) async throws -> Transaction.ID? {
        try await local.carryOut(try scenario.step(typed: text, people: store.accounts))?.transactionID
    }

    typealias Answer = LocalResponse
}

extension JSONValue {
    subscript(name: String) -> JSONValue? { object?[name] }
}
