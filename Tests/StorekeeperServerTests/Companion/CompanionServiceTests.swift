import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing
import Yams

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite struct CompanionServiceTests {
    /// Returns a path with which a request to the route succeeds.
    private static func path(_ route: CompanionRoute) -> String {
        switch route.id {
        case "explanation": route.samplePath + "?product=gold.monthly"
        case "erase": route.samplePath + "?reason=asked"
        case "events": route.samplePath + "?after=somewhere"
        default: route.samplePath
        }
    }

    @Test("A request without a key, or with a wrong key or scope, is refused", arguments: CompanionRoute.all)
    func access(_ route: CompanionRoute) async throws {
        let shop = try await CompanionShop()
        let (method, path) = (route.method.rawValue, Self.path(route))
        let body = method == "POST" ? "{}" : nil
        let keyless = try await shop.ask(method, path, as: nil, body: body)
        guard let needed = route.scope else {
            #expect(keyless.status != 401 && keyless.status != 403)
            return
        }
        #expect(keyless.status == 401 && keyless.problem == "keyMissing")
        #expect(keyless.fields[.wwwAuthenticate]?.hasPrefix(route.isForPeople ? "Basic" : "Bearer") == true)
        for wrong in ["Bearer sk_wrong", "Basic YTpi", "Bearer", "Bearer "] {
            let answer = try await shop.ask(method, path, as: nil, body: body, fields: ["Authorization": wrong])
            #expect(answer.status == 401, "\(wrong)")
        }
        for scope in Scope.allCases {
            let answer = try await shop.ask(method, path, as: scope, body: body)
            #expect((answer.status == 403) == !scope.includes(needed), "\(route.id) as \(scope): \(answer.text)")
            #expect(answer.status != 401)
        }
    }

    @Test("Each key may use exactly the routes of its scope")
    func scopes() {
        func routes(_ scope: Scope?) -> Set<String> {
            Set(CompanionRoute.all.filter { $0.scope == scope }.map { "\($0.method.rawValue) \($0.path)" })
        }
        let customer = "/v1/customers/{customer}"
        #expect(
            routes(nil) == [
                "POST /apple/notifications", "GET /.well-known/jwks.json", "GET /health/live", "GET /health/ready",
                "GET /openapi.yaml", "GET /desk/style.css", "GET /desk/script.js", "GET /desk/icon.svg",
            ])
        #expect(
            routes(.spend) == [
                "POST \(customer)/transactions", "POST \(customer)/balances/{balance}/spend",
                "POST \(customer)/balances/{balance}/grant",
            ])
        #expect(
            routes(.admin) == [
                "GET \(customer)/export", "DELETE \(customer)", "GET /v1/parked", "GET /v1/events", "GET /v1/webhooks",
                "GET /v1/webhooks/{webhook}/attempts", "GET /v1/webhooks/{webhook}/parked",
                "POST /v1/webhooks/{webhook}/replay", "POST /v1/webhooks/{webhook}/resume",
                "POST \(customer)/transfers", "POST /desk/transfers", "POST /desk/erasures",
                "POST /desk/webhooks/resume", "POST /desk/webhooks/replay",
            ])
        #expect(routes(.offer) == ["POST \(customer)/offers/{offer}/signature"])
        #expect(routes(.claim) == ["POST \(customer)/claims", "POST /desk/claims"])
        #expect(routes(.desk) == ["GET /desk", "GET /desk/ticket.txt", "GET /desk/webhooks"])
        for scope in Scope.allCases {
            let expected: Set<Scope> =
                switch scope {
                case .admin: Set(Scope.allCases)
                case .grant: [.check, .desk, .grant]
                default: [.check, scope]
                }
            #expect(Set(Scope.allCases.filter(scope.includes)) == expected)
        }
        // A key with the scope `check` can change nothing. Its only POST checks many customers, which are named in the
        // body.
        #expect(routes(.check).filter { !$0.hasPrefix("GET ") } == ["POST /v1/checks"])
    }

    @Test("The API description names every route with its scope, and no others")
    func description() async throws {
        let shop = try await CompanionShop()
        let text = try await shop.ask("GET", "/openapi.yaml", as: nil).text
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var described: [String: String?] = [:]
        for (path, methods) in paths {
            for (method, value) in methods where method != "parameters" {
                let operation = try #require(value as? [String: Any])
                described["\(method.uppercased()) \(path)"] = operation["x-scope"] as? String
                let responses = try #require(operation["responses"] as? [String: Any])
                #expect((responses["401"] != nil) == (operation["x-scope"] != nil))
            }
        }
        let wanted = CompanionRoute.all.map { ("\($0.method.rawValue) \($0.path)", $0.scope?.rawValue) }
        #expect(described == Dictionary(uniqueKeysWithValues: wanted))
    }

    @Test("A notification of the local App Store is parked, and counts once its chain is claimed")
    func notification() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy gold.monthly by anna")
        let original = try #require(shop.served.store.transactions.first?.originalID)
        let before = try await shop.ask("GET", "/v1/customers/anna/features/pro")
        #expect(before.document?["answer"]?.string != "entitled")
        let payload = try #require(try shop.served.store.notifications().first)
        let body = JSONText.object(["signedPayload": .string(payload)]).text()
        let posted = try await shop.ask("POST", "/apple/notifications", as: nil, body: body)
        #expect(posted.status == 200 && posted.text.isEmpty)
        let parked = try await shop.ask("GET", "/v1/parked")
        #expect(parked.document?["parked"]?.array.map(Array.init)?.count == 2, "\(parked.text)")
        let claimed = try await shop.ask(
            "POST", "/v1/customers/anna/claims", body: #"{"originalTransactionID":"\#(original.rawValue)"}"#)
        #expect(claimed.status == 200, "\(claimed.text)")
        let after = try await shop.ask("GET", "/v1/customers/anna/features/pro", as: .check)
        #expect(after.document?["answer"]?.string == "entitled", "\(after.text)")
        let taken = try await shop.ask(
            "POST", "/v1/customers/bert/claims", body: #"{"originalTransactionID":"\#(original.rawValue)"}"#)
        #expect(taken.status == 409 && taken.document?["holder"]?.string == "anna")
        let forged = try await shop.ask("POST", "/apple/notifications", as: nil, body: #"{"signedPayload":"a.b.c"}"#)
        #expect(forged.status == 400 && forged.problem == "untrusted", "\(forged.text)")
    }

    @Test("A purchase that the vault has not seen cannot be claimed or transferred, so that its owner still gets it")
    func unseenPurchase() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy gold.monthly by anna")
        let original = try #require(shop.served.store.transactions.first?.originalID)
        for path in ["claims", "transfers"] {
            let reason = path == "claims" ? "" : #","reason":"r""#
            let answer = try await shop.ask(
                "POST", "/v1/customers/bert/\(path)", body: #"{"originalTransactionID":"\#(original)"\#(reason)}"#)
            #expect(answer.status == 404 && answer.problem == "unknownPurchase", "\(answer.text)")
        }
        try await shop.ingest("anna")
        let after = try await shop.ask("GET", "/v1/customers/anna/features/pro", as: .check)
        #expect(after.document?["answer"]?.string == "entitled", "\(after.text)")
        // A purchase of another environment is not the one that the vault has seen.
        let elsewhere = try await shop.ask(
            "POST", "/v1/customers/bert/claims",
            body: #"{"originalTransactionID":"\#(original)","environment":"Production"}"#)
        #expect(elsewhere.problem == "unknownPurchase", "\(elsewhere.text)")
    }

    @Test("Evidence that the app sends is stored, and every route answers from it")
    func questions() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by anna")
        let texts = try shop.served.store.evidence(of: "anna")
        let body = JSONText.object(["transactions": .array(texts.map(JSONText.string))]).text()
        let taken = try await shop.ask("POST", "/v1/customers/anna/transactions", as: .spend, body: body)
        #expect(taken.status == 200 && taken.document?["new"]?.int64 ?? 0 > 1, "\(taken.text)")
        let lines = try await shop.ask(
            "POST", "/v1/customers/anna/transactions", as: .spend, body: texts.joined(separator: "\n"),
            type: "text/plain; charset=utf-8")
        #expect(lines.document?["new"]?.int64 == 0, "\(lines.text)")
        let unverified = try await shop.ask(
            "POST", "/v1/customers/anna/transactions", as: .spend, body: #"{"transactions":["a.b.c"]}"#)
        #expect(unverified.status == 422 && unverified.problem == "notBelieved")
        // Another customer sends the same evidence.
        let stolen = try await shop.ask("POST", "/v1/customers/bert/transactions", as: .spend, body: body)
        #expect(stolen.status == 200 && !stolen.text.contains("anna"), "\(stolen.text)")

        let base = "/v1/customers/anna"
        let entitlements = try await shop.ask("GET", base + "/entitlements", as: .check)
        let snapshot = try await shop.pool.snapshot(of: "anna")
        #expect(entitlements.text == snapshot.answers(at: shop.served.store.now).json.text())
        #expect(entitlements.document?["diagnostics"]?.array.map(Array.init)?.isEmpty == true)
        #expect(entitlements.fields[.cacheControl] == "no-store")
        let groups = try await shop.ask("GET", base + "/subscriptions", as: .check)
        #expect(groups.document?["groups"]?.array != nil && groups.document?["products"] == nil)
        let why = try await shop.ask("GET", base + "/explanation?feature=pro", as: .check)
        #expect(why.document?["steps"]?.array != nil, "\(why.text)")
        let picture = try await shop.ask("GET", base + "/timeline", as: .check, fields: ["Accept": "image/svg+xml"])
        #expect(picture.text.hasPrefix("<svg") && picture.fields[.contentType] == "image/svg+xml")
        #expect(picture.text.contains("renews at 2026-01-08 for 9.99 USD"), "the renewal that is due")
        let checks = try await shop.ask(
            "POST", "/v1/checks", as: .check, body: #"{"customers":["bert","anna"],"feature":"pro"}"#)
        let rows = checks.document?["checks"]?.array.map(Array.init) ?? []
        #expect(rows.map { $0.object?["customer"]?.string } == ["bert", "anna"], "\(checks.text)")
        #expect(rows.last?.object?["answer"]?.string == "entitled")
    }

    @Test("At an earlier instant the balances are those of that instant")
    func earlierBalances() async throws {
        let shop = try await CompanionShop()
        let start = shop.served.store.now
        try await shop.step("advance 1 day")
        try await shop.step("buy coins.500 by anna")
        try await shop.step("advance 1 day")
        try await shop.ingest("anna")
        let spent = try await shop.ask(
            "POST", "/v1/customers/anna/balances/coins/spend", as: .spend, body: #"{"quantity":30}"#,
            fields: ["Idempotency-Key": "order"])
        #expect(spent.status == 200, "\(spent.text)")
        func coins(at instant: Instant?) async throws -> [Int64?] {
            let query = instant.map { "?at=\($0)" } ?? ""
            let answer = try await shop.ask("GET", "/v1/customers/anna/entitlements\(query)", as: .check)
            let rows = answer.document?["consumables"]?.array.map(Array.init)?.compactMap(\.object) ?? []
            let row = rows.first { $0["id"]?.string == "coins" }
            return ["credited", "spent", "balance"].map { row?[$0]?.int64 }
        }
        #expect(try await coins(at: start) == [0, 0, 0])
        #expect(try await coins(at: start.adding(days: 1)) == [500, 0, 500])
        #expect(try await coins(at: nil) == [500, 30, 470])
    }

    @Test("A customer who has just paid is entitled even if the service's clock is behind")
    func slowClock() async throws {
        let shop = try await CompanionShop(
            leases: try await LeaseKeys(pem: LeaseKeys.make(), life: 300_000), slowBy: 40_000)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let now = shop.served.store.now
        let entitlements = try await shop.ask("GET", "/v1/customers/anna/entitlements", as: .check)
        #expect(entitlements.document?["at"]?.string == now.description, "\(entitlements.text)")
        for path in ["features/pro", "explanation?feature=pro", "explanation?product=gold.monthly"] {
            let answer = try await shop.ask("GET", "/v1/customers/anna/\(path)", as: .check)
            #expect(answer.document?["answer"]?.string == "entitled", "\(path): \(answer.text)")
        }
        let lease = try await shop.ask("GET", "/v1/customers/anna/lease", as: .check)
        #expect(lease.document?["features"]?.array.map(Array.init)?.isEmpty == false, "\(lease.text)")
        let checks = try await shop.ask(
            "POST", "/v1/checks", as: .check, body: #"{"customers":["bert","anna"],"feature":"pro"}"#)
        let rows = (checks.document?["checks"]?.array.map(Array.init) ?? []).map(\.object)
        #expect(rows.last??["answer"]?.string == "entitled" && rows.last??["at"]?.string == now.description)
        #expect(rows.first??["at"]?.string == nil)
        #expect(checks.document?["at"]?.string == now.adding(milliseconds: -40_000).description, "\(checks.text)")
    }

    @Test("A balance changes once for each key, and a refusal gives its reason")
    func money() async throws {
        let shop = try await CompanionShop()
        let path = "/v1/customers/anna/balances/coins"
        func move(_ what: String, _ key: String?, _ body: String) async throws -> CompanionShop.Answer {
            try await shop.ask(
                "POST", "\(path)/\(what)", as: .spend, body: body, fields: key.map { ["Idempotency-Key": $0] } ?? [:])
        }
        let granted = try await move("grant", "gift", #"{"quantity":100,"reason":"a gift"}"#)
        #expect(granted.document?["balance"]?.int64 == 100, "\(granted.text)")
        let spent = try await move("spend", "order-1", #"{"quantity":30}"#)
        #expect(spent.document?["balance"]?.int64 == 70 && spent.document?["replayed"]?.bool == false)
        let again = try await move("spend", "order-1", #"{"quantity":30}"#)
        #expect(again.document?["balance"]?.int64 == 70 && again.document?["replayed"]?.bool == true)
        #expect(again.document?["receipt"]?.string == spent.document?["receipt"]?.string)
        let reused = try await move("spend", "order-1", #"{"quantity":31}"#)
        #expect(reused.status == 422 && reused.problem == "keyReused")
        // Another customer's keys are independent.
        let other = try await shop.ask(
            "POST", "/v1/customers/bert/balances/coins/grant", as: .spend, body: #"{"quantity":5,"reason":"r"}"#,
            fields: ["Idempotency-Key": "gift"])
        #expect(other.document?["balance"]?.int64 == 5 && other.document?["replayed"]?.bool == false, "\(other.text)")
        let tooMuch = try await move("spend", "order-2", #"{"quantity":71}"#)
        #expect(tooMuch.status == 409 && tooMuch.document?["balance"]?.int64 == 70, "\(tooMuch.text)")
        for (key, body) in [
            (nil, #"{"quantity":1}"#), ("k", #"{"quantity":0}"#), ("k", #"{"quantity":-1}"#), ("k", "{}"),
            ("k", #"{"quantity":1.5}"#), ("k", #"{"quantity":9223372036854775808}"#),
            ("k", #"{"quantity":1,"more":2}"#),
            ("k", "[]"), ("k", "{"), ("", #"{"quantity":1}"#),
            (String(repeating: "k", count: 257), #"{"quantity":1}"#), ("a b", #"{"quantity":1}"#),
            ("K\u{FFFD}ufe-1", #"{"quantity":1}"#), ("Käufe-1", #"{"quantity":1}"#),
        ] as [(String?, String)] {
            let answer = try await move("spend", key, body)
            #expect(answer.status == 400 && answer.problem == "badRequest", "\(body): \(answer.text)")
        }
        let balance = try await shop.ask("GET", path, as: .check)
        #expect(balance.document?["balance"]?.int64 == 70)
        let unmoved = try await shop.ask("GET", "/v1/customers/anna/balances/gems", as: .check)
        #expect(unmoved.document?["balance"]?.int64 == 0)
        let unknown = try await shop.ask("GET", "/v1/customers/anna/balances/coin", as: .check)
        #expect(unknown.status == 404 && unknown.problem == "unknownBalance", "\(unknown.text)")
        #expect(unknown.text.contains("did you mean 'coins'?"), "\(unknown.text)")
    }

    @Test(
        "Ids in paths may contain any character", arguments: ["a/b", "ä ö", "%", "..", "<script>", "a?b#c"])
    func ids(_ id: String) async throws {
        let shop = try await CompanionShop()
        let encoded = id.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let path = "/v1/customers/\(encoded)/balances/coins"
        let granted = try await shop.ask(
            "POST", path + "/grant", body: #"{"quantity":5,"reason":"r"}"#, fields: ["Idempotency-Key": "k"])
        #expect(granted.status == 200, "\(granted.text)")
        #expect(try await shop.vault.balances(of: CustomerID(rawValue: id)).first?.amount == 5)
    }

    @Test("Malformed requests are answered with problem details")
    func problems() async throws {
        let shop = try await CompanionShop()
        let base = "/v1/customers/anna"
        for (method, path, status, code) in [
            ("GET", "/nothing", 404, "notFound"), ("GET", "/v1/customers", 404, "notFound"),
            ("PUT", base + "/entitlements", 405, "wrongMethod"), ("GET", "/v1/checks", 405, "wrongMethod"),
            ("GET", "/v1/customers/an%00na/entitlements", 400, "badRequest"),
            ("GET", "/v1/customers/an%ffna/entitlements", 400, "badRequest"),
            ("GET", "/v1/customers/an%na/entitlements", 400, "badRequest"),
            ("GET", "/v1/customers/an%2/entitlements", 400, "badRequest"),
            ("GET", base + "/explanation?product=%ff", 400, "badRequest"),
            ("GET", base + "/explanation?product=%zz", 400, "badRequest"),
            ("DELETE", base + "?reason=%e4", 400, "badRequest"),
            ("GET", "/health/live?%ff", 400, "badRequest"),
            ("GET", "/v1//checks", 404, "notFound"), ("GET", base + "/entitlements/", 404, "notFound"),
            ("GET", "/v1/customers//features/pro", 404, "notFound"), ("GET", "/health/live/", 404, "notFound"),
            ("GET", "/v1/events?after=-1", 400, "badRequest"), ("GET", "/v1/events?after=01", 400, "badRequest"),
            ("GET", "/v1/events?after=1-ABCDEF0123456789", 400, "badRequest"),
            ("GET", "/v1/events?after=1-abc", 400, "badRequest"),
            ("GET", base + "/entitlements?att=1", 400, "badRequest"),
            ("GET", base + "/entitlements?at=soon", 400, "badRequest"),
            ("GET", base + "/entitlements?at=429103494231327", 400, "badRequest"),
            ("GET", base + "/entitlements?at=0&at=1", 400, "badRequest"),
            ("GET", base + "/explanation", 400, "badRequest"),
            ("GET", base + "/explanation?product=gold.monthli", 404, "unknownProduct"),
            ("GET", base + "/features/prro", 404, "unknownFeature"),
            ("GET", base + "/timeline?from=2026-02-01&until=2026-01-01", 400, "badRequest"),
            ("DELETE", base, 400, "badRequest"), ("GET", "/v1/parked?limit=0", 400, "badRequest"),
        ] {
            let answer = try await shop.ask(method, path)
            #expect(answer.status == status && answer.problem == code, "\(method) \(path): \(answer.text)")
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(answer.document?["detail"]?.string?.isEmpty == false)
        }
        let zone = try await shop.ask("GET", base + "/entitlements?at=2026-01-15T12:00:00+01:00")
        #expect(zone.status == 400 && zone.document?["detail"]?.string?.hasSuffix("; write + as %2B in a URL") == true)
        for (path, body) in [
            ("/v1/checks", #"{"customers":["anna"]}"#), ("/v1/checks", #"{"customers":["anna"],"feature":null}"#),
            ("/v1/checks", #"{"customers":["anna"],"feature":"pro","product":null}"#),
            ("/v1/checks", #"{"customers":["anna\u0000"],"feature":"pro"}"#),
            (base + "/claims", "{}"), (base + "/claims", #"{"originalTransactionID":""}"#),
            (base + "/claims", #"{"originalTransactionID":"1","token":null}"#),
            (base + "/claims", #"{"originalTransactionID":"1","environment":7}"#),
            (base + "/claims", #"{"token":"is not a UUID"}"#),
        ] {
            let answer = try await shop.ask("POST", path, body: body)
            #expect(answer.status == 400 && answer.problem == "badRequest", "\(body): \(answer.text)")
        }
        #expect(try await shop.ask("GET", "/v1/checks").fields[.allow] == "POST")
        #expect(try await shop.ask("TRACE", "/v1/checks").status == 405)
        #expect(try await shop.ask("QUERY", "/v1/checks").status == 405)
        let form = try await shop.ask("POST", "/v1/checks", body: "a=b", type: "application/x-www-form-urlencoded")
        #expect(form.status == 415)
        let long = try await shop.ask(
            "POST", "/v1/checks", body: #"{"feature":"\#(String(repeating: "a", count: 1 << 20))"}"#)
        #expect(long.status == 413, "\(long.text)")
    }

    @Test("A key beyond its rate gets 429 with Retry-After")
    func rate() async throws {
        let made = try AccessKey.make(name: "slow", scope: .check)
        let slow = try AccessKey(name: "slow", scope: "check", sha256: made.key.sha256, rate: 2)
        let shop = try await CompanionShop(keys: [slow])
        func ask() async throws -> CompanionShop.Answer {
            try await shop.ask(
                "GET", "/v1/customers/anna/balances", as: nil, fields: ["Authorization": "Bearer \(made.text)"])
        }
        for _ in 1...2 { #expect(try await ask().status == 200) }
        let refused = try await ask()
        #expect(refused.status == 429 && refused.fields[.retryAfter] == "1", "\(refused.text)")
        shop.served.wall.set(shop.served.wall.now.adding(milliseconds: 1_000))
        #expect(try await ask().status == 200)
        // The limit of this key does not affect other keys.
        #expect(try await shop.ask("GET", "/v1/customers/anna/balances").status == 200)
    }

    @Test("Erased data is gone, and the proof of erasure stays")
    func erasure() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy coins.500 by anna")
        let texts = try shop.served.store.evidence(of: "anna").joined(separator: "\n")
        _ = try await shop.ask("POST", "/v1/customers/anna/transactions", body: texts, type: "text/plain")
        #expect(try await shop.ask("GET", "/v1/customers/anna/balances/coins").document?["balance"]?.int64 == 500)
        #expect(try await shop.ask("DELETE", "/v1/customers/anna?reason=a%00b").status == 400)
        let erased = try await shop.ask("DELETE", "/v1/customers/anna?reason=asked%20for")
        #expect(erased.status == 200 && erased.document?["proof"]?.string?.isEmpty == false, "\(erased.text)")
        #expect(try await shop.ask("GET", "/v1/customers/anna/balances/coins").document?["balance"]?.int64 == 0)
        // An unknown customer gets no proof of erasure, and nothing is written.
        for customer in ["anna", "nobody"] {
            let again = try await shop.ask("DELETE", "/v1/customers/\(customer)?reason=asked")
            #expect(again.status == 404 && again.problem == "unknownCustomer", "\(again.text)")
            let export = try await shop.ask("GET", "/v1/customers/\(customer)/export")
            #expect(export.status == 404 && export.problem == "unknownCustomer", "\(export.text)")
        }
        #expect(try await shop.vault.erasures(of: "anna").count == 1)
        #expect(try await shop.vault.erasures(of: "nobody").isEmpty)
    }
}
