import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperAppStore
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("The actions of the desk", .system) struct DeskActionTests {
    private static let form = "application/x-www-form-urlencoded"

    private func post(
        _ path: String, _ fields: String, as scope: Scope, in shop: CompanionShop, fields head: [String: String] = [:]
    ) async throws -> CompanionShop.Answer {
        let answer = try await shop.ask("POST", path, as: scope, body: fields, type: Self.form, fields: head)
        // A browser opens the page to which the answer redirects it.
        guard answer.status == 303, let page = answer.fields[.location] else { return answer }
        return try await shop.ask("GET", page, as: scope)
    }

    @Test(
        "A caller without the scope sees why an action is missing, and cannot carry it out",
        arguments: [
            ("/desk/grants", Scope.grant), ("/desk/revocations", .grant), ("/desk/fetches", .grant),
            ("/desk/claims", .claim), ("/desk/transfers", .admin),
            ("/desk/erasures", .admin), ("/desk/webhooks/resume", .admin), ("/desk/webhooks/replay", .admin),
        ] as [(String, Scope)])
    func scopes(_ path: String, _ needed: Scope) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for scope in Scope.allCases {
            let answer = try await post(path, "customer=anna", as: scope, in: shop)
            #expect((answer.status == 403) == !scope.includes(needed), "\(scope): \(answer.text)")
            guard scope.includes(.desk) else { continue }
            let page =
                try await shop.ask("GET", "/desk?customer=anna", as: scope).text
                + shop.ask("GET", "/desk/webhooks", as: scope).text
            #expect(page.contains("action=\"\(path)\"") == false || scope.includes(needed), "\(scope)")
        }
        let desk = try await shop.ask("GET", "/desk?customer=anna", as: .desk).text
        for part in [
            "Grant or revoke access: this needs a key with the scope grant or admin; yours has the scope desk.",
            "Fetch again from Apple: this needs a key with the scope grant or admin",
            "Assign a purchase: this needs a key with the scope claim or admin",
            "Erase all data: this needs a key with the scope admin",
        ] {
            #expect(desk.contains(part), "\(part)")
        }
    }

    @Test("A key may have several scopes, so that support assigns purchases without being an admin") func several()
        async throws
    {
        let key = try AccessKey.make(name: "lea", scopes: [.grant, .claim])
        let shop = try await CompanionShop(keys: [key.key], hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let page = try await shop.ask(
            "GET", "/desk?customer=anna", as: nil, fields: ["Authorization": "Bearer \(key.text)"])
        #expect(page.text.contains("id=\"claim\"") && page.text.contains("id=\"grant-subject\""))
        #expect(page.text.contains("scope admin; yours has the scope grant,claim."))
        let fields = "customer=anna&purchase=7"
        let claim = try await shop.ask(
            "POST", "/desk/claims", as: nil, body: fields, type: Self.form,
            fields: ["Authorization": "Bearer \(key.text)"])
        #expect(claim.status == 200 && claim.text.contains("No purchase with the original transaction id “7”"))
        for (text, isValid) in [("grant,claim", true), ("grant,", false), ("grant,grant", false), ("all", false)] {
            #expect((Scope.several(text) != nil) == isValid, "\(text)")
        }
    }

    @Test("A key of the scope claim alone does not show the desk") func claimAlone() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let answer = try await post("/desk/claims", "customer=anna&purchase=", as: .claim, in: shop)
        #expect(!answer.text.contains("gold.monthly") && !answer.text.contains("What anna owns"), "\(answer.text)")
        for customer in ["", "a%00b"] {
            let refused = try await post("/desk/claims", "customer=\(customer)&purchase=1", as: .admin, in: shop)
            #expect(refused.status == 400, "\(customer): \(refused.text)")
        }
        let unfounded = try await post("/desk/erasures", "customer=anna&typed=anna&reason=+", as: .admin, in: shop)
        #expect(unfounded.status == 200 && unfounded.text.contains("Give a reason."), "\(unfounded.text)")
        #expect(try await !shop.vault.load("anna").facts.isEmpty)
    }

    @Test("Forms of other sites change nothing") func foreign() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for (path, fields) in [
            ("/desk/fetches", "customer=anna"), ("/desk/claims", "customer=anna&purchase=1"),
            ("/desk/transfers", "customer=bert&purchase=1&reason=r"),
            ("/desk/erasures", "customer=anna&typed=anna&reason=r"), ("/desk/webhooks/resume", "webhook=billing"),
        ] {
            let answer = try await post(
                path, fields, as: .admin, in: shop, fields: ["Origin": "https://evil.example"])
            #expect(answer.status == 403 && answer.problem == "foreignOrigin", "\(path): \(answer.text)")
        }
        #expect(try await !shop.vault.load("anna").facts.isEmpty)
    }

    @Test("A purchase is assigned after a confirmation that names it, and never twice") func claim() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        _ = try await shop.post()
        for customer in ["anna", "bert"] {
            _ = try await shop.ask(
                "POST", "/v1/customers/\(customer)/balances/coins/grant", as: .spend,
                body: #"{"quantity":5,"reason":"a gift"}"#, fields: ["Idempotency-Key": "gift"])
        }
        let id = try #require(shop.served.store.transactions.first?.originalID).rawValue
        let asked = try await shop.ask("GET", "/desk?customer=anna&claim=+\(id)%0A", as: .admin)
        let question = try #require(asked.text.firstMatch(of: #/Assign (.+?) to anna\? This is permanent\. (.+?)</#))
        #expect(question.1.hasPrefix("gold.monthly, bought 2026-01-01 00:00") && question.1.hasSuffix("(\(id))"))
        #expect(question.2 == "It is logged as done by the-admin.")
        #expect(try await shop.vault.load("anna").facts.isEmpty)
        let done = try await post("/desk/claims", "customer=anna&purchase=\(id)", as: .admin, in: shop)
        #expect(done.status == 200 && done.text.contains("Assigned: \(id) belongs to anna now."), "\(done.text)")
        #expect(try await !shop.vault.load("anna").facts.isEmpty)
        let other = try await post("/desk/claims", "customer=bert&purchase=\(id)", as: .admin, in: shop)
        #expect(other.text.contains("(\(id)) belongs to anna."), "\(other.text)")
        let own = try await shop.ask("GET", "/desk?customer=anna&claim=\(id)", as: .admin)
        #expect(own.text.contains("\(id) belongs to this customer already"))
        let unknown = try await shop.ask("GET", "/desk?customer=anna&claim=77", as: .admin)
        #expect(unknown.text.contains("No purchase with the original transaction id “77” is known"))
        #expect(
            shop.log.lines.contains {
                $0.message == "done at the desk" && $0.metadata["caller"] == "the-admin"
                    && $0.metadata["action"] == "claim"
            })
    }

    @Test("A purchase is moved by an admin who gives a reason, and both customers' histories record it")
    func transfer() async throws {
        let support = try AccessKey.make(name: "lea", scopes: [.grant, .claim])
        let shop = try await CompanionShop(keys: [support.key], hasDesk: true)
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        let gift = try await shop.ask(
            "POST", "/v1/customers/bert/balances/coins/grant", as: .spend, body: #"{"quantity":5,"reason":"a gift"}"#,
            fields: ["Idempotency-Key": "gift"])
        #expect(gift.status == 200, "\(gift.text)")
        let id = try #require(shop.served.store.transactions.first?.originalID).rawValue
        func page(_ customer: String, _ more: String = "") async throws -> String {
            try await shop.ask("GET", "/desk?customer=\(customer)\(more)", as: .admin).text
        }
        func coins() async throws -> [Int64?] {
            var amounts: [Int64?] = []
            for customer in ["anna", "bert"] as [CustomerID] {
                amounts.append(try await shop.vault.balances(of: customer).first { $0.id == "coins" }?.amount)
            }
            return amounts
        }

        // Only an admin sees the form, and may send it.
        let asked = try await page("bert", "&claim=\(id)")
        #expect(asked.contains("action=\"/desk/transfers") && asked.contains("coins.500, bought 2026-01-01 00:00, "))
        #expect(asked.contains("(\(id)) belongs to anna. Move it to bert?"), "\(asked)")
        let head = ["Authorization": "Bearer \(support.text)"]
        let other = try await shop.ask("GET", "/desk?customer=bert&claim=\(id)", as: nil, fields: head)
        #expect(other.text.contains("(\(id)) belongs to anna.") && !other.text.contains("/desk/transfers"))
        let fields = "customer=bert&purchase=\(id)&reason=a+new+account"
        let refused = try await shop.ask(
            "POST", "/desk/transfers", as: nil, body: fields, type: Self.form, fields: head)
        #expect(refused.status == 403 && refused.problem == "keyForbidden", "\(refused.text)")
        // A transfer needs a reason.
        for (missing, status) in [("", 400), ("&reason=", 400), ("&reason=+", 200)] {
            let answer = try await post(
                "/desk/transfers", "customer=bert&purchase=\(id)\(missing)", as: .admin, in: shop)
            #expect(answer.status == status, "\(missing): \(answer.text)")
            #expect(status != 200 || answer.text.contains("Give a reason."), "\(answer.text)")
        }
        #expect(try await coins() == [500, 5])

        let done = try await post("/desk/transfers", fields, as: .admin, in: shop)
        #expect(done.status == 200 && done.text.contains("\(id) was moved from anna."), "\(done.text)")
        #expect(try await coins() == [0, 505])
        for (customer, words) in [("anna", "went to bert"), ("bert", "came from anna")] {
            let entry = try #require(
                try await shop.vault.account(of: CustomerID(rawValue: customer)).last { $0.kind == .transfer })
            #expect(entry.recordedBy == "the-admin")
            guard case .transfer(_, "anna", "bert", "a new account") = entry.cause else {
                Issue.record("the cause is \(entry.cause)")
                continue
            }
            let history = try await page(customer)
            #expect(history.contains(words) && history.contains("a new account"), "\(customer): \(history)")
        }
        #expect(
            shop.log.lines.contains {
                $0.message == "done at the desk" && $0.metadata["caller"] == "the-admin"
                    && $0.metadata["action"] == "transfer"
            })
    }

    @Test("A customer is erased only if the id is typed again, under the operator's name") func erase() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let wrong = try await post("/desk/erasures", "customer=anna&typed=bert&reason=asked", as: .admin, in: shop)
        #expect(wrong.text.contains("Nothing was erased"), "\(wrong.text)")
        #expect(try await !shop.vault.load("anna").facts.isEmpty)
        let done = try await post("/desk/erasures", "customer=anna&typed=+anna&reason=asked", as: .admin, in: shop)
        #expect(done.status == 200 && done.text.contains("Erased: ") && done.text.contains("Proof: "), "\(done.text)")
        #expect(try await shop.vault.load("anna").facts.isEmpty)
        #expect(try await shop.vault.erasures(of: "anna").map(\.reason) == ["asked (the-admin)"])
    }

    @Test("A link cannot make the desk report a change that was not made")
    func invented() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for change in ["granted=desk-1", "revoked=desk-1", "assigned=7", "moved=7"] {
            let page = try await shop.ask("GET", "/desk?customer=anna&\(change)", as: .admin)
            #expect(page.status == 200 && !page.text.contains("notice success"), "\(change): \(page.text)")
        }
        let webhook = try await shop.ask("GET", "/desk/webhooks?resumed=billing", as: .admin)
        #expect(!webhook.text.contains("notice success"), "\(webhook.text)")
    }

    @Test("Apple is asked again, and orders are looked up, over the App Store Server API") func fetch() async throws {
        let plain = try await CompanionShop(hasDesk: true)
        try await plain.step("buy gold.monthly by anna")
        try await plain.ingest("anna")
        let without = try await plain.ask("GET", "/desk?customer=anna", as: .grant)
        #expect(without.text.contains("the service was started without a key for the App Store Server API"))
        let refused = try await post("/desk/fetches", "customer=anna", as: .grant, in: plain)
        #expect(refused.status == 200 && refused.text.contains("was started without a key"))

        let later = try LaterAppStore()
        let shop = try await CompanionShop(hasDesk: true, appStore: later.client)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.step("advance 40 days")
        let down = try await post("/desk/fetches", "customer=anna", as: .grant, in: shop)
        #expect(down.text.contains("Apple could not be asked"), "\(down.text)")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .grant)
        #expect(page.text.contains("action=\"/desk/fetches\"") && page.text.contains("Ask Apple for everything"))
        try await shop.served.local.serving { url in
            later.set(url)
            let done = try await self.post("/desk/fetches", "customer=anna", as: .grant, in: shop)
            #expect(done.text.contains("Apple was asked: "), "\(done.text)")
            let order = try await shop.ask("GET", "/desk?search=MW12ABC3DE", as: .desk)
            #expect(order.status == 200 && order.text.contains("Apple"), "\(order.text)")
            for site in ["cross-site", "same-site", "same-origin", "none"] {
                let asked = try await shop.ask(
                    "GET", "/desk?search=MW12ABC3DE", as: .desk, fields: ["Sec-Fetch-Site": site])
                let isForeign = asked.text.contains("so Apple was not asked")
                #expect(asked.status == 200 && isForeign == site.contains("-site"), "\(site): \(asked.text)")
            }
        }
        try await later.close()
        let record = try await shop.vault.load("anna")
        #expect(record.facts.count > 2 && record.syncedAt != nil)
    }

    @Test("A purchase that only Apple has is fetched when it is assigned, without other purchases of the Apple Account")
    func fetchedClaim() async throws {
        let later = try LaterAppStore()
        let shop = try await CompanionShop(hasDesk: true, appStore: later.client)
        try await shop.step("buy silver.monthly by anna")
        try await shop.step("buy remove.ads by anna")
        let purchase = try #require(shop.served.store.transactions.first { $0.productID == "silver.monthly" })
        let id = try #require(purchase.originalID).rawValue
        let list = String(decoding: await shop.served.ask("GET", "/local/v1/transactions").body, as: UTF8.self)
        let orders = list.matches(of: #/"orderID"\s*:\s*"(M[0-9A-Z]+)"/#).map { String($0.1) }
        try #require(orders.count == 2, "\(list)")
        try await shop.served.local.serving { url in
            later.set(url)
            var results: [String] = []
            for order in orders {
                results.append(try await shop.ask("GET", "/desk?search=\(order)", as: .admin).text)
            }
            let result = try #require(results.first { $0.contains("Apple knows the purchase \(id)") }, "\(results)")
            #expect(result.contains("yet: silver.monthly, bought 2026-01-01 00:00"), "\(result)")
            #expect(result.contains("name=\"claim\" value=\"\(id)\""))
            let asked = try await shop.ask("GET", "/desk?claim=\(id)&customer=carla", as: .admin).text
            #expect(asked.contains("The vault does not have the purchase \(id). Ask Apple for it"), "\(asked)")
            let done = try await self.post("/desk/claims", "customer=carla&purchase=\(id)", as: .admin, in: shop)
            #expect(done.text.contains("Assigned: \(id) belongs to carla now."), "\(done.text)")
        }
        try await later.close()
        let products = try await shop.vault.load("carla").facts.compactMap { $0.fact.transaction?.productID }
        #expect(Set(products) == ["silver.monthly"])
    }

    @Test("Webhooks are shown to support, and resumed and replayed by an admin") func webhooks() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let none = try await shop.ask("GET", "/desk/webhooks", as: .desk)
        #expect(none.text.contains("The vault knows no webhook."))
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.parkWebhook("billing")
        try await shop.vault.changeWebhook("billing", of: [], isWhole: true) { step in
            step.pause(because: "the receiver answered with status 410", at: .day(400))
        }
        let seen = try await shop.ask("GET", "/desk/webhooks", as: .desk)
        for part in [
            "Messages to billing that were given up", "href=\"/desk?customer=anna\"", "status 410",
            "Resume or replay webhooks: this needs a key with the scope admin",
        ] {
            #expect(seen.text.contains(part), "\(part)")
        }
        #expect(!seen.text.contains("method=\"post\""))
        let admin = try await shop.ask("GET", "/desk/webhooks", as: .admin)
        #expect(admin.text.contains("Deliver to billing again? It is logged as done by the-admin."))
        let resumed = try await post("/desk/webhooks/resume", "webhook=billing", as: .admin, in: shop)
        #expect(resumed.text.contains("billing gets messages again"), "\(resumed.text)")
        #expect(try await shop.vault.webhookState(of: "billing")?.pause == nil)
        let replayed = try await post("/desk/webhooks/replay", "webhook=billing", as: .admin, in: shop)
        #expect(
            replayed.text.contains("The messages to billing that were given up are posted again"), "\(replayed.text)")
        let unknown = try await post("/desk/webhooks/resume", "webhook=nothing", as: .admin, in: shop)
        #expect(unknown.text.contains("The vault knows no webhook “nothing”"), "\(unknown.text)")
    }
}
