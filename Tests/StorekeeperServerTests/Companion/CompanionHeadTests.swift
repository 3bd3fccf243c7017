import AsyncHTTPClient
import HTTPTypes
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the heads of requests and answers.
@Suite(.system) struct CompanionHeadTests {
    @Test("Every route for GET also answers HEAD, without a body", arguments: CompanionRoute.all)
    func head(_ route: CompanionRoute) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let path = route.samplePath
        let head = try await shop.ask("HEAD", path)
        #expect(head.text.isEmpty)
        guard route.method == .get else {
            // Another route may answer GET on the same path.
            let others = CompanionRoute.all.filter { $0.path == route.path && $0.method == .get }
            if others.isEmpty { #expect(head.status == 405 && head.fields[.allow] == route.method.rawValue) }
            return
        }
        // The stream of events has no end, so its GET is not requested.
        guard route.id != CompanionRoute.events.id else { return #expect(head.status == 200) }
        let got = try await shop.ask("GET", path)
        #expect(head.status == got.status && head.fields[.contentType] == got.fields[.contentType])
        #expect(head.fields[.contentLength] == String(got.text.utf8.count))
        #expect(try await shop.ask("PUT", path).fields[.allow]?.contains("GET, HEAD") == true)
    }

    @Test("A request ID is the caller's, or a generated one")
    func requestID() async throws {
        let shop = try await CompanionShop()
        let name = try #require(HTTPField.Name("X-Request-Id"))
        for path in ["/health/live", "/nothing", "/v1/checks", "/v1/customers/anna/balances"] {
            let given = try await shop.ask("GET", path, fields: ["X-Request-Id": "order-17"])
            #expect(given.fields[name] == "order-17", "\(path)")
            let one = try await shop.ask("GET", path).fields[name]
            let other = try await shop.ask("GET", path).fields[name]
            #expect(one?.isEmpty == false && one != other, "\(path)")
        }
        for bad in ["a b", String(repeating: "a", count: 129), "ä"] {
            let answer = try await shop.ask("GET", "/health/live", fields: ["X-Request-Id": bad])
            #expect(answer.fields[name] != nil && answer.fields[name] != bad)
        }
    }

    @Test("A request whose idempotency key is sent twice or is not ASCII changes nothing")
    func idempotencyKey() async throws {
        let shop = try await CompanionShop()
        let key = try #require(shop.bearers[.spend])
        let head: @Sendable ([String]) -> String = { fields in
            ([
                "POST /v1/customers/anna/balances/coins/grant HTTP/1.1", "Host: localhost", "Connection: close",
                "Authorization: Bearer \(key)", "Content-Type: application/json", "Content-Length: 27",
            ] + fields)
            .map { $0 + "\r\n" }.joined() + "\r\n" + #"{"quantity":1,"reason":"r"}"#
        }
        try await shop.serving { port in
            for fields in [
                ["Idempotency-Key: a", "Idempotency-Key: b"], ["Idempotency-Key: a", "Idempotency-Key: a"],
                ["Idempotency-Key: a,b c"], [],
            ] {
                let answer = try await RawConnection.send([head(fields)], to: port)
                #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(fields): \(answer.text)")
            }
            // "Käufe" and "Köufe" in Latin-1. If they were decoded as UTF-8, the two keys would be equal.
            for byte in [0xE4, 0xF6] as [UInt8] {
                let parts = head(["Idempotency-Key: K*ufe-1"]).split(separator: "*", maxSplits: 1)
                let bytes = Array(parts[0].utf8) + [byte] + Array(parts[1].utf8)
                let answer = try await RawConnection.send(bytes: [bytes], to: port)
                #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(answer.text)")
            }
            let taken = try await RawConnection.send([head(["Idempotency-Key: !~"])], to: port)
            #expect(taken.text.hasPrefix("HTTP/1.1 200"), "\(taken.text)")
        }
        #expect(try await shop.vault.balances(of: "anna").first?.amount == 1)
    }

    @Test("A path with bytes that are not UTF-8 is refused")
    func rawPath() async throws {
        let shop = try await CompanionShop()
        let key = try #require(shop.bearers[.check])
        try await shop.serving { port in
            for byte in [0xE4, 0xF6] as [UInt8] {
                let head = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(key)\r\n\r\n"
                let bytes = Array("GET /v1/customers/k".utf8) + [byte] + Array("the/balances".utf8) + Array(head.utf8)
                let answer = try await RawConnection.send(bytes: [bytes], to: port)
                #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(answer.text)")
            }
        }
    }

    @Test(
        "A request that is not HTTP is refused with problem details, too",
        arguments: ["GET  HTTP/9\r\n\r\n", "no HTTP\r\n\r\n"])
    func parser(_ text: String) async throws {
        let shop = try await CompanionShop()
        try await shop.serving { port in
            let answer = try await RawConnection.send([text], to: port)
            #expect(answer.isClosed && answer.text.hasPrefix("HTTP/1.1 400"), "\(answer.text)")
            #expect(answer.text.lowercased().contains("content-type: application/problem+json"), "\(answer.text)")
            let body = try #require(answer.text.split(separator: "\r\n\r\n").last)
            let object = try JSONReader().read(Array(body.utf8)).root.object
            #expect(object?["type"]?.string == "tag:storekeeper,2026:badRequest" && object?["status"]?.int64 == 400)
        }
    }
}
