import Crypto
import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion

/// Tests of the offers about which the companion service answers, and which it signs.
@Suite struct CompanionOffersTests {
    private static let base = "/v1/customers/anna/offers"

    /// Returns a service with a promotional offer of `gold.monthly` in its catalog.
    private static func shop() async throws -> (shop: CompanionShop, key: AppStoreKey) {
        let key = try AppStoreKey(keyID: "ABC123DEFG", issuerID: "issuer", privateKey: P256.Signing.PrivateKey())
        let shop = try await CompanionShop(offerKey: key)
        let catalog = await shop.pool.catalog
        var products = catalog.products
        for index in products.indices where products[index].id == "gold.monthly" {
            products[index].subscription?.offers += [
                SubscriptionOffer(kind: .promotional, id: "loyal"), SubscriptionOffer(kind: .introductory),
            ]
        }
        try await shop.pool.reload(Catalog(products: products, groups: catalog.groups, features: catalog.features))
        return (shop, key)
    }

    @Test("A customer's offers are answered from the evidence, with the pages of Apple")
    func answers() async throws {
        let (shop, _) = try await Self.shop()
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let answer = try await shop.ask("GET", Self.base + "?product=gold.monthly", as: .check)
        #expect(answer.status == 200, "\(answer.text)")
        let rows = answer.document?["offers"]?.array.map(Array.init) ?? []
        let loyal = rows.first { $0.object?["id"]?.string == "loyal" }?.object
        #expect(loyal?["answer"]?.string == "eligible" && loyal?["reason"]?.string == "currentSubscriber")
        #expect(answer.text.contains("https://apps.apple.com/account/subscriptions"))
        #expect(try await shop.ask("GET", Self.base + "?product=gold.montly", as: .check).problem == "unknownProduct")
        #expect(try await shop.ask("GET", Self.base + "?offer=x", as: .check).status == 400)
    }

    @Test("A promotional offer is signed for a customer who may have it, and for no other")
    func signature() async throws {
        let (shop, key) = try await Self.shop()
        let path = Self.base + "/loyal/signature"
        let token = "F2F1A58C-6A0E-4B0B-9F0C-6E6F3B7D1A11"
        let body = #"{"product":"gold.monthly","account":"\#(token)"}"#
        #expect(try await shop.ask("POST", path, as: .offer, body: body).problem == "unclaimed")
        let claim = try await shop.ask(
            "POST", "/v1/customers/anna/claims", as: .claim, body: #"{"token":"\#(token)"}"#)
        #expect(claim.status == 200, "\(claim.text)")
        // The service has no evidence about the customer's purchases.
        #expect(try await shop.ask("POST", path, as: .offer, body: body).problem == "undecided")
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let answer = try await shop.ask("POST", path, as: .offer, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        let document = try #require(answer.document)
        let nonce = try #require(document["nonce"]?.string)
        let timestamp = try #require(document["timestamp"]?.int64)
        #expect(document["keyID"]?.string == "ABC123DEFG")
        let message = [
            ServedStore.bundleID, "ABC123DEFG", "gold.monthly", "loyal", "f2f1a58c-6a0e-4b0b-9f0c-6e6f3b7d1a11", nonce,
            String(timestamp),
        ].joined(separator: "\u{2063}")
        let text = try #require(document["signature"]?.string)
        let bytes = try #require(Data(base64Encoded: text))
        let signature = try P256.Signing.ECDSASignature(derRepresentation: bytes)
        #expect(key.publicKey.isValidSignature(signature, for: Data(message.utf8)))
        // The JWS would name no customer, because the request names no transaction.
        #expect(document["jws"] == nil)
        let until = try #require(document["until"]?.string.flatMap { Instant($0) })
        #expect(until.millisecondsSince1970 == timestamp + 86_400_000)
    }

    @Test("The page for support staff shows the offers, and where the customer can act")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .desk)
        #expect(
            page.status == 200 && page.text.contains("https://apps.apple.com/account/subscriptions"), "\(page.text)")
        let offers = try await shop.ask("GET", Self.base, as: .check).document?["offers"]?.array.map(Array.init) ?? []
        #expect(page.text.contains("Offers that the customer may have") == !offers.isEmpty)
    }

    /// Returns the claims of a JWS, after checking that the key has signed the JWS.
    private static func claims(_ text: String?, by key: AppStoreKey) throws -> JSONObject? {
        let parts = (text ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3 else { return nil }
        func bytes(_ part: String) -> Data? {
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
        }
        guard let raw = bytes(parts[2]), let payload = bytes(parts[1]) else { return nil }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
        let message = Data("\(parts[0]).\(parts[1])".utf8)
        guard key.publicKey.isValidSignature(signature, for: message) else { return nil }
        return try JSONReader().read(Array(payload)).root.object
    }

    @Test("Whether a customer gets the introductory offer is signed by the rules, or as the caller decides")
    func introductory() async throws {
        let (shop, key) = try await Self.shop()
        let path = Self.base + "/introductory/signature"
        try await shop.step("buy gold.monthly by anna")
        let id = try #require(shop.served.store.transactions.first?.id.rawValue)
        func sign(_ more: String = "") async throws -> CompanionShop.Answer {
            try await shop.ask(
                "POST", path, as: .offer,
                body: #"{"product":"gold.monthly","kind":"introductory","transactionID":"\#(id)"\#(more)}"#)
        }
        // The service has no evidence about the customer, so nothing shows that the transaction is theirs.
        #expect(try await sign(#","allow":true"#).problem == "unclaimed")
        try await shop.ingest("anna")
        let answer = try await sign()
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.document?["allowed"]?.bool == false && answer.document?["answer"]?.string == "ineligible")
        let claims = try #require(try Self.claims(answer.document?["jws"]?.string, by: key))
        #expect(claims["aud"]?.string == "introductory-offer-eligibility")
        #expect(claims["allowIntroductoryOffer"]?.bool == false && claims["transactionId"]?.string == id)
        #expect(claims["productId"]?.string == "gold.monthly" && claims["bid"]?.string == ServedStore.bundleID)
        #expect(claims["nonce"]?.string == answer.document?["nonce"]?.string)
        let allowed = try await sign(#","allow":true"#)
        let other = try #require(try Self.claims(allowed.document?["jws"]?.string, by: key))
        #expect(allowed.document?["allowed"]?.bool == true && other["allowIntroductoryOffer"]?.bool == true)
        for (path, body, problem) in [
            (path, #"{"product":"gold.monthly","kind":"introductory"}"#, "badRequest"),
            (path, #"{"product":"gold.monthly","kind":"winBack","transactionID":"7"}"#, "badRequest"),
            (path, #"{"product":"gold.monthly","kind":"introductory","transactionID":"7","allow":1}"#, "badRequest"),
            (
                path, #"{"product":"gold.monthly","kind":"introductory","transactionID":"7","account":"a"}"#,
                "badRequest"
            ),
            (Self.base + "/loyal/signature", #"{"product":"gold.monthly","kind":"introductory"}"#, "badRequest"),
            (Self.base + "/loyal/signature", #"{"product":"gold.monthly","allow":true}"#, "badRequest"),
            (Self.base + "/loyal/signature", #"{"product":"gold.monthly"}"#, "badRequest"),
            (Self.base + "/loyal/signature", #"{"product":"gold.monthly","allow":null}"#, "badRequest"),
            (path, #"{"product":"coins.100","kind":"introductory","transactionID":"\#(id)"}"#, "unknownOffer"),
        ] {
            let answer = try await shop.ask("POST", path, as: .offer, body: body)
            #expect(answer.problem == problem, "\(body): \(answer.text)")
        }
    }

    @Test("An offer is not signed for an account of another customer")
    func otherAccount() async throws {
        let (shop, _) = try await Self.shop()
        let token = "0A0A0A0A-0000-4000-8000-000000000001"
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let claim = try await shop.ask(
            "POST", "/v1/customers/bert/claims", as: .claim, body: #"{"token":"\#(token)"}"#)
        #expect(claim.status == 200, "\(claim.text)")
        for (account, problem) in [
            (token, "claimed"), (token.lowercased(), "claimed"), ("bert", "unclaimed"), ("ANNA", nil),
            ("0A0A0A0A-0000-4000-8000-000000000002", "unclaimed"), ("anna", nil),
        ] {
            let answer = try await shop.ask(
                "POST", Self.base + "/loyal/signature", as: .offer,
                body: #"{"product":"gold.monthly","account":"\#(account)"}"#)
            #expect(answer.problem == problem, "\(account): \(answer.text)")
            #expect((answer.document?["signature"] != nil) == (problem == nil), "\(account)")
        }
        // The signature would contain "anna".
        let other = try await shop.ask(
            "POST", "/v1/customers/Anna/offers/loyal/signature", as: .offer,
            body: #"{"product":"gold.monthly","account":"Anna"}"#)
        #expect(other.problem == "unclaimed", "\(other.text)")
    }

    @Test("An offer is not signed for a transaction of another customer, or one that the vault does not know")
    func otherCustomer() async throws {
        let (shop, _) = try await Self.shop()
        for name in ["anna", "bert"] {
            try await shop.step("buy gold.monthly by \(name)")
            try await shop.ingest(CustomerID(rawValue: name))
        }
        let ids = shop.served.store.transactions.map(\.id.rawValue)
        try #require(ids.count == 2)
        for (offer, kind) in [("loyal", "promotional"), ("introductory", "introductory")] {
            for (id, status, problem) in [(ids[0], 200, nil), (ids[1], 409, "claimed"), ("700", 409, "unclaimed")] {
                let answer = try await shop.ask(
                    "POST", Self.base + "/\(offer)/signature", as: .offer,
                    body: #"{"product":"gold.monthly","kind":"\#(kind)","transactionID":"\#(id)"}"#)
                #expect(answer.status == status && answer.problem == problem, "\(offer), \(id): \(answer.text)")
            }
        }
    }

    @Test("An offer that cannot be signed is refused with its reason")
    func refusals() async throws {
        let (shop, _) = try await Self.shop()
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for (path, body, problem) in [
            ("/none/signature", #"{"product":"gold.monthly","account":"anna"}"#, "unknownOffer"),
            ("/loyal/signature", #"{"product":"gold.montly","account":"anna"}"#, "unknownProduct"),
            ("/loyal/signature", #"{}"#, "badRequest"),
            ("/loyal/signature", #"{"product":"gold.monthly","price":0}"#, "badRequest"),
            ("/loyal/signature", "{\"product\":\"gold.monthly\",\"account\":\"a\u{2063}b\"}", "unclaimed"),
        ] {
            let answer = try await shop.ask("POST", Self.base + path, as: .offer, body: body)
            #expect(answer.problem == problem, "\(body): \(answer.text)")
        }
        let path = Self.base + "/loyal/signature"
        #expect(try await shop.ask("POST", path, as: .spend, body: #"{"product":"gold.monthly"}"#).status == 403)
        let without = try await CompanionShop()
        #expect(
            try await without.ask("POST", path, as: .offer, body: #"{"product":"gold.monthly"}"#).problem == "noOffers")
    }
}
