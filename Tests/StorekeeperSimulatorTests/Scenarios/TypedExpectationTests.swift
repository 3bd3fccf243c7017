import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of expectations in the short form that is typed at a terminal.
struct TypedExpectationTests {
    private static let scenario = Result {
        try Scenario(
            reading: """
                story: S
                catalog: c.json
                catalog files:
                  c.json: |
                    {"products": ["remove.ads", "by", {"id": "coins.100", "type": "consumable", "grants": {"coins": 100}}],
                     "features": {"pro": ["remove.ads"]},
                     "subscriptions": [{"group": "Made for you", "products": ["pro.monthly"]}]}
                people: [anna, "Bert O'Neil", "by", 'a "b"']
                steps: []

                """)
    }

    private static func answer(_ subject: String, of person: CustomerID = "anna") -> ScenarioExpectation {
        .answer(.init(subject: subject, word: "entitled", reason: "active", person: person))
    }

    @Test(
        "An expectation is typed so that it is read again",
        arguments: [
            (answer("pro"), nil, "entitled pro because active for anna"),
            (answer("by"), nil, "\"entitled by because active\" for anna"),
            (answer("pro", of: "Bert O'Neil"), nil, "entitled pro because active for Bert O'Neil"),
            (answer("pro", of: "by"), nil, "entitled pro because active for \"by\""),
            (
                .receipt(.init(subject: "pro", word: "lapsed", reason: "refunded", person: "anna")), nil,
                "receipt lapsed pro because refunded for anna"
            ),
            (answer("pro"), "com.example.game", "entitled pro because active for anna app com.example.game"),
            (
                .state(subject: "Made for you", state: .expired, person: "anna"), nil,
                "\"state Made for you expired\" for anna"
            ),
            (
                .highest(group: "Made for you", product: nil, person: "anna"), nil,
                "\"highest Made for you none\" for anna"
            ),
            (.balance("coins", amount: -3, person: "anna"), nil, "balance coins -3 for anna"),
            (
                .signed(
                    .init(
                        .transaction, of: .id("12"),
                        members: [.init("price", .whole(4990)), .init("type", .text("a b"))])),
                nil, "signed transaction price 4990 type \"a b\" purchase transaction 12"
            ),
            (
                .signed(
                    .init(
                        .renewal, of: .latest("pro.monthly", of: "anna"), person: "anna",
                        members: [.init("autoRenewProductId", .text("renewal"))])), nil,
                "signed renewal autoRenewProductId \"renewal\" purchase pro.monthly for anna"
            ),
        ] as [(ScenarioExpectation, String?, String)])
    func typed(expectation: ScenarioExpectation, app: String?, text: String) throws {
        let scenario = try Self.scenario.get()
        #expect(scenario.typed(expectation, app: app) == text)
        let step = try scenario.expectation(typed: text, people: scenario.people.map(\.name))
        #expect(step.action == .expect([expectation]))
        #expect(step.app == app)
    }

    @Test(
        "What cannot be typed has no text",
        arguments: [
            answer("pro", of: "a \"b\""), .notifications(["REFUND"], person: nil),
            .signed(.init(.transaction, of: .id("12"), members: [.init("currency", .text("none"))])),
            .answer(.init(subject: "pro", word: "unknown", reason: "conflictingType", person: "anna")),
        ] as [ScenarioExpectation])
    func untypable(expectation: ScenarioExpectation) throws {
        #expect(try Self.scenario.get().typed(expectation) == nil)
    }
}
