import Foundation
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
    /// - people: The customers with an account.
    /// - webhook: The receiver of notifications.
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

    /// A bearer token, made as clients do.
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
        Answer(
            await local.respond(
                to: APIRequest(
                    method, path.split(separator: "/").map(String.init), query: query,
                    authorization: "Bearer \(token)", body: Array(body.utf8))))
    }

    /// Carries out a step of a scenario.
    @discardableResult
    func step(_ text: String) async throws -> Transaction.ID? {
        try await local.carryOut(try scenario.step(typed: text, people: store.accounts))?.transactionID
    }

    struct Answer: Sendable {
        let status: Int
        let headers: [(name: String, value: String)]
        let document: JSONValue?

        init(_ response: APIResponse) {
            status = response.status
            headers = response.headers
            document = try? JSONReader().read(response.body).root
        }

        var code: Int64? { document?.object?["errorCode"]?.int64 }

        /// The payload of a signed member, decoded.
        func signed(_ name: String) -> JSONValue? { document?.object?[name]?.string.flatMap(Self.payload) }

        /// The transactions of a list, decoded.
        func transactions(_ name: String = "signedTransactions") -> [JSONValue] {
            document?.object?[name]?.array.map { $0.compactMap { $0.string.flatMap(Self.payload) } } ?? []
        }

        static func payload(_ jws: String) -> JSONValue? {
            guard let content = CompactJWS(jws)?.payloadContent else { return nil }
            return try? JSONReader().read(content).root
        }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? { object?[name] }
}
