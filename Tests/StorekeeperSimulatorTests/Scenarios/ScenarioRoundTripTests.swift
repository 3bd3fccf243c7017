import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that a scenario that is written as text and read again is the same scenario.
struct ScenarioRoundTripTests {
    private static let files = [
        "Store.json": """
        {"products":["remove.ads","season.pass",{"id":"coins.100","type":"consumable","grants":{"coins":100}}],
         "features":{"pro":["pro.monthly","pro.yearly"]},
         "subscriptions":[{"group":"Membership","products":["pro.monthly","pro.yearly","basic.monthly","basic.weekly"]}]}

        """, "Other file.json": "{\"products\":[\"remove.ads\"]}",
    ].mapValues { Array($0.utf8) }

    private static func file(_ name: String) -> CatalogFile { CatalogFile(name: name, bytes: files[name] ?? []) }

    /// A generated story as a scenario, with further parts that a scenario can have.
    private struct Draft {
        var story: GeneratedStory
        var seed: UInt64

        func scenario() throws -> Scenario {
            var random = SplitMix64(seed: seed)
            let apps = GeneratedStory.apps.map { SimulatedApp(bundleID: $0, catalog: SampleStore.catalog) }
            let store = try SimulatedAppStore(
                apps: apps, environment: story.environment, seed: seed, start: story.start,
                authority: try SampleStore.make().authority)
            for step in story.steps { store.play(step) }
            var scenario = Scenario(
                calls: store.calls, story: random.pick("A story", "a: \"b\" # c", "Ünïcode \u{1F600}"), apps: apps,
                catalogs: [["Store.json"], random.pick(["Store.json"], ["Store.json", "Other file.json"])],
                environment: story.environment, start: story.start, seed: seed)
            scenario.about = random.pick(nil, "One line.\n", "Several\n\nparagraphs: [with] {signs}\n", "no end")
            scenario.settings = []
            for name in scenario.catalogs.flatMap(\.self) { scenario.catalogFiles[name] = file(name) }
            scenario.embeddedCatalogs = Set(
                random.pick([], ["Store.json"], Array(scenario.catalogFiles.keys)))
            scenario.policy.renewalLeeway = random.pick(.zero, .seconds(3600), .milliseconds(1))
            scenario.policy.gracePeriodEntitles = random.chance(50)
            scenario.policy.refundPolicy = random.pick(.debt, .floorAtZero, .freeze)
            // The expectations are about the people that the steps of the story create.
            for _ in 0..<random.number(in: 0...4) {
                let place = random.number(in: 3...scenario.steps.count)
                let step: ScenarioStep = random.pick(
                    ScenarioStep(.advance(ScenarioSpan(months: 12)), text: ""),
                    ScenarioStep(.advance(ScenarioSpan(months: 1, milliseconds: 90_061_001)), text: ""),
                    ScenarioStep(.advanceToNextEvent, text: ""),
                    ScenarioStep(expecting: [.balance("coins", amount: -100, person: "anna")]),
                    ScenarioStep(
                        expecting: [
                            .answer(
                                .init(
                                    subject: "pro", word: "lapsed", reason: "refunded", until: story.start,
                                    person: "bert")),
                            .highest(group: "Membership", product: nil, person: "bert"),
                        ], app: GeneratedStory.apps[1]),
                    ScenarioStep(
                        expecting: [
                            .signed(
                                .init(
                                    .transaction, of: .id("2000000000000001"),
                                    members: [.init("price", .whole(0)), .init("expiresDate", .time(story.start))]))
                        ]))
                scenario.steps.insert(step, at: place)
            }
            return scenario
        }

        private func file(_ name: String) -> CatalogFile { ScenarioRoundTripTests.file(name) }
    }

    @Test("A generated story survives writing and reading")
    func stories() {
        checkProperty(
            "round trip of a scenario", cases: 60,
            generate: { random in Draft(story: .make(&random, steps: 5...25), seed: random.next()) },
            shrink: { draft in draft.story.smaller.map { Draft(story: $0, seed: draft.seed) } },
            describe: { $0.story.description }
        ) { draft in
            let scenario = try draft.scenario()
            let again = try Scenario(reading: scenario.text, file: "s.yaml") { Self.file($0) }
            return Content(again) == Content(scenario) && again.text == scenario.text
        }
    }

    /// Everything that a scenario contains, except the lines and words of its steps.
    private struct Content: Equatable {
        struct Step: Equatable {
            let action: ScenarioStep.Action
            let app: String?
            let name: String?
            let outcome: String?
            let error: String?
        }

        let texts: [String?]
        let apps: [String]
        let catalogs: [[String]]
        let files: [String: [UInt8]]
        let embedded: Set<String>
        let start: Instant
        let seed: UInt64
        let people: [Scenario.Person]
        let families: [[CustomerID]]
        let policy: EntitlementPolicy
        let steps: [Step]

        init(_ scenario: Scenario) {
            texts = [scenario.story, scenario.about, scenario.environment.rawValue]
            apps = scenario.apps.map { "\($0.bundleID) \($0.version) \($0.appleID ?? 0) \($0.settings)" }
            catalogs = scenario.catalogs
            files = scenario.catalogFiles.mapValues(\.bytes)
            embedded = scenario.embeddedCatalogs
            start = scenario.start
            seed = scenario.seed
            people = scenario.people
            families = scenario.families
            policy = scenario.policy
            steps = scenario.steps.map {
                Step(action: $0.action, app: $0.app, name: $0.name, outcome: $0.outcome, error: $0.error)
            }
        }
    }
}
