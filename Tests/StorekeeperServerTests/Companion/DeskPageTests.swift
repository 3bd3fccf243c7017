import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("A customer's page of the desk") struct DeskPageTests {
    private func grant(_ number: Int, in shop: CompanionShop) async throws {
        _ = try await shop.ask(
            "POST", "/v1/customers/anna/balances/coins/grant", as: .spend,
            body: #"{"quantity":1,"reason":"r\#(number)"}"#,
            fields: ["Idempotency-Key": "gift-\(number)"])
    }

    /// Returns the times in the history on a page, and the address of the next page.
    private func moments(_ page: String) -> (keys: [String], next: String?) {
        let history =
            page.split(separator: "id=\"history\"").dropFirst().first?.split(separator: "</section>").first ?? ""
        let keys = history.matches(of: #/key (gift-\d+)/#).map { String($0.1) }
        let next = history.firstMatch(of: #/rel="next" href="([^"]+)"/#).map {
            String($0.1).replacing("&amp;", with: "&").replacing("#history", with: "")
        }
        return (keys, next)
    }

    @Test("The history has every record once, in order, page by page") func paging() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let count = DeskHistory.pageSize * 2 + 7
        for number in 1...count { try await grant(number, in: shop) }
        var (found, next) = ([String](), Optional("/desk?customer=anna"))
        var pages = 0
        while let address = next {
            let page = try await shop.ask("GET", address, as: .desk)
            #expect(page.status == 200)
            let (keys, following) = moments(page.text)
            #expect(keys.count <= DeskHistory.pageSize)
            #expect(page.text.split(separator: "<tr>").count <= 300)
            found += keys
            next = following
            pages += 1
        }
        #expect(found == (1...count).reversed().map { "gift-\($0)" } && pages == 3)
        let only = try await shop.ask("GET", "/desk?customer=anna&only=purchases", as: .desk)
        #expect(moments(only.text).keys.isEmpty)
        for odd in ["before=x", "before=1_2", "before=99999999999999999999_1_1", "only=nothing", "after=nothing"] {
            #expect(try await shop.ask("GET", "/desk?customer=anna&\(odd)", as: .desk).status == 200, "\(odd)")
        }
    }

    @Test("The history names purchases, renewals, refunds, spends, grants, bindings, answers and webhooks")
    func kinds() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by anna")
        try await shop.step("advance 40 days")
        try await shop.ingest("anna")
        try await shop.step("refund coins.500 by anna")
        try await shop.ingest("anna")
        try await shop.parkWebhook("billing")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .desk).text
        for part in [
            "bought gold.monthly", "gold.monthly renewed", "coins bought with coins.500",
            "coins taken back: coins.500 refunded", "coins.500 refunded", "was assigned",
            "webhook billing: given up", "gold.monthly: has access, before not known",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        for (kind, yes, no) in [
            ("messages", "webhook billing", "gold.monthly renewed"),
            ("purchases", "gold.monthly renewed", "webhook billing"),
            ("answers", "before never bought", "coins bought with"), ("balances", "coins bought with", "was assigned"),
        ] {
            let part =
                try await shop.ask("GET", "/desk?customer=anna&only=\(kind)", as: .desk).text
                .split(separator: "id=\"history\"").dropFirst().first?.split(separator: "</section>").first ?? ""
            #expect(part.contains(yes) && !part.contains(no), "\(kind)")
        }
    }

    @Test("The history names the states in notifications, the download of the app, and added seats")
    func otherEvidence() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("seats gold.monthly by anna number 2")
        try await shop.ingest("anna")
        let app = try shop.served.store.appTransaction(of: "anna")
        _ = try await shop.pool.withStore("anna") { try await $0.ingest([app]) }
        #expect(try await shop.post().status == 200)
        try await shop.step("advance 1 hour")
        try await shop.step("seats gold.monthly by anna number 5")
        try await shop.ingest("anna")
        let page = try await shop.ask("GET", "/desk?customer=anna&only=purchases", as: .desk).text
        for part in [
            "Apple reported the state of purchase", "subscribed", "got the app, first in version 1.0",
            "bought gold.monthly", "added seats to gold.monthly",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    @Test("Another time is shown as it was, and as it was known") func past() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let start = shop.served.store.now
        try await shop.step("advance 1 day")
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("advance 1 hour")
        try await shop.ingest("anna")
        let known = shop.served.store.now
        try await shop.step("advance 1 hour")
        try await shop.step("refund gold.monthly by anna")
        try await shop.ingest("anna")
        func page(_ more: String) async throws -> String {
            try await shop.ask("GET", "/desk?customer=anna&\(more)", as: .desk).text
        }
        let now = try await page("")
        #expect(now.contains("access ended, Apple refunded it") || now.contains("Apple refunded it"))
        #expect(!now.contains("This is not the present"))
        let before = try await page("at=\(start)")
        #expect(before.contains("No purchase is known") && before.contains("This is not the present"))
        let then = try await page("asKnownAt=\(known)")
        #expect(then.contains("from what was known at") && then.contains("a free trial is running"), "\(then)")
        #expect(!then.contains("refunded it"))
        // An empty field chooses no time.
        #expect(try await !page("at=&asKnownAt=").contains("This is not the present"))
        #expect(try await page("asKnownAt=2099-01-01").contains("from all signed evidence"))
        for name in ["at", "asKnownAt"] {
            let misread = try await shop.ask("GET", "/desk?customer=anna&\(name)=soon", as: .desk)
            #expect(misread.status == 400 && misread.fields[.contentType]?.hasPrefix("text/html") == true)
            #expect(misread.text.contains("“soon” is not a time") && misread.text.contains("At "))
        }
        // The page says that it shows the current answers, so the other time in the address has no effect.
        let other = try await shop.ask("GET", "/desk?customer=anna&at=soon&asKnownAt=\(known)", as: .desk)
        #expect(other.text.contains("so this page shows now") && other.text.contains("refunded it"))
    }

    @Test("The summary for a ticket is plain text with a link that shows the same time") func ticket() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        let ticket = try await shop.ask("GET", "/desk/ticket.txt?customer=anna", as: .desk)
        #expect(ticket.status == 200 && ticket.fields[.contentType] == "text/plain; charset=utf-8")
        for part in [
            "anna · com.example.game",
            "gold.monthly: has access, a free trial is running [entitled (active)], since 2026-01-01 00:00, until 2026-",
            "pro: has access, a free trial is running [entitled (active)], since 2026-01-01 00:00, until 2026-",
            "coins: 500 bought + 0 granted − 0 spent − 0 refunded = 500 left", "Made by the-desk at",
        ] {
            #expect(ticket.text.contains(part), "\(ticket.text)")
        }
        let link = try #require(ticket.text.firstMatch(of: #/Link to this page: \S*(\/desk\?customer=anna&at=\S+)/#)?.1)
        let linked = try await shop.ask("GET", String(link), as: .desk)
        #expect(linked.status == 200 && linked.text.contains("from what was known at"))
        #expect(try await shop.ask("GET", "/desk/ticket.txt?customer=nobody", as: .desk).status == 404)
        #expect(try await shop.ask("GET", "/desk/ticket.txt?customer=anna", as: .check).status == 403)
        let german = try await shop.ask("GET", "/desk/ticket.txt?customer=anna&lang=de", as: .desk)
        #expect(german.text.contains("500 gekauft + 0 geschenkt") && german.text.contains("hat Zugriff"))
    }

    @Test("The page and the ticket begin with what the customer has lost and has") func summary() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in ["buy gold.monthly by anna", "buy remove.ads by anna", "buy coins.500 by anna"] {
            try await shop.step(step)
        }
        try await shop.ingest("anna")
        try await shop.step("advance 1 day")
        try await shop.step("refund remove.ads by anna")
        try await shop.ingest("anna")
        func summary(_ more: String = "") async throws -> String {
            let page = try await shop.ask("GET", "/desk?customer=anna\(more)", as: .desk).text
            return String(try #require(page.firstMatch(of: #/<p class="summary">([^<]*)</#)).1)
        }
        let now = try await summary()
        #expect(
            now.contains(#/^Lost remove\.ads on 2026-01-02: Apple refunded [^ ]+\. Has [^.]* and 500 coins\.$/#),
            "\(now)")
        #expect(now.contains("pro (a free trial is running)"), "\(now)")
        let german = try await summary("&lang=de")
        #expect(german.hasPrefix("Verlor remove.ads am 02.01.2026: Apple hat ") && german.hasSuffix(" und 500 coins."))
        let before = try await summary("&at=2026-01-01T12:00:00Z")
        #expect(before.hasPrefix("Has ") && !before.contains("Lost"), "\(before)")
        #expect(try await summary("&at=2025-12-01").hasPrefix("No purchase is known"))
        #expect(try await shop.ask("GET", "/desk/ticket.txt?customer=anna", as: .desk).text.contains(now))

        // A subscription that ended some time ago was lost when its access ended.
        try await shop.step("fail billing anna")
        for step in ["advance 9 days", "advance 100 days"] {
            try await shop.step(step)
            try await shop.ingest("anna")
        }
        let ended = try await summary()
        #expect(ended.contains("Lost gold.monthly on 2026-0") && ended.hasSuffix("Has 500 coins."), "\(ended)")
    }

    @Test("A refund of a period that was already over is not the reason why access was lost") func lateRefund()
        async throws
    {
        let shop = try await CompanionShop(hasDesk: true)
        for step in ["buy season.pass by anna", "advance 100 days", "refund season.pass by anna"] {
            try await shop.step(step)
        }
        try await shop.ingest("anna")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .desk).text
        let summary = try #require(page.firstMatch(of: #/<p class="summary">([^<]*)</#)).1
        #expect(
            summary.hasPrefix("Lost season-arena on 2026-04-01: the period ended without a renewal."), "\(summary)")
        #expect(page.contains("lapsed (refunded)"))
    }

    @Test("A subscription group has its name from the catalog, also on the start page") func groups() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for path in ["/desk?customer=anna", "/desk"] {
            let page = try await shop.ask("GET", path, as: .desk).text
            #expect(page.contains("group Membership: subscribed, before never bought"), "\(path)")
            #expect(!page.contains("group 2"), "\(path)")
        }
    }

    @Test("Names in the summary for a ticket cannot be Markdown, or reverse the text") func hostileTicket() async throws
    {
        let shop = try await CompanionShop(hasDesk: true)
        let name = "[a](https://evil.example)\u{202E}````\u{2066}"
        let address = "/v1/customers/\(name.percentEncoded)/balances/coins/grant"
        let granted = try await shop.ask(
            "POST", address, as: .spend, body: #"{"quantity":5,"reason":"![x](https://evil.example/x.png)"}"#,
            fields: ["Idempotency-Key": "k"])
        #expect(granted.status == 200, "\(granted.text)")
        let ticket = try await shop.ask("GET", "/desk/ticket.txt?customer=\(name.percentEncoded)", as: .desk)
        #expect(!ticket.text.unicodeScalars.contains { $0.properties.isBidiControl })
        let lines = ticket.text.split(separator: "\n", omittingEmptySubsequences: false)
        let fences = lines.indices.filter { lines[$0].hasPrefix("`````") }
        try #require(fences.count == 2, "\(ticket.text)")
        #expect(fences[1] == lines.count - 2)
        for index in lines.indices where lines[index].contains("](") { #expect(fences[0] < index && index < fences[1]) }
        #expect(lines.contains { $0.contains("[a](https://evil.example) ````") }, "\(ticket.text)")
    }

    @Test("The family is named: who shares, and who uses what the family shares") func family() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        // Bert's own purchase has ended.
        for step in [
            "buy gold.monthly by bert", "cancel gold.monthly by bert", "advance 40 days", "new family anna",
            "join family bert of anna", "buy gold.monthly by anna",
        ] { try await shop.step(step) }
        try await shop.ingest("anna")
        try await shop.ingest("bert")
        let anna = try await shop.ask("GET", "/desk?customer=anna", as: .desk).text
        let bert = try await shop.ask("GET", "/desk?customer=bert", as: .desk).text
        #expect(anna.contains("can share gold.monthly with the family"), "\(anna)")
        #expect(bert.contains("uses what the family shares: gold.monthly"), "\(bert)")
        #expect(!bert.contains("can share"), "\(bert)")
    }
}
