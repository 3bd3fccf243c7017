import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the companion service on a port, with clients that break the rules of HTTP.
@Suite("Abuse of the companion service", .system, .serialized) struct CompanionAbuseTests {
    /// Serves during the work, and expects that the service still answers after it.
    ///
    /// Only tests of silent clients shorten the idle time, because a client on a busy machine may need more than a
    /// short idle time to send a request.
    private static func serving(
        idleTime: Duration? = nil, _ work: @Sendable @escaping (CompanionShop, Int) async throws -> Void
    ) async throws {
        let shop = try await CompanionShop()
        var configuration = CompanionServer.Configuration()
        if let idleTime { configuration.idleTime = idleTime }
        try await shop.serving(configuration) { port in
            try await work(shop, port)
            let answer = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/ready"), timeout: .seconds(20))
            #expect(answer.status == .ok)
        }
    }

    private static func head(_ line: String, _ fields: [String] = []) -> String {
        ([line, "Host: localhost"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static func status(_ text: String) -> Int? {
        text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    }

    @Test("Heads beyond the limit are refused") func heads() async throws {
        try await Self.serving { _, port in
            let many = (0..<500).map { "X-\($0): 1" }
            let long = ["X-Long: " + String(repeating: "a", count: 40_000)]
            let path = "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1"
            for head in [Self.head("GET /health/live HTTP/1.1", many), Self.head("GET /health/live HTTP/1.1", long)] {
                let answer = try await RawConnection.send([head], to: port)
                #expect(answer.isClosed)
                #expect(Self.status(answer.text).map { (400..<500).contains($0) } ?? true, "\(answer.text.prefix(80))")
            }
            let answer = try await RawConnection.send([Self.head(path, ["Connection: close"])], to: port)
            #expect(answer.isClosed && (Self.status(answer.text).map { (400..<500).contains($0) } ?? true))
        }
    }

    @Test("Endless bodies are refused before they are read") func bodies() async throws {
        try await Self.serving(idleTime: .milliseconds(400)) { shop, port in
            let key = try #require(shop.bearers[.admin])
            let fields = ["Authorization: Bearer \(key)", "Content-Type: application/json"]
            let announced = try await RawConnection.send(
                [Self.head("POST /v1/checks HTTP/1.1", fields + ["Content-Length: 10000000000"]), "{"], to: port,
                limit: .seconds(5))
            #expect(Self.status(announced.text).map { [400, 408, 413].contains($0) } ?? announced.isClosed)
        }
        try await Self.serving { shop, port in
            let key = try #require(shop.bearers[.admin])
            let fields = ["Authorization: Bearer \(key)", "Content-Type: application/json"]
            let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"
            // Send with pauses, because a connection that is closed while more data arrives is reset, and may lose the
            // response.
            let chunked = try await RawConnection.send(
                [Self.head("POST /v1/checks HTTP/1.1", fields + ["Transfer-Encoding: chunked", "Connection: close"])]
                    + Array(repeating: chunk, count: 40), to: port, pause: .milliseconds(20), limit: .seconds(20))
            #expect(Self.status(chunked.text) == 413, "\(chunked.text.prefix(200))")
        }
    }

    @Test("Silent and slow clients are disconnected") func slow() async throws {
        try await Self.serving(idleTime: .milliseconds(400)) { _, port in
            let silent = try await RawConnection.send([], to: port)
            #expect(silent.isClosed && silent.text.isEmpty)
            let half = try await RawConnection.send(["GET /health/live HTTP/1.1\r\nHost: l"], to: port)
            #expect(half.isClosed && half.text.isEmpty)
        }
    }

    @Test(
        "Unknown and malformed paths are refused",
        arguments: [
            "/v1/customers/../../etc/passwd", "/v1/customers/%2e%2e/%2e%2e/features", "//v1//parked", "/%00",
            "/v1/customers/a%00b/features/pro", "/v1/customers/%ff%fe/features/pro", "/v1/customers//features/pro",
            "/v1/customers/a/features/pro/../..", "/..;/metrics", "*", "/?%", "/desk/../metrics",
        ])
    func paths(_ path: String) async throws {
        try await Self.serving { shop, port in
            let key = try #require(shop.bearers[.check])
            let fields = ["Authorization: Bearer \(key)", "Connection: close"]
            let answer = try await RawConnection.send([Self.head("GET \(path) HTTP/1.1", fields)], to: port)
            let status = try #require(Self.status(answer.text), "\(answer.text)")
            #expect((400..<500).contains(status), "\(path): \(answer.text)")
        }
    }
}
