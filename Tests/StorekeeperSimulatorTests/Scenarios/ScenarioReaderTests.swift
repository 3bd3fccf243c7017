import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests that an invalid scenario has errors with a location and a remedy.
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
        "The error for a wrong step names line, column and the nearest word",
        arguments: [
            ("  - bye: gold.monthly\n", "5:5", "there is no step 'bye'", "did you mean 'buy'?"),
            ("  - buy: gold.montly\n    by: anna\n", "5:10", "no product 'gold.montly'", "'gold.monthly'?"),
            ("  - buy: gold.monthly\n", "5:5", "'buy' does not name a person", "add 'by:'"),
            ("  - buy: gold.monthly\n    by: ana\n", "6:9", "there is no person 'ana'", "did you mean 'anna'?"),
            ("  - buy: gold.monthly\n    by: anna\n    quantty: 2\n", "7:5", "no key 'quantty'", "'quantity'?"),
            ("  - buy: gold.monthly\n    by: anna\n    quantity: two\n", "7:15", "is not a whole number", "digits"),
            ("  - advance: 3 fortnights\n", "5:14", "is not a valid duration", "31 days"),
            ("  - advance: 99999999 days\n", "5:14", "is more than 100 years", "write at most '100 years' in one step"),
            ("  - advance to: tomorrow\n", "5:17", "is not a valid time", "2026-03-01"),
            ("  - refund: frist\n    by: anna\n", "5:13", "neither a product nor the name", "use one of"),
            ("  - price: gold.monthly\n", "5:5", "has no 'to'", "add 'to:'"),
            ("  - set:\n      grace perod: 3 days\n", "6:7", "no setting 'grace perod'", "'grace period'?"),
            ("  - set:\n      pace: quick\n", "6:13", "is not a valid pace", "real time"),
            (
                "  - expect: entiteld pro\n    for: anna\n", "5:13", "is not a valid expectation",
                "did you mean 'entitled'?"
            ),
            ("  - expect: entitled pra\n    for: anna\n", "5:13", "has no 'pra'", "did you mean 'pro'?"),
            (
                "  - expect: never pro because refunded\n    for: anna\n", "5:13", "is not a valid reason of 'never'",
                "use one"
            ),
            ("  - expect: balance coinz 5\n    for: anna\n", "5:13", "no balance 'coinz'", "did you mean 'coins'?"),
            ("  - expect: balance coins.100 5\n    for: anna\n", "5:13", "no balance 'coins.100'", "use one of coins"),
            ("  - spend: 5 stars\n    by: anna\n", "5:12", "no balance 'stars'", "use one of coins"),
            ("  - notifications: [RENEWED]\n", "5:21", "there is no 'RENEWED'", ""),
            ("  - buy: a\n    buy: b\n", "5:5", "'buy' occurs twice", "keep one"),
            ("  - clear: everyone\n    error: noSuchThing\n", "6:12", "no error 'noSuchThing'", "use one of"),
            ("  - token: gold.monthly\n    by: anna\n    to: abc\n", "7:9", "is not a UUID", "'none'"),
            ("  - [x\n", "6:1", "not YAML", "correct it"),
        ] as [(String, String, String, String)])
    func step(text: String, place: String, message: String, remedy: String) {
        let error = #expect(throws: ScenarioError.self) { try Self.read(Self.head + text) }
        #expect(error?.place == "story.yaml:\(place)")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.remedy.contains(remedy) == true, "\(error?.remedy ?? "")")
    }

    @Test("A balance must be one of the catalog's or one that an earlier step credited")
    func balances() throws {
        let grant = "  - grant: 5 stars\n    for: ben\n"
        let look = "  - expect: balance stars 5\n    for: ben\n"
        #expect(try Self.read(Self.head + grant + look).steps.count == 2)
        #expect(throws: ScenarioError.self) { try Self.read(Self.head + look + grant) }
        // A step that is expected to be refused may name any balance.
        let refused = "  - spend: 5 moons\n    by: ben\n    error: insufficient\n"
        #expect(try Self.read(Self.head + refused).steps.count == 1)
        let scenario = try Self.read(Self.head + grant)
        #expect(throws: ScenarioError.self) {
            try scenario.step(typed: "expect balance stars 5 for ben", people: ["ben"])
        }
        let typed = try scenario.step(typed: "expect balance stars 5 for ben", people: ["ben"], granted: ["stars"])
        #expect(typed.text == "expect balance stars 5 for ben")
    }

    @Test(
        "The error for a wrong beginning names the fault",
        arguments: [
            ("- a\n", "is not a mapping"), ("{\"products\": []}\n", "the text is not a scenario"),
            ("story: S\ncatalog: c.json\npeople: [a]\nfamilies: [[a], [a]]\nsteps: []\n", "is listed in two families"),
            ("steps: []\n", "no title"), ("story: S\nsteps: []\n", "names no catalog"),
            ("story: S\ncatalog: c.json\n", "no steps"), ("story: S\nstroy: T\n", "no key 'stroy'"),
            ("story: S\ncatalog: c.json\nseed: x\nsteps: []\n", "is not a whole number"),
            ("story: S\ncatalog: c.json\nenvironment: Moon\nsteps: []\n", "is not a valid environment"),
            ("story: S\ncatalog: c.json\npeople: [a, a]\nsteps: []\n", "is listed twice"),
            ("story: S\ncatalog: c.json\npeople: [a]\nfamilies: [[a, b]]\nsteps: []\n", "there is no person 'b'"),
            ("story: S\ncatalog: c.json\npolicy: { renewal leeway: 2 days }\nsteps: []\n", "at most a day"),
            ("story: S\napps: [{ catalog: c }, { catalog: c }]\nsteps: []\n", "two apps"),
        ] as [(String, String)])
    func beginning(text: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try Self.read(text) }
        let messages = (error?.all ?? []).map(\.message)
        let isTold = messages.contains { $0.contains(message) }
        #expect(isTold, "\(messages)")
    }

    @Test("Every mistake of a text is reported in order, without consequential mistakes")
    func all() throws {
        let text = """
            story: S
            catalog: c.json
            seed: many
            settings: { pace: quick, grace perod: no }
            people: [anna, { storefront: USA }]
            families: [[anna, carl]]
            policy: { refunds: never, grace: perhaps }
            steps:
              - bye: gold.monthly
                as: first
              - refund: first
              - buy: gold.montly
                by: anna
                quantity: two
                offer: nonsense
                colour: red
              - expect: [entiteld pro, never pra, never pro]
                for: anna
              - new person: dora
                storefront: Mars
              - cancel: gold.monthly
                by: dora
            """
        let error = #expect(throws: ScenarioError.self) { try Self.read(text) }
        // The name carl cannot be checked while one of the people has no name.
        #expect(
            error?.all.map { "\($0.line):\($0.column) \($0.message)" } == [
                "3:7 'seed' is not a whole number", "4:19 'quick' is not a valid pace",
                "4:26 there is no setting 'grace perod'",
                "5:16 the person has no name", "7:20 'never' is not a valid value of 'refunds'",
                "7:34 'grace' is neither yes nor no", "9:5 there is no step 'bye'",
                "12:10 the catalog has no product 'gold.montly'", "14:15 'quantity' is not a whole number",
                "15:12 'nonsense' is not a valid offer", "16:5 'buy' has no key 'colour'",
                "17:14 'entiteld pro' is not a valid expectation", "17:28 the catalog has no 'pra'",
                "20:17 'Mars' is not a valid storefront",
            ])
        #expect(error?.others.count == 13)
        #expect(error?.description.split(separator: "\n").count == 14)
    }

    @Test("Mistakes in catalogs are reported with their locations, and their products are not reported as missing")
    func catalogs() throws {
        let files = [
            "good.json": Self.catalog, "bad.json": "{\"products\":[\n\"a\" \"b\"]}", "odd.json": "{}",
        ]
        let text = """
            story: S
            catalog: [good.json, bad.json, none.json]
            people: [anna]
            steps:
              - buy: something
              - advance: soon
            """
        let error = #expect(throws: ScenarioError.self) {
            try Scenario(reading: text, file: "story.yaml") { name in
                guard let content = files[name] else { throw ScenarioError(file: name, "gone", remedy: "") }
                return CatalogFile(name: name, bytes: Array(content.utf8))
            }
        }
        let all = try #require(error?.all)
        #expect(all.map { "\($0.line):\($0.column)" } == ["2:22", "2:32", "6:14"])
        #expect(all[0].message.contains("'bad.json' is not a valid catalog"))
        #expect(all[0].message.contains("(bad.json, line 2, column 5)"), "\(all[0].message)")
        #expect(all.map(\.isUnreadableFile) == [false, true, false])
    }

    @Test("At most a hundred mistakes are listed, with the number of the others")
    func many() throws {
        let steps = (0..<250).map { "  - bye: \($0)\n" }.joined()
        let error = #expect(throws: ScenarioError.self) { try Self.read(Self.head + steps) }
        #expect(error?.all.count == 101)
        #expect(error?.all.last?.message == "150 more mistakes follow")
    }

    @Test(
        "Aliases, depth and size are bounded, so that a small text cannot grow",
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

    @Test("Prose may contain characters that YAML uses elsewhere")
    func prose() throws {
        let scenario = try Self.read("about: |\n  A & B * C, [d] # e\nstory: 'R&D'\ncatalog: c.json\nsteps: []\n")
        #expect(scenario.about == "A & B * C, [d] # e\n")
        #expect(scenario.story == "R&D")
    }

    @Test(
        "A typed line is read like the step of a file",
        arguments: [
            ("buy gold.monthly by anna as first", "buy: gold.monthly\n    by: anna\n    as: first"),
            ("buy: remove.ads by ben ask to buy yes", "buy: remove.ads\n    by: ben\n    ask to buy: yes"),
            ("set grace period 3 days", "set: { grace period: 3 days }"),
            ("set errors Load Products networkError", "set: { errors: { Load Products: networkError } }"),
            ("notifications SUBSCRIBED/INITIAL_BUY DID_RENEW", "notifications: [SUBSCRIBED/INITIAL_BUY, DID_RENEW]"),
            ("fail billing anna", "fail billing: anna"), ("reset settings", "reset settings"),
            (
                "expect signed transaction price 990 offerType none renewal autoRenewStatus 1 purchase gold.monthly by ben",
                "expect signed: { transaction: { price: 990, offerType: none }, renewal: { autoRenewStatus: 1 } }\n"
                    + "    purchase: gold.monthly\n    by: ben"
            ),
            (
                "expect signed commitmentInfo.billingPeriodNumber 3 for anna",
                "expect signed: { transaction: { commitmentInfo: { billingPeriodNumber: 3 } } }\n    for: anna"
            ),
            (
                "price gold.monthly to 12.99 consent required",
                "price: gold.monthly\n    to: 12.99\n    consent: required"
            ),
            ("expect entitled pro because active for anna", "expect: entitled pro because active\n    for: anna"),
            (
                "expect receipt never remove.ads without end for anna",
                "expect receipt: never remove.ads without end\n    for: anna"
            ),
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
