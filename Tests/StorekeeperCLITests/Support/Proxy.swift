import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// A process of nginx in front of some nodes, with the configuration in `Deployment`.
final class Proxy {
    /// The program; `nil` if it is not installed.
    static let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let url: String
    private let process = Process()

    /// - Parameter burst: The number of requests without a key that an address may send at once.
    init(before nodes: [String], in folder: Folder, burst: Int = 1_000) async throws {
        let shipped = try String(
            contentsOf: CompanionFolder.repository.appending(path: "Deployment/nginx.conf"), encoding: .utf8)
        let place = folder.url.path
        let port = Int.random(in: 20_000...27_000)
        var text = shipped.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
        for (limit, told) in [("rate=100r/s", "rate=\(max(burst / 10, 1))r/s"), ("burst=1000", "burst=\(burst)")] {
            try #require(text.contains(limit))
            text = text.replacing(limit, with: told)
        }
        for (number, node) in nodes.enumerated() {
            let address = "127.0.0.1:\(8081 + number)"
            try #require(text.contains(address))
            text = text.replacing(address, with: node.replacing("http://", with: ""))
        }
        try folder.write(
            """
            pid \(place)/nginx.pid;
            error_log \(place)/nginx.errors;
            daemon off;
            events {}
            http {
                access_log off;
                client_body_temp_path \(place)/nginx-body;
                proxy_temp_path \(place)/nginx-proxy;
                fastcgi_temp_path \(place)/nginx-fastcgi;
                uwsgi_temp_path \(place)/nginx-uwsgi;
                scgi_temp_path \(place)/nginx-scgi;
                \(text)
            }
            """, to: "nginx.conf")
        url = "http://127.0.0.1:\(port)"
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = ["-p", place, "-c", folder.url.appending(path: "nginx.conf").path]
        try process.run()
        for _ in 0..<200 {
            let answer = try? await HTTPClient.shared.execute(
                HTTPClientRequest(url: url + "/health/live"), timeout: .seconds(5))
            if answer?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ProxyError()
    }

    private struct ProxyError: Error {}

    func stop() {
        process.terminate()
        process.waitForEnd()
    }
}
