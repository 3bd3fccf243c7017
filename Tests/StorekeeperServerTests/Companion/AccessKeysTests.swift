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

/// Tests of which callers are admitted, until when, and at which rate.
@Suite(.system) struct AccessKeysTests {
    @Test("Two keys with the same name or hash are refused, also when the file is read again")
    func twins() throws {
        let (one, other) = (
            try AccessKey.make(name: "one", scope: .admin).key, try AccessKey.make(name: "other", scope: .check).key
        )
        let namesake = try AccessKey(name: "one", scope: "check", sha256: other.sha256)
        let twin = try AccessKey(name: "twin", scope: "check", sha256: one.sha256)
        #expect(throws: AccessKeyFault.self) { try AccessKeys([one, namesake]) }
        let fault = #expect(throws: AccessKeyFault.self) { try AccessKeys([one, twin]) }
        #expect(fault?.description.contains("'one' and 'twin'") == true)
        let keys = try AccessKeys([one])
        #expect(throws: AccessKeyFault.self) { try keys.replace(with: [one, twin]) }
        #expect(keys.count == 1)
        try keys.replace(with: [one, other])
        #expect(keys.count == 2)
    }

    @Test("A removed key is refused, and an added key is accepted")
    func replaced() async throws {
        let old = try AccessKey.make(name: "old", scope: .check)
        let new = try AccessKey.make(name: "new", scope: .check)
        let keys = try AccessKeys([old.key])
        #expect(try keys.caller("Bearer \(old.text)", for: .check).name == "old")
        try keys.replace(with: [new.key])
        #expect(throws: AccessRefusal.unknown) { try keys.caller("Bearer \(old.text)", for: .check) }
        #expect(try keys.caller("Bearer \(new.text)", for: .check).name == "new")
    }

    @Test("A key expires exactly at its end")
    func expiry() async throws {
        let made = try AccessKey.make(name: "short", scope: .check, expiresAt: Instant(clamped: 1_800_000_001_000))
        let shop = try await CompanionShop(keys: [made.key])
        func ask() async throws -> CompanionShop.Answer {
            try await shop.ask(
                "GET", "/v1/customers/anna/balances", as: nil, fields: ["Authorization": "Bearer \(made.text)"])
        }
        #expect(try await ask().status == 200)
        shop.served.wall.set(Instant(clamped: 1_800_000_000_999))
        #expect(try await ask().status == 200)
        shop.served.wall.set(Instant(clamped: 1_800_000_001_000))
        let ended = try await ask()
        #expect(ended.status == 401 && ended.problem == "keyExpired", "\(ended.text)")
    }

    @Test("A key that is not ASCII is refused") func foreign() throws {
        let made = try AccessKey.make(name: "one", scope: .admin)
        let keys = try AccessKeys([made.key])
        for text in ["\(made.text)\u{FFFD}", "\u{FFFD}", "ä"] {
            #expect(throws: AccessRefusal.unknown) { try keys.caller("Bearer \(text)", for: .check) }
        }
        // The password contains bytes that are not valid UTF-8.
        #expect(throws: AccessRefusal.unknown) { try keys.caller("Basic Onf/", for: .check, true) }
    }

    @Test("An address that guesses keys gets 429, while callers with a key or without one are not limited")
    func guesses() async throws {
        let shop = try await CompanionShop(hasDesk: true, openRate: 1_000)
        let key = try #require(shop.bearers[.check])
        try await shop.serving { port in
            func ask(_ path: String, _ bearer: String?) async throws -> HTTPClientResponse {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
                if let bearer { request.headers.add(name: "authorization", value: "Bearer \(bearer)") }
                return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            }
            let path = "/v1/customers/anna/balances"
            for number in 1...50 {
                #expect(try await ask(path, "sk_guess\(number)").status == .unauthorized)
                #expect(try await ask(path, nil).status == .unauthorized)
            }
            let limited = try await ask(path, "sk_guess")
            #expect(limited.status == .tooManyRequests && limited.headers.first(name: "retry-after") == "1")
            // Without the challenge a browser does not prompt for the key.
            for _ in 1...60 {
                let challenge = try await ask("/desk", nil)
                #expect(challenge.status == .unauthorized)
                #expect(challenge.headers.first(name: "www-authenticate")?.hasPrefix("Basic ") == true)
            }
            #expect(try await ask(path, key).status == .ok)
            #expect(try await ask("/health/ready", nil).status == .ok)
            shop.served.wall.set(shop.served.wall.now.adding(milliseconds: 1_000))
            #expect(try await ask(path, "sk_guess").status == .unauthorized)
        }
    }

    @Test("Without limits by address, as behind a proxy, wrong keys are not limited") func noLimits() async throws {
        let shop = try await CompanionShop(openRate: 0)
        try await shop.serving { port in
            for number in 1...60 {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/customers/anna/balances")
                request.headers.add(name: "authorization", value: "Bearer sk_guess\(number)")
                let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test("Requests without a key are limited by address; only refused notifications count")
    func open() async throws {
        let shop = try await CompanionShop(openRate: 1)
        try await shop.step("buy gold.monthly by anna")
        let good = JSONText.object(["signedPayload": .string(try #require(try shop.served.store.notifications().first))]
        )
        try await shop.serving { (port: Int) async throws -> Void in
            func ask(_ path: String, _ body: String? = nil) async throws -> UInt {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
                if let body {
                    request.method = .POST
                    request.body = .bytes(Array(body.utf8))
                }
                return try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
            }
            for _ in 1...20 { #expect(try await ask("/apple/notifications", good.text()) == 200) }
            for _ in 1...5 { #expect(try await ask("/openapi.yaml") == 200) }
            for _ in 1...5 { #expect(try await ask("/apple/notifications", #"{"signedPayload":"a.b.c"}"#) == 400) }
            #expect(try await ask("/openapi.yaml") == 429)
            #expect(try await ask("/apple/notifications", good.text()) == 429)
            #expect(try await ask("/health/live") == 200)
            shop.served.wall.set(shop.served.wall.now.adding(milliseconds: 1_000))
            #expect(try await ask("/apple/notifications", good.text()) == 200)
        }
    }

    @Test("A refused notification counts by its size") func weight() async throws {
        let shop = try await CompanionShop(openRate: 1)
        let body = #"{"signedPayload":"\#(String(repeating: "a", count: 200 << 10))"}"#
        try await shop.serving { (port: Int) async throws -> Void in
            func ask(_ path: String, _ body: String? = nil) async throws -> UInt {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
                if let body {
                    request.method = .POST
                    request.body = .bytes(Array(body.utf8))
                }
                return try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
            }
            #expect(try await ask("/openapi.yaml") == 200)
            #expect(try await ask("/apple/notifications", body) == 400)
            // It has counted 13 times, which is more than the burst of 10.
            #expect(try await ask("/openapi.yaml") == 429)
            #expect(try await ask("/apple/notifications", body) == 429)
            shop.served.wall.set(shop.served.wall.now.adding(milliseconds: 6_000))
            #expect(try await ask("/openapi.yaml") == 200)
        }
    }

    @Test("A rate limit allows a burst after a pause, and unused limits are removed")
    func limits() {
        let clock = VirtualClock(.day(0))
        let limits = RateLimits(clock: clock)
        func wait(_ name: String) -> Int? { limits.wait(ofKey: name, perSecond: 0.5, burst: 2) }
        #expect(wait("a") == nil && wait("a") == nil && wait("a") == 2)
        #expect(limits.wait(ofKey: "a", perSecond: 0.5, burst: 2, isCounted: false) == 2)
        #expect(limits.wait(ofKey: "b", perSecond: 0.5, burst: 2, isCounted: false) == nil)
        #expect(wait("b") == nil && wait("b") == nil && wait("b") == 2)
        clock.set(Instant.day(0).adding(milliseconds: 2_000))
        #expect(wait("a") == nil && wait("a") == 2)
        for number in 0..<20_000 { _ = wait("\(number)") }
        #expect(wait("a") == nil)
    }
}
