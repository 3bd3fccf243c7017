import Foundation
import Storekeeper
import StorekeeperCharts
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("The texts of the desk") struct DeskTextsTests {
    /// Returns the names in braces in a text.
    private static func names(_ text: String) -> [String] {
        text.matches(of: #/\{(\w+)\}/#).map { String($0.1) }.sorted()
    }

    @Test("Every text is there in every language, with the same values") func complete() {
        for (key, texts) in DeskTexts.table {
            #expect(Set(texts.keys) == Set(DeskLanguage.allCases.map(\.rawValue)), "\(key)")
            for (language, text) in texts {
                #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(key) in \(language)")
                #expect(Self.names(text) == Self.names(texts["en"] ?? ""), "\(key) in \(language)")
            }
        }
        for text in DeskText.allCases { #expect(DeskTexts.table[text.rawValue] != nil, "\(text)") }
        #expect(Set(DeskTexts.table.keys.filter { !$0.contains(".") }) == Set(DeskText.allCases.map(\.rawValue)))
    }

    @Test("The words of the contract have a text") func words() {
        // A free trial, and what is shared or assigned, have texts of their own.
        let reasons = ["active.trial", "active.shared", "active.assigned", "owned.shared", "owned.assigned"]
        let words: [(kind: String, words: [String])] = [
            ("answer", EntitlementAnswer.Kind.allCases.map(\.rawValue)),
            ("reason", EntitlementAnswer.Reason.allCases.map(\.rawValue) + reasons),
            ("due", Upcoming.Event.allCases.map(\.rawValue)),
            ("state", RenewalState.allCases.map(\.rawValue)), ("link", AppStoreLink.allCases.map(\.rawValue)),
            ("offer", ["eligible", "ineligible", "unknown"]), ("severity", ["error", "warning", "note"]),
            (
                "offerReason",
                OfferAnswer.EligibleReason.allCases.map(\.rawValue)
                    + OfferAnswer.IneligibleReason.allCases.map(\.rawValue)
                    + OfferAnswer.UnknownReason.allCases.map(\.rawValue)
            ), ("kind", ["all"] + DeskHistory.Kind.allCases.map(\.rawValue)),
            ("found", DeskSearch.Way.allCases.map(\.rawValue)), ("grant", ["active", "ended", "revoked"]),
            ("outcome", WebhookAttempt.Outcome.allCases.map(\.rawValue)),
            (
                "timeline",
                TimelineWords.Text.allCases.map { "\($0)" } + TimelineText.allCases.map(\.name)
            ), ("look", TimelineChart.SegmentStyle.allCases.map(\.rawValue)),
            ("event", TimelineChart.Event.Kind.allCases.map(\.rawValue)),
            ("year", ["one", "other"]), ("month", ["one", "other"]), ("day", ["one", "other"]),
            ("hour", ["one", "other"]), ("minute", ["one", "other"]), ("second", ["one", "other"]),
        ]
        let wanted = Set(words.flatMap { kind, words in words.map { "\(kind).\($0)" } })
        #expect(Set(DeskTexts.table.keys.filter { $0.contains(".") }) == wanted)
    }

    @Test("A diagnostic or a problem has a meaning in every language, or in none") func meanings() {
        #expect(Set(Diagnostic.Code.levelsDiffer.meanings.keys) == Set(DeskLanguage.allCases.map(\.rawValue)))
        let meanings = Problem.Kind.keyForbidden.meanings
        #expect(Set(meanings.keys) == Set(DeskLanguage.allCases))
        for text in meanings.values { #expect(Self.names(text) == ["own", "scope"], "\(text)") }
    }

    @Test("No template has a text that is not in the table", arguments: DeskContent.ownTemplates.keys.sorted())
    func templates(_ name: String) throws {
        let template = try #require(DeskContent.ownTemplates[name])
        for match in template.matches(of: #/\{\{text\.(\w+)\}\}/#) {
            #expect(DeskText(rawValue: String(match.1)) != nil, "\(match.1)")
        }
        // After placeholders and the project's own name are removed, the visible parts of a template must contain no
        // letters.
        let ownNames = ["Storekeeper"]
        func letters(_ text: Substring) -> String {
            var text = String(text).replacing(#/\{\{[^}]*\}\}/#, with: "")
            for name in ownNames { text = text.replacing(name, with: "") }
            return text.filter(\.isLetter)
        }
        for attribute in template.matches(of: #/(?:aria-label|title|alt|placeholder|aria-valuetext)="([^"]*)"/#) {
            #expect(letters(attribute.1).isEmpty, "\(attribute.0)")
        }
        let visible = template.replacing(#/<style.*?<\/style>|<script.*?<\/script>/#, with: "")
            .replacing(#/<[^>]*>/#, with: "")
        #expect(letters(visible[...]).isEmpty, "\(letters(visible[...]))")
    }

    @Test(
        "The reader's language is chosen by the browser's list, or by a link",
        arguments: [
            ("de", DeskLanguage.german), ("de-AT,en;q=0.5", .german), ("en,de;q=0.9", .english), ("fr", .english),
            ("fr,de;q=0.3", .german), ("de;q=0", .english), ("*", .english), ("", .english), (";;,,q=", .english),
            ("en;q=0.4, de;q=0.8", .german),
        ])
    func preferred(_ header: String, _ language: DeskLanguage) {
        #expect(DeskLanguage.preferred(by: header) == language)
    }

    @Test("The whole page is in the chosen language, and its links keep it") func german() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in ["buy gold.monthly by anna", "buy coins.500 by anna", "fail billing anna", "advance 5 weeks"] {
            try await shop.step(step)
        }
        try await shop.ingest("anna")
        let page = try await shop.ask(
            "GET", "/desk?customer=anna&why=gold.monthly&lang=de", as: .admin, fields: ["Accept-Language": "en"])
        for part in [
            "<html lang=\"de\">", "Was anna besitzt", "Guthaben", "Zugriff beendet",
            "<th scope=\"col\">Transaktion</th>",
            "lang=de", "name=\"lang\" value=\"de\"", "Die Schritte erklärt",
        ] {
            #expect(page.text.contains(part), "\(part)")
        }
        // The German page contains no English text of the table, except texts that are also German texts.
        let german = Set(DeskTexts.table.values.compactMap { $0["de"] })
        let visible = page.text.replacing(#/<ol class="reasons".*?<\/ol>/#, with: "").replacing(#/<[^>]*>/#, with: "\n")
        let lines = Set(visible.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        for (key, texts) in DeskTexts.table {
            guard let english = texts["en"], !english.contains("{"), !german.contains(english) else { continue }
            #expect(!lines.contains(english), "\(key): \(english)")
        }
        let byHeader = try await shop.ask("GET", "/desk", as: .desk, fields: ["Accept-Language": "de-DE,de;q=0.9"])
        #expect(byHeader.text.contains("Was besitzt dieser Kunde") && !byHeader.text.contains("name=\"lang\""))
    }

    @Test("Times, numbers and prices are written as the language does") func formats() throws {
        let (english, german) = (DeskFormat(DeskTexts(.english)), DeskFormat(DeskTexts(.german)))
        let at = try #require(Instant("2026-03-01T09:30:00Z"))
        #expect(english.time(at) == "2026-03-01 09:30" && german.time(at) == "01.03.2026 09:30")
        let exact = at.adding(milliseconds: 15_000)
        #expect(english.time(exact) == "2026-03-01 09:30:15" && german.time(exact) == "01.03.2026 09:30:15")
        for (number, en, de) in [
            (0, "0", "0"), (999, "999", "999"), (1_000, "1,000", "1.000"), (-1_234_567, "−1,234,567", "−1.234.567"),
            (Int64.min, "−9,223,372,036,854,775,808", "−9.223.372.036.854.775.808"),
        ] as [(Int64, String, String)] {
            #expect(english.number(number) == en && german.number(number) == de)
        }
        #expect(english.distance(at.adding(milliseconds: 3 * 86_400_000), from: at) == "in 3 days")
        #expect(german.distance(at.adding(milliseconds: 3 * 86_400_000), from: at) == "in 3 Tagen")
        #expect(german.distance(at.adding(milliseconds: -86_400_000), from: at) == "vor 1 Tag")
        #expect(german.distance(at, from: at) == "jetzt")
        for instant in [Instant.distantPast, .distantFuture] { #expect(!german.time(instant).isEmpty) }
    }

    @Test("A value that looks like a name in braces stays as it is") func braces() {
        let texts = DeskTexts(.english)
        #expect(
            texts(.unknownCustomer, ["customer": "{customer} {x"])
                == "The vault has no data about “{customer} {x”. Check the spelling of the id.")
    }

    @Test("Each class of the desk's style is in a template or the script") func classes() {
        let markup = DeskContent.ownTemplates.values.joined() + DeskScript.text
        for match in DeskStyle.own.matches(of: #/\.([a-z][A-Za-z-]*)(?![^{}]*;)/#) {
            #expect(markup.contains(match.1), "\(match.1)")
        }
    }
}
