import Foundation
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of saving a story as a test with the page's form.
@Suite struct PageSavingTests {
    private static func shop() async throws -> ServedStore {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "buy coins.100 by bert", "advance 40 days"] {
            try await served.step(step)
        }
        return served
    }

    /// Returns the fields of the form with the ticked boxes.
    private static func form(_ client: PageClient, person: String? = "anna") async throws -> [String] {
        let page = await client.get("/?view=scenario" + (person.map { "&person=\($0)" } ?? ""))
        return try #require(page.form("test-form")).filter { $0.name == "expect" }.map(\.value)
    }

    private static func address(_ format: String, _ expectations: [String]) -> String {
        "/page/test?view=scenario&person=anna&format=\(format)"
            + expectations.map { "&expect=\($0.percentEncoded)" }.joined()
    }

    @Test("The answers of the selected customer are ticked, and nothing else")
    func ticks() async throws {
        let served = try await Self.shop()
        let client = PageClient(local: served.local)
        #expect(try await Self.form(client, person: nil) == [])
        let ticked = try await Self.form(client)
        #expect(ticked.contains("entitled gold.monthly because active for anna"))
        #expect(ticked.contains("state Membership subscribed for anna"))
        #expect(ticked.contains("entitled pro because active for anna"))
        #expect(
            ticked.allSatisfy { $0.hasSuffix(" for anna") && !$0.hasPrefix("signed ") && !$0.hasPrefix("never gold") })
        #expect(try await Self.form(client, person: "bert").contains("balance coins 100 for bert"))
        let page = await client.get("/?view=scenario&person=anna").text
        #expect(page.contains("value=\"never remove.ads because noPurchase for anna\">"))
        #expect(page.contains("value=\"balance coins 100 for bert\">"))
        #expect(page.contains("value=\"signed transaction expiresDate "))
    }

    @Test(
        "The ticked answers become steps of the saved scenario, in a file to be saved", arguments: ["file", "scenario"])
    func saved(format: String) async throws {
        let served = try await Self.shop()
        let client = PageClient(local: served.local)
        let signed = "signed transaction price 0 purchase transaction \(served.store.transactions[0].id)"
        let page = await client.get(
            Self.address(format, ["entitled pro because active for anna", "balance coins 100 for bert", signed]))
        #expect(page.status == 200)
        let name = format == "file" ? "a-shop-for-tests.yaml" : "scenario.yaml"
        #expect(page.header("Content-Disposition") == "attachment; filename=\"\(name)\"")
        #expect(page.text.contains("  - expect: entitled pro because active\n    for: anna\n"))
        #expect(page.text.contains("  - expect: balance coins 100\n    for: bert\n"))
        #expect(
            page.text.contains("  - expect signed:\n      transaction: { price: 0 }\n    purchase: transaction "))
        #expect(page.text.contains("catalog files:") == (format == "file"))
    }

    @Test("Members of one transaction become one step")
    func joined() async throws {
        let served = try await Self.shop()
        let id = served.store.transactions[0].id
        let texts = ["transaction price 0", "renewal autoRenewStatus 1", "transaction quantity 1"].map {
            "signed \($0) purchase transaction \(id)"
        }
        let page = await PageClient(local: served.local).get(Self.address("file", texts))
        #expect(
            page.text.contains(
                """
                  - expect signed:
                      transaction: { price: 0, quantity: 1 }
                      renewal: { autoRenewStatus: 1 }
                    purchase: transaction \(id)

                """), "\(page.text.suffix(400))")
    }

    @Test("An expectation that is no longer true is refused, with what is true instead")
    func outdated() async throws {
        let served = try await Self.shop()
        let client = PageClient(local: served.local)
        let ticked = try await Self.form(client)
        try await served.step("refund gold.monthly by anna")
        let page = await client.get(Self.address("file", ticked))
        #expect(page.status == 422)
        #expect(page.failure?.contains("found lapsed gold.monthly because refunded") == true, "\(page.failure ?? "")")
        #expect(page.text.contains("id=\"test-form\""))
    }

    @Test("A store with very many customers lists the answers of the selected one")
    func many() async throws {
        let people = (0..<20).map { CustomerID(rawValue: "customer\($0)") }
        let served = try await ServedStore(people: people)
        let client = PageClient(local: served.local)
        let all = await client.get("/?view=scenario").text
        #expect(!all.contains("name=\"expect\""))
        let page = await client.get("/?view=scenario&person=customer7").text
        #expect(page.contains(" for customer7\"") && !page.contains(" for customer8\""))
    }

    @Test("A test in Swift is the file that the tests of scenarios compile and run")
    func swift() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "StorekeeperSimulatorTests/Scenarios")
        let scenario = try Scenario(
            reading: """
                story: A saved story
                catalog: Shop.json
                catalog files:
                  Shop.json: |
                    {
                      "products": [{ "id": "coins.100", "type": "consumable", "grants": { "coins": 100 } }],
                      "subscriptions": [{ "group": "Club", "products": ["club.monthly"] }],
                      "features": { "club": ["club.monthly"] }
                    }
                people: [anna, bert]
                steps:
                  - buy: club.monthly
                    by: anna
                  - buy: coins.100
                    by: bert

                """)
        let runner = try await {
            var runner = try await ScenarioRunner(scenario); _ = try await runner.run(); return runner
        }()
        let local = await LocalAppStore(store: runner.store, scenario: scenario)
        _ = try await local.carryOut(scenario.step(typed: "advance 10 days", people: []))
        let client = PageClient(local: local)
        let expectations =
            try await Self.form(client) + (try await Self.form(client, person: "bert"))
            + ["signed transaction quantity 1 purchase club.monthly for anna"]
        let page = await client.get(Self.address("swift", expectations))
        #expect(page.header("Content-Disposition") == "attachment; filename=\"ASavedStoryTests.swift\"")
        let kept = try String(contentsOf: folder.appending(path: "ASavedStoryTests.swift"), encoding: .utf8)
        // The steps between these parts are the steps that the store records.
        func parts(_ text: String) -> [String] {
            [text.components(separatedBy: "private static let story")[0]]
                + text.components(separatedBy: "- expect: ").dropFirst()
        }
        #expect(parts(page.text) == parts(kept), "\(page.text)")
    }

    @Test("Titles become names of files and types")
    func names() {
        let names =
            [
                ("A month of gold", "a-month-of-gold", "AMonthOfGold"), ("", "story", "Story"),
                ("日本", "story", "Story"),
                ("2026: a year", "2026-a-year", "Story2026AYear"), ("../../etc/passwd", "etc-passwd", "EtcPasswd"),
                (String(repeating: "word ", count: 20), "word-word-word-word-word-word-word-word", nil),
                (String(repeating: "x", count: 200), "story", "Story"),
            ] as [(String, String, String?)]
        for (title, dashed, camel) in names {
            #expect(StoryName(title).dashed == dashed)
            if let camel { #expect(StoryName(title).camel == camel) }
        }
        #expect(StoryName("a\n\u{202E}b\tc").title == "a b c")
        #expect(StoryName.unique(["Anna!", "anna", "bert"]) { $0.snake } == ["anna", "anna_no2", "bert"])
        #expect(StoryName.fileName("/etc/a b/../Störe.storekit") == "St_re.storekit")
        #expect(StoryName.fileName("..") == "catalog-1" && StoryName.fileName("scenario.yaml") != "scenario.yaml")
    }
}
