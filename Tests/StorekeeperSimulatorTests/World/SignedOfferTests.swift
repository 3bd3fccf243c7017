import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("Offers that the app's server has signed") struct SignedOfferTests {
    private static let nonce = "2f1d3c4b-5a69-4788-9786-a5b4c3d2e1f0"

    /// A request about the introductory offer of `pro.monthly`.
    private static let introductory: [String: JSONText] = [
        "iss": .string("issuer"), "iat": .integer(1_769_860_800), "nonce": .string(nonce),
        "aud": .string("introductory-offer-eligibility"), "bid": .string("com.example.game"),
        "productId": .string("pro.monthly"), "allowIntroductoryOffer": .bool(true), "transactionId": .string("1"),
    ]

    /// A request about the promotional offer of `pro.monthly`.
    private static let promotional: [String: JSONText] = introductory.merging([
        "aud": .string("promotional-offer"), "allowIntroductoryOffer": .null, "transactionId": .null,
        "offerIdentifier": .string("loyal"),
    ]) { $1 }

    /// Returns a compact JWS without a valid signature.
    private static func jws(_ claims: [String: JSONText], algorithm: String = "ES256", signature: Int = 64) -> String {
        let header = JSONText.object(["alg": .string(algorithm), "kid": .string("K"), "typ": .string("JWT")])
        return [header.bytes(), JSONText.object(claims).bytes(), [UInt8](repeating: 1, count: signature)]
            .map { Base64URL.encode($0) }.joined(separator: ".")
    }

    private static func with(
        _ name: String, _ value: JSONText, in claims: [String: JSONText] = introductory
    ) -> [String: JSONText] { claims.merging([name: value]) { $1 } }

    /// Buys `pro.monthly` in the app.
    private static func buy(
        _ option: PurchaseOption, _ session: SimulatedSession, by customer: CustomerID = "anna"
    ) async throws -> Transaction {
        let product = try #require(session.catalog.products.first { $0.id == "pro.monthly" })
        let before = session.store.happeningCount
        _ = try await session.store.backend().purchase(product, options: [option], for: customer)
        #expect(session.store.happeningCount > before)
        return try session.newest()
    }

    @Test(
        "The introductory offer is given as the server has signed, to customers who have used it or not",
        arguments: [(true, true, true), (true, false, false), (false, true, true), (false, false, false)])
    func decision(_ hasUsedIt: Bool, _ isAllowed: Bool, _ getsIt: Bool) async throws {
        let session = try SimulatedSession.sample()
        if hasUsedIt {
            try session.buyProduct(productIdentifier: "pro.monthly")
            try session.expireSubscription(productIdentifier: "pro.monthly")
        }
        let text = Self.jws(Self.with("allowIntroductoryOffer", .bool(isAllowed)))
        let bought = try await Self.buy(.introductoryOfferEligibility(compactJWS: text), session)
        #expect((bought.offer?.type == .introductory) == getsIt)
        #expect(bought.priceInMilliunits == (getsIt ? 0 : 9990))
        let other = try SimulatedSession.sample()
        let direct = try await other.buyProduct(
            identifier: "pro.monthly", options: [.introductoryOfferEligibility(compactJWS: text)])
        #expect((direct.offer?.type == .introductory) == getsIt)
    }

    @Test(
        "A signed decision that is malformed or about something else is refused",
        arguments: [
            "", "x", "a.b.c", "..", jws([:]), jws(introductory, algorithm: "none"), jws(introductory, signature: 63),
            jws(introductory) + ".x", jws(promotional), jws(with("aud", .string("advanced-commerce-api"))),
            jws(with("bid", .string("com.example.other"))), jws(with("productId", .string("basic.monthly"))),
            jws(with("allowIntroductoryOffer", .string("true"))), jws(with("allowIntroductoryOffer", .null)),
            jws(with("transactionId", .null)), jws(with("nonce", .string("1"))), jws(with("iat", .null)),
            jws(with("iss", .null)),
        ])
    func refusedDecision(_ text: String) async throws {
        try await Self.expectRefusal(of: .introductoryOfferEligibility(compactJWS: text))
    }

    @Test("A promotional offer is bought as signed, or without a signature in tests")
    func promotionalOffer() async throws {
        for text in [Self.jws(Self.promotional), nil] {
            let session = try SimulatedSession.sample()
            try session.buyProduct(productIdentifier: "pro.monthly")
            try session.expireSubscription(productIdentifier: "pro.monthly")
            let bought = try await Self.buy(.promotionalOffer(id: "loyal", compactJWS: text), session)
            #expect(bought.offer?.type == .promotional && bought.priceInMilliunits == 2000)
        }
    }

    @Test(
        "A signed promotional offer that is malformed or about something else is refused",
        arguments: [
            "garbage", jws(introductory), jws(with("offerIdentifier", .string("other"), in: promotional)),
            jws(with("offerIdentifier", .null, in: promotional)),
            jws(with("productId", .string("basic.monthly"), in: promotional)),
            jws(with("bid", .string("com.example.other"), in: promotional)),
        ])
    func refusedOffer(_ text: String) async throws {
        try await Self.expectRefusal(of: .promotionalOffer(id: "loyal", compactJWS: text))
    }

    private static func expectRefusal(of option: PurchaseOption) async throws {
        let session = try SimulatedSession.sample()
        try session.buyProduct(productIdentifier: "pro.monthly")
        try session.expireSubscription(productIdentifier: "pro.monthly")
        let count = session.store.happeningCount
        let product = try #require(session.catalog.products.first { $0.id == "pro.monthly" })
        await #expect(throws: PurchaseError(.invalidOfferSignature, "")) {
            try await session.store.backend().purchase(product, options: [option], for: "anna")
        }
        await #expect(throws: PurchaseError(.invalidOfferSignature, "")) {
            try await session.buyProduct(identifier: "pro.monthly", options: [option])
        }
        #expect(session.store.happeningCount == count)
    }
}
