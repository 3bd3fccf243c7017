import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
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
}
