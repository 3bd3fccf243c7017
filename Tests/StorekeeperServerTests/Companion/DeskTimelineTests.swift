import Foundation
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("The timeline of the desk") struct DeskTimelineTests {
    private func shop() async throws -> CompanionShop {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        try await shop.step("fail billing anna")
        // A renewal info that was signed later than the grace period would not tell that there was one.
        for step in ["advance 9 days", "advance 61 days"] {
            try await shop.step(step)
            try await shop.ingest("anna")
        }
        return shop
    }

    /// Returns an attribute of the first element that begins with the given text.
    private func attribute(_ name: String, of element: String, in page: String) throws -> String {
        let tag = try #require(page.split(separator: element).dropFirst().first?.prefix { $0 != ">" })
        let value = try #require(tag.firstMatch(of: try Regex<(Substring, Substring)>(" \(name)=\"([^\"]*)\"")))
        return String(value.1).replacing("&amp;", with: "&").replacing("%3A", with: ":")
    }

    @Test("The links of the timeline keep what was known, the part and the language") func links() async throws {
        let shop = try await shop()
        let kept = "asKnownAt=2026-02-20T00:00:00.000Z"
        let page = try await shop.ask(
            "GET", "/desk?customer=anna&\(kept)&span=2026-01-01..2026-03-01&lang=de&at=2026-01-05&only=access",
            as: .desk
        ).text
        let span = "span=2026-01-01T00:00:00Z..2026-03-01T00:00:00Z"
        let frame = #"id="timeline-frame""#
        #expect(
            try attribute("data-at-address", of: frame, in: page)
                == "/desk?customer=anna&\(kept)&\(span)&lang=de&at=INSTANT#timeline")
        #expect(
            try attribute("data-span-address", of: frame, in: page)
                == "/desk?customer=anna&at=2026-01-05T00:00:00.000Z&\(kept)&lang=de&span=FROM..TO&only=access#timeline")
        #expect(
            try attribute("href", of: #"<a class="bar""#, in: page)
                == "/desk?customer=anna&\(kept)&\(span)&lang=de&at=2026-01-01T00:00:00Z#timeline")
        // Other links also keep the visible part of the timeline, for example the link for a ticket.
        #expect(try attribute("href", of: #"id="page-link""#, in: page).contains(span))
        for odd in ["span=x", "span=2026-03-01..2026-01-01", "span=..", "span="] {
            #expect(try await shop.ask("GET", "/desk?customer=anna&\(odd)", as: .desk).status == 200, "\(odd)")
        }
    }

    @Test("The times are chosen day by day, and none is known from the future") func steppers() async throws {
        let shop = try await shop()
        func times(_ query: String) async throws -> String {
            let page = try await shop.ask("GET", "/desk?customer=anna&\(query)", as: .desk).text
            let times = page.split(separator: #"<form id="travel""#).dropFirst().first?.split(separator: "</form>")
                .first
            return String(try #require(times)).replacing("&amp;", with: "&").replacing("%3A", with: ":")
        }
        let (at, known) = ("at=2026-01-10T09:30:00.000Z", "asKnownAt=2026-02-20T00:00:00.000Z")
        let chosen = try await times("\(at)&\(known)&span=2026-01-01..2026-04-30&lang=de")
        let rest = "&span=2026-01-01T00:00:00Z..2026-04-30T00:00:00Z&lang=de#timeline"
        for part in [
            "at=2026-01-09T09:30:00.000Z&\(known)\(rest)", "at=2026-01-11T09:30:00.000Z&\(known)\(rest)",
            "at=2025-12-11T09:30:00.000Z&\(known)\(rest)", "at=2026-02-09T09:30:00.000Z&\(known)\(rest)",
            "\(at)&asKnownAt=2026-02-19T00:00:00.000Z\(rest)", "\(at)&asKnownAt=2026-02-21T00:00:00.000Z\(rest)",
            // Both are now, one after the other; and what was known then.
            "customer=anna&\(known)\(rest)", "customer=anna&\(at)\(rest)",
            "\(at)&asKnownAt=2026-01-10T09:30:00.000Z\(rest)",
        ] {
            #expect(
                chosen.contains(#"href="/desk?customer=anna&"#) && chosen.contains("\(part)\""), "\(part): \(chosen)")
        }
        #expect(chosen.contains(#"name="at" value="2026-01-10 09:30""#), "\(chosen)")
        let now = try await times("")
        #expect(now.contains(#"name="at" value="" placeholder="now""#) && now.contains("a day later"), "\(now)")
        // The link that would lead to the future is only in the row of the answers.
        #expect(now.matches(of: #/a day later/#).count == 1 && now.matches(of: #/a day earlier/#).count == 2)
        // A time with a fraction of a second is kept when the form is sent.
        #expect(try await times("asKnownAt=2026-01-20T00:00:00.001Z").contains(#"value="2026-01-20T00:00:00.001Z""#))
    }

    @Test("The answers at the chosen time are beside the picture") func beside() async throws {
        let page = try await shop().ask("GET", "/desk?customer=anna&at=2026-01-03", as: .desk).text
        let section = try #require(
            page.split(separator: #"id="timeline""#).dropFirst().first?.split(separator: "</section>").first)
        #expect(section.contains("At 2026-01-03 00:00, from all signed evidence."), "\(section)")
        #expect(section.contains(#/<li>gold\.monthly <span class="answer entitled">.*a free trial is running/#))
        #expect(section.contains("<svg class=\"timeline\"") && !section.contains("type=\"range\""))
    }

    @Test("The timeline and the table say the same about each feature") func features() async throws {
        let page = try await shop().ask("GET", "/desk?customer=anna", as: .desk).text
        let runs = try #require(
            page.split(separator: #"<details id="runs">"#).dropFirst().first?.split(separator: "</table>").first)
        var last: [Substring: Substring] = [:]
        for row in runs.matches(
            of: #/<th scope="row">([^<]+)<\/th><td>[^<]*<\/td><td class="reason">[^<]* – ([^<]+)<\/td>/#)
        {
            last[row.1] = row.2
        }
        let table = try #require(
            page.split(separator: #"<section id="features""#).dropFirst().first?.split(separator: "</section>").first)
        // Gold has lapsed. The customer may have bought another product with the feature, because the whole history was
        // never read.
        #expect(last["pro"] == "unknown (neverSynced)" && last["gold.monthly"]?.hasPrefix("lapsed") == true, "\(last)")
        for row in table.matches(of: #/<th scope="row">([^<]+)<\/th>.*?<code class="soft">([^<]+)<\/code>/#) {
            #expect(last[row.1] ?? "unknown (neverSynced)" == row.2, "\(row.1)")
        }
    }

    @Test("The timeline is in the language of the page") func german() async throws {
        let shop = try await shop()
        func timeline(_ more: String) async throws -> Substring {
            let page = try await shop.ask("GET", "/desk?customer=anna\(more)", as: .desk).text
            return try #require(
                page.split(separator: #"id="timeline""#).dropFirst().first?.split(separator: "</section>").first)
        }
        let german = try await timeline("&lang=de")
        for part in [
            "Zeitachse von anna", "gold.monthly: hat Zugriff",
            "ein kostenloser Probezeitraum läuft – entitled (active)",
            "Von 01.01.2026 00:00 bis ", "jetzt, ", "Nachfrist beginnt", ">02.2026</text>", "kein Ende bekannt",
            "Produkt oder Funktion",
        ] {
            #expect(german.contains(part), "\(part)")
        }
        // If a text differs between the languages, its English form appears neither in the picture nor in attributes.
        let english = try await timeline("")
        for (key, texts) in DeskTexts.table where key.hasPrefix("timeline.") || key.hasPrefix("look.") {
            guard let own = texts["en"], let other = texts["de"], own.count > 8, !own.contains("{"), own != other else {
                continue
            }
            #expect(!german.contains(">\(own)<") && !german.contains("\"\(own)\""), "\(key)")
        }
        #expect(english.contains("Timeline of anna") && english.contains("gold.monthly: has access"))
        #expect(try await timeline("&asKnownAt=2026-01-20").contains("known until 2026-01-20 00:00"))
    }

    @Test("A customer without purchases has the controls of the times, and no timeline") func without() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        _ = try await shop.ask(
            "POST", "/v1/customers/bert/balances/coins/grant", as: .spend, body: #"{"quantity":5,"reason":"a gift"}"#,
            fields: ["Idempotency-Key": "gift"])
        let page = try await shop.ask("GET", "/desk?customer=bert", as: .desk).text
        #expect(!page.contains("timeline-frame") && page.contains("id=\"asKnownAt\""))
    }
}
