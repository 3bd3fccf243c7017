import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the local App Store over a socket.
@Suite(.system) struct LocalAppStoreServerTests {
    private func send(
        _ method: String = "GET", _ url: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> (status: UInt, type: String?, body: String) {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        for header in headers { request.headers.replaceOrAdd(name: header.0, value: header.1) }
        if let body { request.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 4 << 20)
        return (response.status.code, response.headers.first(name: "content-type"), String(buffer: bytes))
    }

    @Test("Sixty-four concurrent requests get the same transaction")
    func concurrency() async throws {
        let served = try await ServedStore()
        let id = try #require(try await served.step("buy coins.100 by anna")).rawValue
        let token = served.token
        try await served.local.serving { url in
            let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...64 {
                    group.addTask {
                        let answer = try await send(
                            "GET", "\(url)/inApps/v1/transactions/\(id)",
                            headers: [("authorization", "Bearer \(token)")])
                        #expect(answer.status == 200 && answer.type == "application/json")
                        return answer.body
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(bodies.count == 64)
            #expect(Set(bodies.compactMap { $0.split(separator: ".").dropFirst().first }).count == 1)
        }
    }

    @Test("Sixteen concurrent purchases are carried out once each, and each answer names its own transaction")
    func acts() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...16 {
                    group.addTask {
                        try await send(
                            "POST", "\(url)/local/v1/steps", headers: [("content-type", "application/json")],
                            body: Array(#"{"step": "buy coins.100 by anna"}"#.utf8)
                        ).body
                    }
                }
                var ids: Set<String> = []
                for try await body in group {
                    let outcome = try JSONReader().read(Array(body.utf8)).root["outcomes"]?.array.map(Array.init)?.first
                    ids.insert(try #require(outcome?["transactionID"]?.string))
                }
                #expect(ids.count == 16)
            }
        }
        #expect(served.store.transactions.count == 16)
    }

    @Test("A customer created in one step can be named in later steps only")
    func newcomers() async throws {
        let served = try await ServedStore(people: ["anna"])
        func steps(_ texts: String...) async -> LocalResponse {
            let body = "{\"steps\":[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]}"
            return await served.local.respond(.post, "/local/v1/steps", json: body)
        }
        #expect(await steps("buy coins.100 by cleo").status == 400)
        let taken = await steps(
            "new person cleo", "buy coins.100 by cleo", "new person dora", "buy coins.100 by dora",
            "buy coins.100 by anna")
        #expect(taken.status == 200)
        #expect(served.store.transactions.map(\.person) == ["cleo", "dora", "anna"])
        #expect(await steps("new person cleo").status == 422)
        #expect(await steps("buy coins.100 by dora").status == 200)
    }

    @Test(
        "Requests that a page of another site could send are refused",
        arguments: [
            ([("host", "evil.example"), ("content-type", "application/json")], 403),
            ([("host", "evil.example:8080"), ("content-type", "application/json")], 403),
            ([("host", "127.x.evil.com"), ("content-type", "application/json")], 403),
            ([("host", "127.0.0.evil:8080"), ("content-type", "application/json")], 403),
            ([("host", "127.0.0.1.evil.com"), ("content-type", "application/json")], 403),
            ([("host", "127.0.0.256"), ("content-type", "application/json")], 403),
            ([("host", "127.0.0.+1"), ("content-type", "application/json")], 403),
            ([("origin", "https://evil.example"), ("content-type", "application/json")], 403),
            ([("origin", "null"), ("content-type", "application/json")], 403),
            ([("sec-fetch-site", "cross-site"), ("content-type", "application/json")], 403),
            ([("host", "127.0.0.1:1"), ("content-type", "application/json")], 200),
            ([("host", "LOCALHOST"), ("content-type", "application/json")], 200),
            ([("content-type", "text/plain")], 415), ([("content-type", "application/x-www-form-urlencoded")], 415),
            ([], 415), ([("content-type", "application/json; charset=utf-8")], 200),
            ([("host", "localhost:1"), ("content-type", "application/json")], 200),
        ] as [([(String, String)], UInt)])
    func foreignPages(_ headers: [(String, String)], _ status: UInt) async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            let answer = try await send(
                "POST", "\(url)/local/v1/steps", headers: headers, body: Array(#"{"step": "advance 1 day"}"#.utf8))
            #expect(answer.status == status, "\(answer.body)")
        }
        #expect(
            (served.store.nextEvent == nil) && (served.store.now > SimulatedAppStore.defaultStart) == (status == 200))
    }

    @Test(
        "A foreign host name that resolves to this machine is refused",
        arguments: ["/local/v1", "/openapi.yaml", "/", "/inApps/v1/x"])
    func rebound(_ path: String) async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            for host in ["127.x.evil.com", "127.0.0.1.evil.com:80", "evil.example"] {
                let answer = try await send("GET", url + path, headers: [("host", host)])
                #expect(answer.status == 403, "\(host): \(answer.body)")
            }
            #expect(try await send("GET", url + path).status != 403)
        }
    }

    @Test("A body beyond the limit is refused, and the next request is answered")
    func hugeBody() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            let huge = [UInt8](repeating: UInt8(ascii: " "), count: 3 << 20)
            let refused = try? await send(
                "POST", "\(url)/local/v1/steps", headers: [("content-type", "application/json")], body: huge)
            #expect(refused == nil || refused?.status == 413)
            let next = try await send("GET", "\(url)/local/v1")
            #expect(next.status == 200)
        }
    }

    @Test(
        "Malformed paths and bodies get an error that says what is wrong",
        arguments: [
            ("GET", "/page", "", 404), ("GET", "/inApps", "", 401), ("GET", "/local/v2", "", 404),
            ("GET", "/local/v1/people/nobody/evidence", "", 422), ("GET", "/local/v1/happenings?after=-1", "", 400),
            ("GET", "/local/v1/%zz/%00", "", 404), ("POST", "/local/v1/steps", "{", 400),
            ("POST", "/local/v1/steps", "[]", 400), ("POST", "/local/v1/steps", #"{"steps":[1]}"#, 400),
            ("POST", "/local/v1/steps", #"{"step":"advance 1 day","steps":{}}"#, 400),
            ("POST", "/local/v1/steps", #"{"step":"advance 1 day","steps":["advance 1 day"]}"#, 400),
            ("POST", "/local/v1/steps", #"{"step":"advance 1 day","at":"noon"}"#, 400),
            ("TRACE", "/local/v1/steps", "", 405), ("QUERY", "/local/v1/steps", "", 405),
            ("DELETE", "/local/v1/people/anna/evidence", "", 405),
            ("POST", "/local/v1/steps", #"{"step":"buy nothing by anna"}"#, 400),
            ("POST", "/local/v1/steps", #"{"step":"finish coins.100 by anna"}"#, 422),
            ("POST", "/local/v1/steps", #"{"step":"expect entitled pro by anna"}"#, 422),
            ("POST", "/local/v1/steps", #"{"step":"advance 1 day","step":"advance 2 days"}"#, 400),
        ])
    func nonsense(_ method: String, _ path: String, _ body: String, _ status: UInt) async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            let answer = try await send(
                method, url + path, headers: [("content-type", "application/json")],
                body: body.isEmpty ? nil : Array(body.utf8))
            #expect(answer.status == status, "\(answer.body)")
        }
    }
}
