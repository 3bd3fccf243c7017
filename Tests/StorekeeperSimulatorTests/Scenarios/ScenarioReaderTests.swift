import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// What is no scenario is told with its place and a remedy.
struct ScenarioReaderTests {
    static let catalog = """
        {"products":["remove.ads",{"id":"coins.100","type":"consumable","grants":{"coins":100}}],
         "subscriptions":[{"group":"Membership","products":["gold.monthly","silver.monthly"]}],
         "features":{"pro":["gold.monthly"]}}
        """

    static func read(_ text: String) throws -> Scenario {
        try Scenario(reading: text, file: "story.yaml") { CatalogFile(name: $0, bytes: Array(catalog.utf8)) }
    }

    private static let head = "story: S\ncatalog: c.json\npeople: [anna, ben]\nsteps:\n"

    @Test(
        "A step that is wrong is told with line, column and the nearest word",
        arguments: [
            ("  - bye: gold.monthly\n", "5:5", "there is no step 'bye'", "did you mean 'buy'?"),
            ("  - buy: gold.montly\n    by: anna\n", "5:10", "no product 'gold.montly'", "'gold.monthly'?"),
            ("  - buy: gold.monthly\n", "5:5", "'buy' does not say who", "add 'by:'"),
            ("  - buy: gold.monthly\n    by: ana\n", "6:9", "nobody is called 'ana'", "did you mean 'anna'?"),
            ("  - buy: gold.monthly\n    by: anna\n    quantty: 2\n", "7:5", "no key 'quantty'", "'quantity'?"),
            ("  - buy: gold.monthly\n    by: anna\n    quantity: two\n", "7:15", "no whole number", "digits"),
            ("  - advance: 3 fortnights\n", "5:14", "no span of time", "31 days"),
            ("  - advance to: tomorrow\n", "5:17", "is no time", "2026-03-01"),
            ("  - refund: frist\n    by: anna\n", "5:13", "neither a product nor the name", "use one of"),
            ("  - price: gold.monthly\n", "5:5", "has no 'to'", "add 'to:'"),
            ("  - set:\n      grace perod: 3 days\n", "6:7", "no setting 'grace perod'", "'grace period'?"),
            ("  - set:\n      pace: quick\n", "6:13", "no pace", "real time"),
            ("  - expect: entiteld pro\n    for: anna\n", "5:13", "no expectation", "did you mean 'entitled'?"),
            ("  - expect: entitled pra\n    for: anna\n", "5:13", "has no 'pra'", "did you mean 'pro'?"),
            ("  - expect: never pro because refunded\n    for: anna\n", "5:13", "no reason of 'never'", "use one"),
            ("  - notifications: [RENEWED]\n", "5:21", "there is no 'RENEWED'", ""),
            ("  - buy: a\n    buy: b\n", "5:5", "'buy' stands twice", "keep one"),
            ("  - clear: everyone\n    error: noSuchThing\n", "6:12", "no error 'noSuchThing'", "use one of"),
            ("  - token: gold.monthly\n    by: anna\n    to: abc\n", "7:9", "no UUID", "'none'"),
            ("  - [x\n", "6:1", "not YAML", "correct it"),
        ] as [(String, String, String, String)])
    func step(text: String, place: String, message: String, remedy: String) {
        let error = #expect(throws: ScenarioError.self) { try Self.read(Self.head + text) }
        #expect(error?.place == "story.yaml:\(place)")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.remedy.contains(remedy) == true, "\(error?.remedy ?? "")")
    }

    @Test(
        "A beginning that is wrong is told",
        arguments: [
            ("- a\n", "no mapping"), ("steps: []\n", "no title"), ("story: S\nsteps: []\n", "names no catalog"),
            ("story: S\ncatalog: c.json\n", "no steps"), ("story: S\nstroy: T\n", "no key 'stroy'"),
            ("story: S\ncatalog: c.json\nseed: x\nsteps: []\n", "no whole number"),
            ("story: S\ncatalog: c.json\nenvironment: Moon\nsteps: []\n", "no environment"),
            ("story: S\ncatalog: c.json\npeople: [a, a]\nsteps: []\n", "stands twice"),
            ("story: S\ncatalog: c.json\npeople: [a]\nfamilies: [[a, b]]\nsteps: []\n", "nobody is called 'b'"),
            ("story: S\ncatalog: c.json\npolicy: { renewal leeway: 2 days }\nsteps: []\n", "at most a day"),
            ("story: S\napps: [{ catalog: c }, { catalog: c }]\nsteps: []\n", "two apps"),
        ] as [(String, String)])
    func beginning(text: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try Self.read(text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test(
        "No small text grows: aliases, depth and size are bounded",
        arguments: [
            "story: &a [x]\nsteps: *a\n", "story: S\nsteps: [&b x]\n",
            "story: " + String(repeating: "[", count: 5_000),
            "steps:\n" + String(repeating: "- ", count: 5_000) + "x\n",
            "steps: " + (0..<5_000).map { _ in "[\n" }.joined(),
            "story: " + String(repeating: "x", count: ScenarioNode.maximumSize + 1),
        ])
    func bombs(text: String) {
        #expect(throws: ScenarioError.self) { try Self.read(text) }
    }

    @Test("Prose may hold what YAML uses elsewhere")
    func prose() throws {
        let scenario = try Self.read("about: |\n  A & B * C, [d] # e\nstory: 'R&D'\ncatalog: c.json\nsteps: []\n")
        #expect(scenario.about == "A & B * C, [d] # e\n")
        #expect(scenario.story == "R&D")
    }

    @Test(
        "What is typed reads as the step of a file",
        arguments: [
            ("buy gold.monthly by anna as first", "buy: gold.monthly\n    by: anna\n    as: first"),
            ("buy: remove.ads by ben ask to buy yes", "buy: remove.ads\n    by: ben\n    ask to buy: yes"),
            ("set grace period 3 days", "set: { grace period: 3 days }"),
            ("set errors Load Products networkError", "set: { errors: { Load Products: networkError } }"),
            ("notifications SUBSCRIBED/INITIAL_BUY DID_RENEW", "notifications: [SUBSCRIBED/INITIAL_BUY, DID_RENEW]"),
            ("fail billing anna", "fail billing: anna"), ("reset settings", "reset settings"),
            (
                "price gold.monthly to 12.99 consent required",
                "price: gold.monthly\n    to: 12.99\n    consent: required"
            ),
            ("expect entitled pro because active for anna", "expect: entitled pro because active\n    for: anna"),
        ])
    func typed(line: String, step: String) throws {
        let scenario = try Self.read(Self.head + "  - \(step)\n")
        let typed = try scenario.step(typed: line, people: ["anna", "ben"])
        #expect(typed.action == scenario.steps.first?.action)
        #expect(typed.name == scenario.steps.first?.name)
    }

    @Test(
        "Spans of time add up",
        arguments: [("31 days", 0, 2_678_400_000), ("1 year 2 months 3 hours", 14, 10_800_000)])
    func span(text: String, months: Int, milliseconds: Int64) {
        #expect(ScenarioSpan(text) == ScenarioSpan(months: months, milliseconds: milliseconds))
    }
}
