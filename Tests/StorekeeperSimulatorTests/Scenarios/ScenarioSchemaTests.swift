import Foundation
import Storekeeper
import StorekeeperTesting
import Testing
import Yams

@testable import StorekeeperSimulator

/// Tests that the JSON schema for editors accepts the same scenarios as the reader.
struct ScenarioSchemaTests {
    private typealias Value = SchemaValidator.Value

    private static let validator: SchemaValidator? = {
        let path = ShippedScenarioTests.folder.appendingPathComponent("scenario.schema.json")
        guard let data = try? Data(contentsOf: path), let document = try? JSONReader().read(Array(data)) else {
            return nil
        }
        return SchemaValidator(schema: Value(document.root))
    }()

    private static func definition(_ name: String) throws -> SchemaValidator.Value {
        let validator = try #require(validator)
        return try #require(validator.schema["$defs"]?[name])
    }

    private static func keys(_ value: SchemaValidator.Value?) -> Set<String> { Set((value?.object ?? [:]).keys) }

    private static func words(_ value: SchemaValidator.Value?) -> Set<String> {
        Set((value?["enum"]?.list ?? []).compactMap(\.text))
    }

    // MARK: Keys

    @Test("The schema has the keys of a scenario, of an app, of a policy and of the settings")
    func keys() throws {
        let schema = try #require(Self.validator).schema
        #expect(Self.keys(schema["properties"]) == Set(Scenario.keys))
        #expect(Self.keys(try Self.definition("app")["properties"]) == Set(Scenario.appKeys))
        #expect(Self.keys(try Self.definition("policy")["properties"]) == Set(Scenario.policyKeys))
        #expect(Self.keys(try Self.definition("settings")["properties"]) == Set(ScenarioSettings.keys))
    }

    @Test("The schema has every step with its keys", arguments: ScenarioWord.all.map(\.name))
    func steps(name: String) throws {
        let steps = try Self.definition("step")["anyOf"]?.list ?? []
        let step = try #require(steps.first { $0["required"]?.list?.first == .text(name) })
        let word = try #require(ScenarioWord.named(name))
        #expect(Self.keys(step["properties"]) == Set([name] + word.keys + ScenarioWord.commonKeys))
        #expect(step["description"]?.text == word.help)
    }

    @Test("The schema has every word that is a valid value")
    func values() throws {
        #expect(Self.words(try Self.definition("happening")) == Set(HappeningKind.allCases.map { "\($0)" }))
        #expect(
            Self.words(try Self.definition("notification"))
                == Set(HappeningKind.allCases.compactMap(\.notificationWord)))
        #expect(
            Self.words(try Self.definition("error"))
                == Set(SimulatorError.Code.allCases.map(\.rawValue) + StepReader.balanceErrors))
        let errors = try Self.definition("settings")["properties"]?["errors"]?["properties"]
        #expect(Self.keys(errors) == Set(SimulatedAPI.allCases.map(\.rawValue)))
        let failures = Set(SimulatedFailure.allCases.map(\.rawValue) + ["no", "off"])
        #expect((errors?.object ?? [:]).values.allSatisfy { Self.words($0) == failures })
        let outcome = try Self.definition("outcome")["pattern"]?.text ?? ""
        #expect((StepReader.purchaseErrors + StepReader.outcomes).allSatisfy(outcome.contains))
        let answer = try Self.definition("answer")["pattern"]?.text ?? ""
        #expect(StepDraft.reasons.values.joined().allSatisfy(answer.contains))
        #expect(ScenarioExpectation.words.allSatisfy(answer.contains))
        #expect(StepDraft.offerReasons.values.joined().allSatisfy(answer.contains))
    }

    @Test("The schema has every signed member", arguments: ScenarioExpectation.Signed.Document.allCases)
    func members(document: ScenarioExpectation.Signed.Document) throws {
        let properties = try Self.definition("signed")["properties"]?[document.rawValue]?["properties"]
        #expect(Self.keys(properties) == Set(document.members.keys))
    }

    @Test("The article lists every step and its keys", arguments: ScenarioWord.all.map(\.name))
    func documentation(name: String) throws {
        let page = try String(
            contentsOf: ShippedScenarioTests.folder.appendingPathComponent(
                "../../Sources/StorekeeperSimulator/Documentation.docc/Scenarios.md"), encoding: .utf8)
        let word = try #require(ScenarioWord.named(name))
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") })
        let who: Set = ["by", "for", "of"]
        for key in word.keys where !who.isSubset(of: word.keys) || !who.contains(key) {
            #expect(line.contains("`\(key)`"))
        }
        #expect(line.contains(word.help))
    }

    // MARK: Values

    /// Returns a text as an editor reads it.
    ///
    /// An editor recognizes only the numbers and flags of YAML's core schema.
    private static func value(_ text: String) throws -> SchemaValidator.Value {
        let node = try Yams.compose(yaml: text)
        return value(try #require(node))
    }

    private static func value(_ node: Node) -> SchemaValidator.Value {
        if let mapping = node.mapping {
            return .object(
                Dictionary(mapping.map { ($0.key.scalar?.string ?? "", value($0.value)) }) { first, _ in first })
        }
        if let sequence = node.sequence { return .list(sequence.map(value)) }
        let text = node.scalar?.string ?? ""
        guard node.scalar?.style == .plain || node.scalar?.style == .any else { return .text(text) }
        switch text {
        case "", "~", "null": return .null
        case "true": return .flag(true)
        case "false": return .flag(false)
        default: break
        }
        if let number = Int64(text) { return .whole(number) }
        if text.contains("."), let number = Double(text) { return .number(number) }
        return .text(text)
    }

    @Test("The schema accepts every shipped scenario", arguments: ShippedScenarioTests.files)
    func good(file: String) throws {
        let text = try String(contentsOf: ShippedScenarioTests.folder.appendingPathComponent(file), encoding: .utf8)
        let validator = try #require(Self.validator)
        #expect(validator.allows(try Self.value(text)))
    }

    private static let head = "story: S\ncatalog: c.json\npeople: [anna, ben]\nsteps:\n"

    @Test(
        "The schema refuses a value that the reader refuses",
        arguments: [
            "  - bye: gold.monthly\n", "  - buy: gold.monthly\n    by: anna\n    quantity: two\n",
            "  - buy: gold.monthly\n    by: anna\n    offer: promotional\n", "  - advance: 3 fortnights\n",
            "  - advance to: tomorrow\n", "  - price: gold.monthly\n", "  - price: gold.monthly\n    to: cheap\n",
            "  - set:\n      grace period: 4 days\n", "  - set:\n      pace: quick\n", "  - set: {}\n",
            "  - set: { errors: { Load Products: broken } }\n", "  - set: { errors: { Everything: unknown } }\n",
            "  - set: { recovery chance: 2 }\n", "  - set: { ask to buy: perhaps }\n",
            "  - expect: entiteld pro\n    for: anna\n", "  - expect: never pro because refunded\n    for: anna\n",
            "  - expect: balance coins many\n    for: anna\n", "  - expect: state pro dead\n    for: anna\n",
            "  - expect: offer gold.monthly eligible\n    for: anna\n",
            "  - expect: offer gold.monthly code ineligible\n    for: anna\n",
            "  - expect: offer gold.monthly introductory eligible because alreadyUsed\n    for: anna\n",
            "  - notifications: [RENEWED]\n", "  - happened: [bougt]\n",
            "  - clear: everyone\n    error: noSuchThing\n",
            "  - token: gold.monthly\n    by: anna\n    to: abc\n",
            "  - refund: gold.monthly\n    by: anna\n    percent: 200\n",
            "  - refund: gold.monthly\n    by: anna\n    reason: sad\n",
            "  - request refund: gold.monthly\n    by: anna\n    reason: sad\n",
            "  - buy: gold.monthly\n    by: anna\n    outcome: bought\n",
            "  - buy: gold.monthly\n    by: anna\n    outcome: failed sadly\n",
            "  - buy: gold.monthly\n    by: anna\n    as: 12\n", "  - spend: coins\n    by: anna\n",
            "  - spend: 0 coins\n    by: anna\n", "  - storefront: anna\n    to: Germany\n",
            "  - change plan: gold.monthly\n    by: anna\n    billing: weekly\n",
            "  - expect receipt: balance coins 1\n    for: anna\n", "  - expect receipt: pending pro\n    for: anna\n",
            "  - expect signed: { transaction: { prise: 1 } }\n    for: anna\n",
            "  - expect signed: { transaction: { price: much } }\n    for: anna\n",
            "  - expect signed: { receipt: { price: 1 } }\n    for: anna\n",
            "  - expect signed: { transaction: {} }\n    for: anna\n",
            "  - expect signed: { transaction: { commitmentInfo: { months: 3 } } }\n    for: anna\n",
        ])
    func broken(step: String) throws {
        let text = Self.head + step
        let validator = try #require(Self.validator)
        #expect(throws: ScenarioError.self) { try ScenarioReaderTests.read(text) }
        #expect(!validator.allows(try Self.value(text)))
    }

    @Test(
        "The schema refuses a beginning that the reader refuses",
        arguments: [
            "steps: []\n", "story: S\nsteps: []\n", "story: S\ncatalog: c.json\n",
            "story: S\nstroy: T\ncatalog: c.json\nsteps: []\n", "story: S\ncatalog: c.json\nseed: x\nsteps: []\n",
            "story: S\ncatalog: c.json\nenvironment: Moon\nsteps: []\n",
            "story: S\ncatalog: c.json\nstart: soon\nsteps: []\n",
            "story: S\ncatalog: c.json\npolicy: { refunds: never }\nsteps: []\n",
            "story: S\ncatalog: c.json\npeople: [{ name: a, storefront: Mars }]\nsteps: []\n",
            "story: S\ncatalog: c.json\napps: [{ catalog: c.json }]\nsteps: []\n",
            "story: S\ncatalog: c.json\nsteps: { buy: gold.monthly }\n",
        ])
    func brokenBeginning(text: String) throws {
        let validator = try #require(Self.validator)
        #expect(throws: ScenarioError.self) { try ScenarioReaderTests.read(text) }
        #expect(!validator.allows(try Self.value(text)))
    }
}
