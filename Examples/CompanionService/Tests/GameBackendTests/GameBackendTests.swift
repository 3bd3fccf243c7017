import Foundation
import GameBackend
import Hummingbird
import HummingbirdTesting
import Storekeeper
import StorekeeperCompanion
import StorekeeperJWS
import Testing

@Suite struct GameBackendTests {
    private static let files = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Configuration")

    private static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: files.appending(path: name)))
    }

    @Test("The game's route uses evidence that a player submits to the store") func lobby() async throws {
        let made = try AccessKey.make(name: "app", scope: .spend)
        let files = try ["Store.storekit", "Products.json"].map { CatalogFile(name: $0, bytes: try Self.bytes($0)) }
        let backend = try GameBackend(
            bundleID: "com.example.lanternvale", root: try TrustedRoot(derOrPEM: Self.bytes("evidence/root.pem")),
            catalog: try Catalog(reading: files), vault: InMemoryVault(), keys: [made.key])
        let file = String(decoding: try Self.bytes("evidence/season-pass-and-remove-ads.jsonl"), as: UTF8.self)
        // One jwsRepresentation of StoreKit per line.
        let evidence = file.matches(of: /eyJ[\w-]+\.[\w-]+\.[\w-]+/).map { String($0.0) }.joined(separator: "\n")
        try await Application(router: backend.router()).test(.router) { client in
            let before = try await client.execute(uri: "/lobby/anna", method: .get)
            #expect(String(buffer: before.body) == "a lobby with advertisements")
            let path = "/store/v1/customers/anna"
            let stranger = try await client.execute(uri: path + "/features/ad-free", method: .get)
            #expect(stranger.status == .unauthorized)
            let fields: HTTPFields = [.authorization: "Bearer \(made.text)", .contentType: "text/plain"]
            let shown = try await client.execute(
                uri: path + "/transactions", method: .post, headers: fields, body: ByteBuffer(string: evidence))
            #expect(shown.status == .ok, "\(String(buffer: shown.body))")
            let answer = try await client.execute(uri: path + "/features/ad-free", method: .get, headers: fields)
            #expect(String(buffer: answer.body).contains(#""answer":"entitled""#))
            let after = try await client.execute(uri: "/lobby/anna", method: .get)
            #expect(String(buffer: after.body) == "a quiet lobby")
        }
    }
}
