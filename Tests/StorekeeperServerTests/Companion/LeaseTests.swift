import Crypto
import Foundation
import JWTKit
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("Leases") struct LeaseTests {
    /// Checks a lease only with the published keys, as another process would.
    private static func check(_ lease: String, by published: String) async throws -> Claims {
        let keys = JWTKeyCollection()
        try await keys.add(jwksJSON: published)
        return try await keys.verify(lease, as: Claims.self)
    }

    private struct Claims: JWTPayload {
        let iss: String
        let sub: String
        let iat: Int64
        let exp: Int64
        let features: [String]
        /// The test checks the times itself.
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private static let life: Int64 = 300_000

    @Test("A lease is verified with the published keys, and names its customer's features")
    func leased() async throws {
        let shop = try await CompanionShop(leases: try await LeaseKeys(pem: LeaseKeys.make(), life: Self.life))
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let answer = try await shop.ask("GET", "/v1/customers/anna/lease", as: .check)
        #expect(answer.status == 200, "\(answer.text)")
        let published = try await shop.ask("GET", "/.well-known/jwks.json", as: nil).text
        #expect(!published.contains("\"d\""))
        let claims = try await Self.check(try #require(answer.document?["lease"]?.string), by: published)
        let now = shop.served.store.now.millisecondsSince1970
        #expect(claims.sub == "anna" && claims.iss == ServedStore.bundleID && claims.features.contains("pro"))
        #expect(claims.iat == now / 1000 && claims.exp == (now + Self.life) / 1000)
        let nobody = try await shop.ask("GET", "/v1/customers/bert/lease", as: .check)
        #expect(nobody.document?["features"]?.array.map(Array.init)?.isEmpty == true)
    }

    @Test("A lease ends no later than any feature in it") func end() async throws {
        let shop = try await CompanionShop(leases: try await LeaseKeys(pem: LeaseKeys.make(), life: Self.life))
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let end = try #require(shop.served.store.transactions.first?.expiresAt)
        try shop.served.store.advance(to: end.adding(milliseconds: -2_500))
        let answer = try await shop.ask("GET", "/v1/customers/anna/lease", as: .check)
        #expect(
            answer.document?["endsAt"]?.string == Instant(clamped: end.millisecondsSince1970 / 1000 * 1000).description)
    }

    @Test("Leases are verified during a change of keys: a new key is published before use, an old one after it")
    func rotation() async throws {
        let (old, new) = (LeaseKeys.make(), LeaseKeys.make())
        let before = try await LeaseKeys(pem: old + "\n" + new, life: Self.life)
        let after = try await LeaseKeys(pem: new + "\n" + old, life: Self.life)
        let lease = EntitlementLease(
            of: try await CompanionShop().pool.snapshot(of: "anna"), issuer: "a", life: Self.life,
            at: Instant(clamped: 0))
        let signed = (try await before.sign(lease), try await after.sign(lease))
        for keys in [before, after] {
            for text in [signed.0, signed.1] { _ = try await Self.check(text, by: keys.published.json.text()) }
        }
        let stranger = try await LeaseKeys(pem: LeaseKeys.make(), life: Self.life)
        await #expect(throws: (any Error).self) { try await Self.check(signed.0, by: stranger.published.json.text()) }
    }

    @Test(
        "A text that is not a key is refused and not quoted",
        arguments: ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    func refused(_ pem: String) async throws {
        let fault = await #expect(throws: LeaseKeyFault.self) { try await LeaseKeys(pem: pem, life: Self.life) }
        #expect(fault?.description.contains("AAAA") == false)
        await #expect(throws: LeaseKeyFault.self) { try await LeaseKeys(pem: LeaseKeys.make(), life: 999) }
        let p384 = P384.Signing.PrivateKey().pemRepresentation
        await #expect(throws: LeaseKeyFault.self) { try await LeaseKeys(pem: p384, life: Self.life) }
    }

    @Test("Without keys no leases are issued") func none() async throws {
        let shop = try await CompanionShop()
        #expect(try await shop.ask("GET", "/v1/customers/anna/lease", as: .check).problem == "noLeases")
        #expect(try await shop.ask("GET", "/.well-known/jwks.json", as: nil).status == 404)
    }
}
