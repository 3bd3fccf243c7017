import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The desk behind a proxy", .system) struct ProxiedDeskTests {
    @Test(
        "Forms of the desk are accepted through the shipped configuration of nginx, and those of other sites refused",
        .enabled(if: Proxy.program != nil, "nginx is not installed"))
    func form() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "desk: true"])
        let node = try ServedProcess(serving: ["--port", "0"], in: folder.folder)
        defer { _ = node.end(SIGTERM) }
        let proxy = try await Proxy(before: [node.url, node.url, node.url], in: folder.folder)
        defer { proxy.stop() }
        for (origin, expected) in [(proxy.url, HTTPResponseStatus.ok), ("https://example.com", .forbidden)] {
            var request = HTTPClientRequest(url: proxy.url + "/desk/fetches")
            request.method = .POST
            request.setBasicAuth(username: "key", password: folder.key)
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.headers.add(name: "origin", value: origin)
            request.body = .bytes(ByteBuffer(string: "customer=\(folder.customers[0])"))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
            #expect(response.status == expected, "\(origin): \(text.prefix(500))")
        }
    }

    @Test(
        "An address has a limit of requests to open paths with any key, and of those without a key to all paths",
        .enabled(if: Proxy.program != nil, "nginx is not installed"))
    func limits() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0", "openRate: 0"])
        let node = try ServedProcess(serving: ["--port", "0"], in: folder.folder)
        let proxy = try await Proxy(before: [node.url, node.url, node.url], in: folder.folder, burst: 5)
        defer { proxy.stop() }
        func statuses(_ path: String, key: String?) async throws -> Set<UInt> {
            var statuses: Set<UInt> = []
            for _ in 0..<30 {
                var request = HTTPClientRequest(url: proxy.url + path)
                if let key { request.headers.add(name: "authorization", value: "Bearer \(key)") }
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                _ = try await response.body.collect(upTo: 1 << 20)
                statuses.insert(response.status.code)
            }
            return statuses
        }
        let balances = "/v1/customers/\(folder.customers[0])/balances"
        for path in ["/openapi.yaml", "/desk/style.css", "/health/live"] {
            #expect(try await statuses(path, key: "any").contains(429), "\(path)")
        }
        #expect(try await statuses(balances, key: nil).contains(429))
        #expect(try await statuses(balances, key: folder.key) == [200])
        #expect(node.end(SIGTERM) == 0)
    }

    @Test(
        "Requests reach ready nodes only, each once, and failures of the proxy are problem documents",
        .enabled(if: Proxy.program != nil, "nginx is not installed"))
    func nodes() async throws {
        let folder = try await CompanionFolder(serve: ["port: 0"])
        let nodes = try (0..<2).map { _ in try ServedProcess(serving: ["--port", "0"], in: folder.folder) }
        let gone = try Guide.freePorts(1)[0]
        let proxy = try await Proxy(before: nodes.map(\.url) + ["http://127.0.0.1:\(gone)"], in: folder.folder)
        defer { proxy.stop() }
        let path = "/v1/customers/\(folder.customers[0])/balances/coins"
        func grant(_ key: String, body: String = #"{"quantity":1,"reason":"r"}"#) async throws -> (
            status: Int, document: JSONValue?, text: String
        ) {
            try #require(try await folder.ask(.POST, proxy.url + path + "/grant", body: body, idempotencyKey: key))
        }
        for number in 1...9 {
            // The third node is not there. A request that it has not received goes to another node.
            if number == 5 { #expect(nodes[0].end(SIGTERM) == 0) }
            let answer = try await grant("key-\(number)")
            #expect(answer.status == 200, "\(number): \(answer.text)")
        }
        let balance = try #require(try await folder.ask(.GET, proxy.url + path))
        #expect(balance.document?.object?["balance"]?.int64 == 9, "\(balance.text)")
        let large = try await grant("large", body: String(repeating: " ", count: 1 << 21))
        #expect(large.status == 413 && large.text.contains("tag:storekeeper,2026:tooLarge"), "\(large.text)")
        #expect(nodes[1].end(SIGTERM) == 0)
        let none = try await grant("none")
        #expect(none.status == 503 && none.text.contains("tag:storekeeper,2026:unavailable"), "\(none.text)")
    }
}
