import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

/// A folder with everything that the companion service needs: its configuration, a key, a catalog, and the root of a
/// simulated App Store.
///
/// The ids of the customers are their account tokens.
struct CompanionFolder {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    let folder: Folder
    let store: SimulatedAppStore
    let customers: [String]
    /// An admin key.
    let key: String

    init(customers count: Int = 1, serve: [String] = ["port: 0"], isReady: Bool = true) async throws {
        folder = try Folder()
        customers = (0..<count).map { _ in UUID().uuidString.lowercased() }
        let catalogs = Self.repository.appending(path: "Configuration")
        let scenario = try Scenario(
            reading: """
                story: A shop
                app: com.example.game
                catalog: [Store.storekit, Products.json]
                people: [\(customers.map { "\"\($0)\"" }.joined(separator: ", "))]
                steps: []
                """, file: "shop.yaml"
        ) { name in CatalogFile(name: name, bytes: Array(try Data(contentsOf: catalogs.appending(path: name)))) }
        store = try await ScenarioRunner(scenario).store
        try folder.write(store.root.pem, to: "root.pem")
        try folder.write(
            """
            bundleID: com.example.game
            environments: Sandbox
            root: root.pem
            catalogs: [\(catalogs.path)/Store.storekit, \(catalogs.path)/Products.json]
            vault: customers.sqlite
            serve:
              \(serve.joined(separator: "\n  "))

            """, to: "storekeeper.yaml")
        key = try isReady ? Self.makeKey(in: folder) : ""
        if isReady { try makeVault() }
    }

    private static func makeKey(in folder: Folder) throws -> String {
        let made = try Program.run(["serve", "--new-key", "all", "--scope", "admin"], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        return try #require(made.outputLines.first)
    }

    /// Makes a vault.
    func makeVault(_ options: [String] = []) throws {
        let made = try Program.run(["vault", "init"] + options, in: folder)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Sends a request to a service; `nil` if it could not be reached.
    func ask(
        _ method: HTTPMethod, _ url: String, body: String? = nil, key given: String? = nil,
        idempotencyKey: String? = nil
    ) async throws -> (status: Int, document: JSONValue?, text: String)? {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "authorization", value: "Bearer \(given ?? key)")
        if let idempotencyKey { request.headers.add(name: "idempotency-key", value: idempotencyKey) }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response: HTTPClientResponse
        let bytes: ByteBuffer
        do {
            response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            bytes = try await response.body.collect(upTo: 16 << 20)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
        let text = String(buffer: bytes)
        return (Int(response.status.code), try? JSONReader().read(Array(text.utf8)).root, text)
    }

    /// Makes a purchase, and returns its notification.
    ///
    /// - Parameter isNamed: Whether the purchase has an account token.
    func notification(
        of product: Product.ID = "coins.100", by customer: String, isNamed: Bool = true
    ) throws -> (transactionID: String, body: String) {
        let before = store.happeningCount
        let request = PurchaseRequest(appAccountToken: isNamed ? UUID(uuidString: customer) : nil)
        let outcome = try store.perform(.buy(product, by: CustomerID(rawValue: customer), options: request))
        guard case .purchased(let id) = outcome else { throw ShopError() }
        let payload = try store.happenings(after: before).lazy.compactMap { try store.notification(of: $0.id) }.first
        return (id.rawValue, JSONText.object(["signedPayload": .string(try #require(payload))]).text())
    }

    private struct ShopError: Error {}
}
