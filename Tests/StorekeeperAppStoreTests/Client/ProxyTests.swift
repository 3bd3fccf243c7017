import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("Proxies, names and TLS", .system) struct ProxyTests {
    @Test(
        "A request uses the proxy unless NO_PROXY names its host",
        arguments: [
            ("https://api.storekit.apple.com/x", "", true), ("http://ocsp.apple.com/x", "", true),
            ("https://api.storekit.apple.com/x", "*", false), ("https://api.storekit.apple.com/x", "apple.com", false),
            ("https://API.storekit.Apple.com", ".apple.com", false), ("https://apple.com", ".apple.com", false),
            ("https://apple.com", "*.apple.com", false), ("https://pineapple.com", "apple.com", true),
            ("https://api.example.com:8443/x", "api.example.com:8443", false),
            ("https://api.example.com/x", "api.example.com:8443", true),
            ("https://api.example.com/x", "api.example.com:443", false),
            ("https://10.1.2.3/x", "10.0.0.0/8", false), ("https://11.1.2.3/x", "10.0.0.0/8", true),
            ("https://10.1.2.3/x", "10.1.2.3", false), ("https://10.1.2.4/x", "a.example, 10.1.2.3", true),
            ("https://[fd00::1]/x", "fd00::1", false), ("https://1.2.3.4/x", "0.0.0.0/0", false),
            ("http://localhost:8080/x", "", false), ("http://127.0.0.1/x", "", false), ("https://[::1]/x", "", false),
            ("https://127.0.0.1.evil.example/x", "", true), ("https://x.example/", ",, :443,/8,10.0.0.0/99", true),
        ])
    func exceptions(_ url: String, _ list: String, _ isProxied: Bool) throws {
        let proxies = try HTTPProxies(
            environment: [
                "HTTPS_PROXY": "http://proxy.example:3128", "HTTP_PROXY": "proxy.example:3128", "NO_PROXY": list,
            ])
        #expect((proxies.proxy(for: url) != nil) == isProxied)
    }

    @Test(
        "A proxy's address is a URL with an optional port",
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128"), ("proxy.example:3128", "proxy.example:3128"),
            ("http://proxy.example", "proxy.example:80"), ("http://user:secret@proxy.example:1/", "proxy.example:1"),
            ("https://proxy.example:1", nil), ("socks5://proxy.example:1", nil), ("http://", nil),
            ("http://proxy.example:99999", nil), ("http://proxy.example:1/path", nil), ("not a proxy", nil),
        ] as [(String, String?)])
    func addresses(_ text: String, _ place: String?) {
        let proxy = HTTPProxy(text)
        #expect(proxy.map { "\($0)" } == place)
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test("Lowercase variables take precedence, empty ones are ignored, and malformed ones are named")
    func variables() throws {
        let both = try HTTPProxies(environment: ["https_proxy": "http://small:1", "HTTPS_PROXY": "http://large:1"])
        #expect(both.https?.host == "small" && both.http == nil)
        #expect(try HTTPProxies(environment: ["HTTPS_PROXY": "", "NO_PROXY": ""]).https == nil)
        let fault = #expect(throws: HTTPProxies.Fault.self) {
            try HTTPProxies(environment: ["HTTPS_PROXY": "ftp://proxy"])
        }
        #expect(fault?.variable == "HTTPS_PROXY")
    }

    /// Sends a request with a modified configuration.
    private func send(
        _ url: String, _ change: (inout AsyncHTTPTransport.Configuration) throws -> Void = { _ in }
    ) async throws -> Result<TransportResponse, TransportError> {
        var configuration = AsyncHTTPTransport.Configuration(requestTimeout: .seconds(10))
        try change(&configuration)
        let transport = try AsyncHTTPTransport(configuration)
        let result: Result<TransportResponse, TransportError>
        do throws(TransportError) {
            result = .success(
                try await transport.send(TransportRequest(method: .get, url: url, fields: [], body: nil)))
        } catch { result = .failure(error) }
        try await transport.close()
        return result
    }

    @Test("A request is tunnelled through the proxy, and an exempt request is sent directly")
    func through() async throws {
        try await LoopbackServer.serving({ request, _ in
            request.method == "CONNECT" ? .answer(403, type: nil) : .json("{}")
        }) { server in
            let environment = ["HTTPS_PROXY": server.baseURL, "HTTP_PROXY": server.baseURL]
            _ = try await send("http://ocsp.example.test/leaf") {
                $0.proxies = try HTTPProxies(environment: environment)
            }
            #expect(server.requests.map(\.method) == ["CONNECT"])
            #expect(server.requests.map(\.target) == ["ocsp.example.test:80"])
            let secure = try await send("https://api.example.test/inApps") {
                let secret = server.baseURL.replacing("http://", with: "http://user:word@")
                $0.proxies = try HTTPProxies(environment: ["HTTPS_PROXY": secret])
            }
            #expect(server.requests.last?.method == "CONNECT" && server.requests.last?.target == "api.example.test:443")
            #expect(server.requests.last?.fields["proxy-authorization"] == "Basic dXNlcjp3b3Jk")
            guard case .failure(let error) = secure else { return #expect(Bool(false), "the proxy refuses") }
            #expect(error.code == .notConnected && !error.mayHaveBeenSent && !"\(error)".contains("word"))
            let direct = try await send(server.baseURL + "/direct") {
                $0.proxies = try HTTPProxies(environment: environment)
            }
            #expect(try direct.get().status == 200 && server.requests.last?.target == "/direct")
        }
    }

    @Test("An unknown host, a port without TLS and a refused connection are reported as different errors")
    func reasons() async throws {
        func code(_ result: Result<TransportResponse, TransportError>) -> TransportError.Code? {
            guard case .failure(let error) = result else { return nil }
            #expect(!error.mayHaveBeenSent, "\(error)")
            return error.code
        }
        // The label is too long for DNS, so no resolver is asked.
        let name = String(repeating: "x", count: 64)
        #expect(try await code(send("https://\(name).invalid/")) == .hostNotFound)
        let url = try await LoopbackServer.serving({ _, _ in .json("{}") }) { server in
            let url = server.baseURL.replacing("http://", with: "https://")
            let answer = try await send(url)
            #expect(code(answer) == .noTLS)
            return url
        }
        #expect(try await code(send(url)) == .notConnected)
    }
}
