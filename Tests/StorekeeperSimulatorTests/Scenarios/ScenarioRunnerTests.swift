import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests that a scenario is always played in the same way, and that failed expectations are reported.
struct ScenarioRunnerTests {
    private static func play(_ steps: String, people: String = "[anna]") async throws -> ScenarioReport {
        let text = "story: S\ncatalog: c.json\npeople: \(people)\nsettings: { grace period: 16 days }\nsteps:\n" + steps
        var runner = try await ScenarioRunner(
            try Scenario(reading: text, file: "story.yaml") {
                CatalogFile(name: $0, bytes: Array(catalog.utf8))
            })
        return try await runner.run()
    }

    private static let catalog = """
        {"products":["remove.ads",{"id":"coins.100","type":"consumable","grants":{"coins":100}},
           {"id":"gold.monthly","type":"autoRenewable","group":"Membership","level":1,"period":"P1M"},
           {"id":"silver.monthly","type":"autoRenewable","group":"Membership","level":2,"period":"P1M"}],
         "features":{"pro":["gold.monthly"]}}
        """

    /// Returns the lines of a report as text.
    private static func lines(_ report: ScenarioReport) -> [String] {
        report.entries.map { "\($0.at) \($0.person?.rawValue ?? "-") \($0.content)" }
    }

    @Test("Two runs of one scenario are equal")
    func deterministic() async throws {
        let steps = """
              - buy: gold.monthly
              - buy: coins.100
                quantity: 3
              - fail billing: anna
              - advance: 80 days
              - fix billing: anna
              - advance: 10 days

            """
        let (first, second) = (try await Self.play(steps), try await Self.play(steps))
        #expect(Self.lines(first) == Self.lines(second))
        #expect(first.entries.count > 15)
        #expect(zip(first.entries, first.entries.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test(
        "A failed expectation is reported with its line, the expected and the found value",
        arguments: [
            ("expect: entitled pro", "entitled pro", "never pro because noPurchase without end"),
            ("expect: balance coins 5", "balance coins 5", "balance coins 0"),
            ("expect: highest Membership gold.monthly", "highest Membership gold.monthly", "highest Membership none"),
            ("expect: state gold.monthly expired", "state gold.monthly expired", "state gold.monthly none"),
            ("notifications: [DID_RENEW]", "notifications [DID_RENEW]", "notifications []"),
            ("happened: [renewed]", "happened [renewed]", "happened []"),
            ("events: [pro entitled active]", "events [pro entitled active]", "events []"),
            ("{ buy: remove.ads, outcome: pending }", "outcome pending", "outcome purchased"),
            ("{ buy: remove.ads, quantity: 2 }", "a purchase that succeeds", "failed invalidQuantity"),
            ("{ buy: remove.ads, error: noProduct }", "", ""),
            ("{ fix billing: anna, as: x }", "a transaction to call x", "none"),
            ("{ clear: anna, error: invalidAction }", "error invalidAction", "no error"),
            ("{ finish: transaction 7, error: invalidAction }", "error invalidAction", "error noTransactionFound"),
            ("{ spend: 5 coins, error: frozen }", "error frozen", "error insufficient"),
        ])
    func failures(step: String, expected: String, found: String) async throws {
        guard !expected.isEmpty else {
            await #expect(throws: ScenarioError.self) { try await Self.play("  - \(step)\n") }
            return
        }
        let report = try await Self.play("  - advance: 1 day\n  - \(step)\n")
        #expect(!report.isMet)
        #expect(report.failures.map(\.line) == [7])
        #expect(report.failures.first?.expected == expected)
        #expect(report.failures.first?.found == found)
    }

    @Test("A step that cannot be carried out ends the scenario")
    func refusal() async throws {
        let report = try await Self.play("  - refund: gold.monthly\n  - buy: gold.monthly\n")
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.found.hasPrefix("noTransactionFound") == true)
        #expect(!Self.lines(report).contains { $0.contains("subscribed") })
    }

    @Test("The engine's events are listed at their own instants, and a renewal is not an event")
    func events() async throws {
        let report = try await Self.play(
            """
              - buy: gold.monthly
              - events:
                  - gold.monthly entitled active
                  - pro entitled active
                  - Membership subscribed gold.monthly
              - advance: 40 days
              - events: []
              - fail billing: anna
              - advance: 1 month
              - events:
                  - gold.monthly entitled gracePeriod
                  - pro entitled gracePeriod
                  - Membership inGracePeriod gold.monthly

            """)
        #expect(report.failures.map(\.found) == [])
        let changes = report.entries.filter { if case .answer = $0.content { true } else { false } }
        #expect(changes.last?.at == Instant("2026-03-01T00:00:00Z"))
    }

    @Test("Each app has its own engine for a person")
    func apps() async throws {
        let text = """
            story: Two apps
            apps:
              - { id: com.example.a, catalog: c.json }
              - { id: com.example.b, catalog: c.json }
            people: [anna]
            steps:
              - { buy: remove.ads, app: com.example.b }
              - { expect: entitled remove.ads, app: com.example.b }
              - { expect: never remove.ads, app: com.example.a }
            """
        var runner = try await ScenarioRunner(
            try Scenario(reading: text, file: "story.yaml") {
                CatalogFile(name: $0, bytes: Array(Self.catalog.utf8))
            })
        #expect(try await runner.run().failures.map(\.found) == [])
        // The evidence consists of the purchase in the second app and the app transaction of this app.
        #expect(try runner.evidence().count == 2)
    }
}
