import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of streams of events whose key ceases to be valid.
@Suite(.system, .timeLimit(.minutes(2))) struct EventStreamKeyTests {
    /// The reason why a key is not valid any more.
    enum End: Sendable, CaseIterable { case expiry, removal, lostScope }

    @Test("A stream ends before the first event after the end of its key", arguments: End.allCases)
    func ends(end: End) async throws {
        let expiry = Instant(clamped: 1_800_000_001_000)
        let made = try AccessKey.make(name: "listener", scope: .admin, expiresAt: expiry)
        let other = try AccessKey.make(name: "other", scope: .admin).key
        let shop = try await CompanionShop(keys: [made.key])
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.serving { port in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/events")
            request.headers.add(name: "authorization", value: "Bearer \(made.text)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            #expect(response.status == .ok)
            var parts = response.body.makeAsyncIterator()
            var text = ""
            while !text.utf8.contains("anna".utf8), let part = try await parts.next() { text += String(buffer: part) }
            #expect(text.utf8.contains("anna".utf8), "\(text)")
            switch end {
            case .expiry: shop.served.wall.set(expiry)
            case .removal: try shop.service.keys.replace(with: [other])
            case .lostScope:
                try shop.service.keys.replace(with: [
                    AccessKey(name: "listener", scope: "spend", sha256: made.key.sha256)
                ])
            }
            try await shop.step("buy gold.monthly by bert")
            try await shop.ingest("bert")
            var rest = ""
            while !rest.utf8.contains("bert".utf8), let part = try await parts.next() { rest += String(buffer: part) }
            #expect(
                rest.hasSuffix(": the key is not valid any more\n\n") && !rest.utf8.contains("bert".utf8), "\(rest)")
            let again = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            #expect(again.status == (end == .lostScope ? .forbidden : .unauthorized))
        }
    }
}
