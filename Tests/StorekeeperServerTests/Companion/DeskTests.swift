import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("The desk") struct DeskTests {
    private static func basic(_ shop: CompanionShop, _ scope: Scope) throws -> [String: String] {
        let pair = "somebody:" + (try #require(shop.bearers[scope]))
        return ["Authorization": "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    @Test("An admin finds a customer and reads why an answer is so") func look() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        _ = try await shop.ask(
            "POST", "/v1/customers/anna/balances/coins/spend", as: .spend, body: #"{"quantity":20}"#,
            fields: ["Idempotency-Key": "lantern"])
        let admin = try Self.basic(shop, .admin)
        let page = try await shop.ask("GET", "/desk?customer=anna&why=gold.monthly", as: nil, fields: admin)
        #expect(page.status == 200 && page.fields[.contentType] == "text/html; charset=utf-8", "\(page.text)")
        let policy = try #require(page.fields[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        for part in [
            "<title>anna – Storekeeper</title>", "What anna owns", "Why gold.monthly: has access", "key lantern", "−20",
            ">480<", "<svg class=\"timeline\"", "bought gold.monthly", "coins spent",
        ] {
            #expect(page.text.contains(part), "\(part)")
        }
        let style = try await shop.ask("GET", "/desk/style.css", as: nil)
        #expect(style.fields[.contentType]?.hasPrefix("text/css") == true)
        let nobody = try await shop.ask("GET", "/desk?customer=nobody", as: nil, fields: admin)
        #expect(nobody.text.contains("The vault has no data about “nobody”. Check the spelling of the id."))
        let empty = try await shop.ask("GET", "/desk", as: nil, fields: admin)
        #expect(empty.text.contains("<title>Storekeeper</title>"))
        #expect(empty.status == 200 && empty.text.contains("Enter the id") && !empty.text.contains("<table"))
        // The customers that have changed last are listed, the newest first.
        #expect(empty.text.contains("Changed last") && empty.text.contains("<a href=\"/desk?customer=anna\">anna</a>"))
        #expect(empty.text.contains(#/<span class="soft">2026-01-01 00:00 [^:]*: [^<]*, before /#), "\(empty.text)")
        // For a known customer without purchases, empty sections are omitted.
        _ = try await shop.ask(
            "POST", "/v1/customers/bert/balances/coins/grant", as: .spend, body: #"{"quantity":5,"reason":"a gift"}"#,
            fields: ["Idempotency-Key": "gift"])
        let poor = try await shop.ask("GET", "/desk?customer=bert", as: nil, fields: admin)
        #expect(poor.text.contains("No purchase is known") && poor.text.contains("a gift · key gift"))
        #expect(!poor.text.contains("<caption class=\"unseen\">Products") && !poor.text.contains("statuses-heading"))
    }

    @Test("An explanation begins with the step that decides, and folds the facts without effect") func why()
        async throws
    {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.step("fail billing anna")
        for step in ["advance 9 days", "advance 61 days"] {
            try await shop.step(step)
            try await shop.ingest("anna")
        }
        let page = try await shop.ask("GET", "/desk?customer=anna&why=gold.monthly", as: .desk).text
        let panel = try #require(
            page.split(separator: "id=\"why\"").dropFirst().first?.split(separator: "</section>").first)
        let lists = panel.split(separator: "<ol class=\"reasons\"").dropFirst()
        let deciding = try #require(lists.first)
        #expect(deciding.contains(#/<span class="effect">→ lapsed/#) && deciding.matches(of: #/<li/#).count == 1)
        let earlier = try #require(lists.dropFirst().first)
        #expect(earlier.contains("purchase of gold.monthly") && !earlier.contains("→ still "), "\(earlier)")
        for folded in lists.dropFirst(2) {
            #expect(!folded.contains(#/→ (?!ignored|none|still )/#), "\(folded)")
        }
    }

    @Test("The columns of a balance add up, and a purchase of coins counts as a purchase") func columns() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for _ in 1...4 { try await shop.step("buy coins.500 by anna") }
        try await shop.ingest("anna")
        for (what, key, body) in [
            ("spend", "a", #"{"quantity":120}"#), ("grant", "b", #"{"quantity":7,"reason":"sorry"}"#),
        ] {
            let moved = try await shop.ask(
                "POST", "/v1/customers/anna/balances/coins/\(what)", as: .spend, body: body,
                fields: ["Idempotency-Key": key])
            #expect(moved.status == 200, "\(moved.text)")
        }
        let desk = try Self.basic(shop, .desk)
        let page = try await shop.ask("GET", "/desk?customer=anna", as: nil, fields: desk)
        #expect(page.status == 200 && !page.text.contains("Nothing was bought yet"))
        #expect(page.text.contains("Only consumables were bought"))
        #expect(page.text.contains(">Granted</th>") && page.text.contains(">Spent</th>"))
        let row =
            "<th scope=\"row\">coins</th><td>2,000</td><td>7</td><td>120</td><td>0</td><td><strong>1,887</strong></td>"
        #expect(page.text.contains("2,000 bought + 7 granted − 120 spent − 0 refunded = 1,887 left"))
        #expect(page.text.contains(row), "\(page.text)")
        // If the page has a section of balances, it has a link to this section.
        #expect(page.text.contains("href=\"#balances\"") && page.text.contains("id=\"balances\""))
        let before = try await shop.ask("GET", "/desk?customer=anna&at=2020-01-01", as: nil, fields: desk)
        #expect(before.text.contains("href=\"#history\""))
        #expect(!before.text.contains("#balances\"") && !before.text.contains("id=\"balances\""))
        #expect(page.text.contains("no notification from the App Store since the service started"))
    }

    @Test("The desk shows stale evidence, and a subscription whose billing retry has ended does not renew") func ended()
        async throws
    {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        let desk = try Self.basic(shop, .desk)
        func renews() async throws -> String? {
            let page = try await shop.ask("GET", "/desk?customer=anna", as: nil, fields: desk).text
            let table = page.split(separator: "statuses-heading").last ?? ""
            let row = table.split(separator: "<tr><th scope=\"row\">").dropFirst().first
            return row?.split(separator: "<td class=\"reason\">").last.map { String($0.prefix { $0 != "<" }) }
        }
        #expect(try await renews()?.hasPrefix("renews at ") == true)
        // The service receives no evidence about the next 40 days.
        try await shop.step("advance 40 days")
        #expect(try await renews() == "not known")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: nil, fields: desk)
        #expect(page.text.contains("warning: staleEvidence"), "\(page.text)")
        let german = try await shop.ask("GET", "/desk?customer=anna&lang=de", as: nil, fields: desk)
        let found = try #require(german.text.firstMatch(of: #/<p class="complaint">(.*?) – <span lang="en">/#))
        #expect(found.1.hasPrefix("Warnung: staleEvidence (") && found.1.hasSuffix("von Apple abrufen"))
        for path in ["entitlements", "timeline", "explanation?feature=pro"] {
            let answer = try await shop.ask("GET", "/v1/customers/anna/\(path)", as: .check)
            let codes = answer.document?["diagnostics"]?.array.map(Array.init)?.compactMap {
                $0.object?["code"]?.string
            }
            #expect(codes == ["staleEvidence"], "\(path): \(answer.text)")
        }
        try await shop.step("advance 200 days")
        // The renewal info still says that the subscription is set to renew, and so does the JSON document.
        #expect(try await renews() == "no, although it was set to renew")
        let answer = try await shop.ask("GET", "/v1/customers/anna/entitlements", as: .check)
        #expect(answer.text.replacing(" ", with: "").contains("\"willAutoRenew\":true"), "\(answer.text)")
    }

    @Test("A browser is asked for a key, and only the desk and admin scopes open the desk") func keys() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let asked = try await shop.ask("GET", "/desk", as: nil)
        #expect(asked.status == 401 && asked.fields[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
        for scope in [Scope.check, .spend, .claim] {
            #expect(try await shop.ask("GET", "/desk", as: nil, fields: Self.basic(shop, scope)).status == 403)
        }
        for wrong in ["Basic", "Basic !", "Basic YTpi", "Basic YQ=="] {
            #expect(try await shop.ask("GET", "/desk", as: nil, fields: ["Authorization": wrong]).status == 401)
        }
        // The API accepts bearer tokens, but not passwords.
        let api = try await shop.ask("GET", "/v1/parked", as: nil, fields: Self.basic(shop, .admin))
        #expect(api.status == 401 && api.fields[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
    }

    @Test(
        "A browser without a valid key gets a page and is asked again; other clients get problem details",
        arguments: [nil, "Basic YTpi", "Bearer sk_wrong"] as [String?])
    func refusal(_ authorization: String?) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let key = authorization.map { ["Authorization": $0] } ?? [:]
        let browser = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"].merging(key) { first, _ in first }
        let page = try await shop.ask("GET", "/desk?customer=anna", as: nil, fields: browser)
        #expect(page.status == 401 && page.fields[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
        #expect(page.fields[.contentType] == "text/html; charset=utf-8" && page.fields[.cacheControl] == "no-store")
        #expect(page.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        let reason = authorization == nil ? "No access key was sent." : "The service does not know this access key."
        #expect(page.text.contains(reason) && page.text.contains("as the password"), "\(page.text)")
        // The reader of the page has no key.
        #expect(!page.text.contains(ServedStore.bundleID) && !page.text.contains("anna"))
        let german = try await shop.ask(
            "GET", "/desk", as: nil, fields: browser.merging(["Accept-Language": "de"]) { first, _ in first })
        #expect(german.text.contains("<html lang=\"de\">"))
        // A script of the desk, a route of the API, and a service without the desk answer as before.
        let script = try await shop.ask("GET", "/desk", as: nil, fields: key.merging(["Accept": "*/*"]) { $1 })
        #expect(script.status == 401 && script.fields[.contentType] == "application/problem+json")
        let api = try await shop.ask("GET", "/v1/parked", as: nil, fields: browser)
        #expect(api.status == 401 && api.fields[.contentType] == "application/problem+json")
        let without = try await CompanionShop().ask("GET", "/desk", as: nil, fields: browser)
        #expect(without.status == 401 && without.fields[.contentType] == "application/problem+json")
    }

    @Test("A browser gets a page with a sentence for every refusal, such as that of a key with another scope")
    func refusals() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let browser = ["Accept": "text/html,*/*;q=0.8"]
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .check, fields: browser)
        #expect(page.status == 403 && page.fields[.contentType] == "text/html; charset=utf-8", "\(page.text)")
        #expect(page.text.contains("Your key has the scope check. This page needs the scope desk."), "\(page.text)")
        #expect(!page.text.contains("href=\"/desk\""))
        let german = try await shop.ask(
            "POST", "/desk/erasures", as: .desk, body: "customer=anna",
            fields: browser.merging(["Accept-Language": "de"]) { $1 })
        #expect(german.status == 403 && german.text.contains("Diese Seite braucht die Berechtigung admin."))
        let missing = try await shop.ask("GET", "/desk/ticket.txt?customer=nobody", as: .desk, fields: browser)
        #expect(missing.status == 404 && missing.text.contains("lang=\"en\">Unknown customer: "), "\(missing.text)")
        let incomplete = try await shop.ask(
            "POST", "/desk/grants", as: .grant, body: "customer=anna", type: "application/x-www-form-urlencoded",
            fields: browser)
        #expect(incomplete.status == 400 && incomplete.text.contains("the form is incomplete"), "\(incomplete.text)")
        let script = try await shop.ask("GET", "/desk", as: .check, fields: ["Accept": "*/*"])
        #expect(script.status == 403 && script.fields[.contentType] == "application/problem+json")
    }

    @Test(
        "Without the option the desk's routes do not exist",
        arguments: CompanionRoute.all.filter { $0.path.hasPrefix("/desk") && $0.method == .get }.map(\.path))
    func off(_ path: String) async throws {
        let shop = try await CompanionShop()
        #expect(try await shop.ask("GET", path, as: .admin).status == 404)
    }

    @Test(
        "Names are shown as text, whatever they contain",
        arguments: ["<script>alert(1)</script>", "\"><img src=x>", "'a' & b"])
    func hostile(_ name: String) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let path = "/desk?customer=\(name.percentEncoded)&why=\(name.percentEncoded)"
        _ = try await shop.ask(
            "POST", "/v1/customers/\(name.percentEncoded)/balances/coins/grant",
            body: #"{"quantity":1,"reason":"<b>"}"#,
            fields: ["Idempotency-Key": "<i>"])
        let page = try await shop.ask("GET", path, as: nil, fields: Self.basic(shop, .admin))
        #expect(page.status == 200)
        for raw in ["<script>", "<img src=x", "<b>", "<i>"] { #expect(!page.text.contains(raw), "\(raw)") }
        #expect(page.text.split(separator: "<script").count == 2)
    }
}
