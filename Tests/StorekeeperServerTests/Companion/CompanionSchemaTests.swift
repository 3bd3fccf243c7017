import Crypto
import HTTPTypes
import Storekeeper
import StorekeeperAppStore
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that compare answers with their schemas in the API description.
@Suite struct CompanionSchemaTests {
    private let description: APIDescription

    init() throws { description = try APIDescription(CompanionDescription.text) }

    private func schema(of route: CompanionRoute) -> Any? { description.schema(of: route.method, route.path) }

    // MARK: Answers

    @Test("Every JSON answer has exactly the members that its schema names")
    func answers() async throws {
        let key = try AppStoreKey(keyID: "ABC123DEFG", issuerID: "issuer", privateKey: P256.Signing.PrivateKey())
        let shop = try await CompanionShop(
            leases: try await LeaseKeys(pem: LeaseKeys.make(), life: 300_000), offerKey: key)
        for step in [
            "buy gold.monthly by anna", "buy season.pass by anna", "buy coins.500 by anna", "advance 3 days",
            "refund season.pass by anna", "advance 40 days",
        ] { try await shop.step(step) }
        #expect(try await shop.post().status == 200)
        try await shop.ingest("anna")
        try await shop.step("buy remove.ads by bert")
        #expect(try await shop.post().status == 200)
        let catalog = await shop.pool.catalog
        var products = catalog.products
        for index in products.indices where products[index].id == "gold.monthly" {
            products[index].subscription?.offers.append(SubscriptionOffer(kind: .promotional, id: "loyal"))
        }
        try await shop.pool.reload(Catalog(products: products, groups: catalog.groups, features: catalog.features))
        try await shop.parkWebhook("billing")
        let base = "/v1/customers/anna"
        let texts = try shop.served.store.evidence(of: "anna").joined(separator: "\n")
        let original = try #require(shop.served.store.transactions.last?.originalID)
        typealias Question = (route: CompanionRoute, path: String, body: String?, fields: [String: String])
        let writes: [Question] = [
            (.transactions, base + "/transactions", texts + "\na.b.c", [:]),
            (
                .grantAccess, base + "/grants", #"{"product":"remove.ads","until":"2099-01-01","reason":"r"}"#,
                ["Idempotency-Key": "a"]
            ),
            (.offerSignature, base + "/offers/loyal/signature", #"{"product":"gold.monthly","account":"anna"}"#, [:]),
            (.grant, base + "/balances/coins/grant", #"{"quantity":5,"reason":"r"}"#, ["Idempotency-Key": "g"]),
            (.spend, base + "/balances/coins/spend", #"{"quantity":5}"#, ["Idempotency-Key": "s"]),
        ]
        let others: [Question] = [
            (.explanation, base + "/explanation?product=gold.monthly", nil, [:]),
            (.checks, "/v1/checks", #"{"customers":["anna","bert"],"product":"gold.monthly"}"#, [:]),
            (.parked, "/v1/parked?limit=1", nil, [:]),
            (.claims, "/v1/customers/bert/claims", #"{"originalTransactionID":"\#(original)"}"#, [:]),
            (
                .transfers, "/v1/customers/cleo/transfers",
                #"{"originalTransactionID":"\#(original)","reason":"a new account"}"#, [:]
            ),
            (.webhookAttempts, "/v1/webhooks/billing/attempts?limit=1", nil, [:]),
            (.parkedWebhooks, "/v1/webhooks/billing/parked?limit=1", nil, [:]),
            (.replayWebhook, "/v1/webhooks/billing/replay", #"{"after":"0","customer":"anna"}"#, [:]),
            (.resumeWebhook, "/v1/webhooks/billing/resume", nil, [:]),
            (.revokeAccess, base + "/grants/a?reason=r", nil, [:]),
            (.grants, base + "/grants", nil, [:]), (.erase, base + "?reason=asked", nil, [:]),
        ]
        // Each described route is requested, so that a new one cannot be forgotten. One that only reads needs no line.
        let described = CompanionRoute.all.filter { schema(of: $0) != nil }
        let named = Set((writes + others).map(\.route.id))
        let reads: [Question] = described.filter { $0.method == .get && !named.contains($0.id) }
            .map { ($0, $0.samplePath, nil, [:]) }
        let asked = writes + reads + others
        #expect(Set(asked.map(\.route.id)) == Set(described.map(\.id)))
        for (route, path, body, fields) in asked {
            let answer = try await shop.ask(
                route.method.rawValue, path, body: body,
                type: route.id == CompanionRoute.transactions.id ? "text/plain" : "application/json",
                fields: fields)
            #expect(answer.status == 200, "\(route.id): \(answer.text)")
            let value = try JSONReader().read(Array(answer.text.utf8)).root
            #expect(description.faults(value, schema(of: route) as Any) == [], "\(route.id): \(answer.text)")
        }
        for event in try await shop.vault.events(after: .start, of: nil, limit: 1_000) {
            let value = try JSONReader().read(Array(event.json.text().utf8)).root
            #expect(description.faults(value, named: "Event") == [])
            let message = try JSONReader().read(WebhookMessage(event).body).root
            #expect(description.faults(message, named: "WebhookMessage") == [])
        }
    }

    @Test(
        "Every event about a notification has exactly the members that its schema names",
        arguments: StoreEvent.Notification.Kind.allCases)
    func notifications(_ kind: StoreEvent.Notification.Kind) throws {
        let at = try #require(Instant("2026-03-01T09:30:00Z"))
        let notices = [
            StoreEvent.Notification(kind, name: "TYPE", uuid: nil),
            StoreEvent.Notification(
                kind, name: "TYPE/SUBTYPE", uuid: "n-1", productID: "coins.500", transactionID: "2000", due: at,
                details: "one two"),
        ]
        for notice in notices {
            for customer in ["anna", .nobody] as [CustomerID] {
                let event = StoreEvent(
                    place: FeedPlace(7), customer: customer, change: StoreEvent.Change(notice, at: at))
                let value = try JSONReader().read(Array(event.json.text().utf8)).root
                #expect(description.faults(value, named: "Event") == [])
                let message = try JSONReader().read(WebhookMessage(event).body).root
                #expect(description.faults(message, named: "WebhookMessage") == [])
            }
        }
    }

    @Test("Every problem has exactly the members that its schema names")
    func problems() async throws {
        let shop = try await CompanionShop()
        let base = "/v1/customers/anna"
        for (method, path, body) in [
            ("GET", "/nothing", nil), ("GET", base + "/features/prro", nil), ("GET", "/v1/webhooks/other/parked", nil),
            ("GET", "/v1/events?after=17", nil),
            ("POST", base + "/balances/coins/spend", #"{"quantity":5}"#), ("DELETE", base + "?reason=r", nil),
            ("POST", "/apple/notifications", #"{"signedPayload":"a.b.c"}"#),
            ("POST", base + "/transactions", #"{"transactions":["a.b.c"]}"#),
        ] as [(String, String, String?)] {
            let answer = try await shop.ask(method, path, body: body, fields: ["Idempotency-Key": "k"])
            #expect(answer.status >= 400)
            let value = try JSONReader().read(Array(answer.text.utf8)).root
            #expect(description.faults(value, named: "Problem") == [], "\(answer.text)")
        }
    }

    @Test("The check of these tests detects a value that differs from its schema")
    func noticed() throws {
        for (name, text) in [
            ("BalanceRow", #"{"id":"coins"}"#), ("BalanceRow", #"{"id":"coins","balance":"5"}"#),
            ("BalanceRow", #"{"id":"coins","balance":5,"more":1}"#), ("BalanceRow", "[]"),
            ("Balances", #"[{"id":7,"balance":5}]"#), ("AnswerWord", #""maybe""#), ("Time", #""2026-01-01""#),
            ("Claimed", #"{"claimed":1,"new":0}"#), ("Nothing", "{}"),
        ] {
            let value = try JSONReader().read(Array(text.utf8)).root
            #expect(description.faults(value, named: "\(name)").count == 1, "\(name) \(text)")
        }
    }

    @Test("The pattern of an Idempotency-Key accepts the same keys as the service")
    func pattern() throws {
        let spend = description.paths["/v1/customers/{customer}/balances/{balance}/spend"]?["post"] as? [String: Any]
        let parameters = try #require(spend?["parameters"] as? [[String: Any]])
        let key = try #require(parameters.first { $0["name"] as? String == "Idempotency-Key" })
        #expect((key["schema"] as? [String: Any])?["pattern"] as? String == "^[!-~]{1,256}$")
        #expect("!~".isVisibleASCII && !"".isVisibleASCII && !" ".isVisibleASCII && !"\u{7F}".isVisibleASCII)
    }
}
