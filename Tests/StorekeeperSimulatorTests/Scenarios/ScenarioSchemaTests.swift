import Foundation
import Storekeeper
import StorekeeperTesting
import Testing
import Yams

@testable import StorekeeperSimulator

/// Tests that the JSON schema for editors accepts the same scenarios as the reader.
struct ScenarioSchemaTests {
    private typealias Value = SchemaValidator.Value

    private static let validator = Result {
        SchemaValidator(schema: Value(try JSONReader().read(ScenarioSchema.json.bytes()).root))
    }

    // MARK: Steps

    /// A value that a schema describes, as it is written in a scenario.
    private static func sample(_ schema: [String: JSONText]) -> String {
        if case .string(let reference)? = schema["$ref"] {
            return samples[String(reference.split(separator: "/").last ?? "")] ?? ""
        }
        if case .array(let words)? = schema["enum"], case .string(let word)? = words.first { return word }
        if case .array(let schemas)? = schema["anyOf"], case .object(let first)? = schemas.first {
            return sample(first)
        }
        if case .number(let least)? = schema["minimum"] { return least }
        return schema["type"]?.text() == "\"integer\"" ? "2" : #"'{"items":[{"SKU":"pro","price":4990}]}'"#
    }

    private static let samples = [
        "text": "anna", "flag": "yes", "span": "3 days", "time": "2026-03-01T00:00:00Z", "country": "DEU",
        "uuid": "7f3c5e52-4e2b-4b6e-9b0c-2f7e0a5d1c11", "offer": "introductory", "price": "5.99",
    ]

    private static func sample(_ subject: StepSubject) -> String {
        switch subject {
        case .span: "31 days"
        case .time: "2026-03-01"
        case .product, .soldProduct: "gold.monthly"
        case .purchase: "transaction 12"
        case .person: "anna"
        case .newPerson: "carl"
        case .fault: "mass extension status"
        case .setting: "{ ask to buy: yes }"
        case .nothing: ""
        case .amount: "3 coins"
        case .access: "pro"
        case .accessKey: "outage"
        case .answers: "[entitled pro because active, balance coins 3]"
        case .receiptAnswers: "never pro"
        case .members: "{ transaction: { price: 4990, offerType: none } }"
        case .notifications: "[DID_RENEW]"
        case .happenings: "[renewed]"
        case .events: "[pro entitled active]"
        }
    }

    /// Steps of a kind: one with the required keys, and one with each other key.
    private static func steps(of kind: StepKind) -> [String] {
        func step(with keys: [any StepParameter]) -> String {
            let person = kind.subject.takesPerson ? "    by: anna\n" : ""
            return "  - \(kind.name): \(sample(kind.subject))\n" + person
                + keys.map { "    \($0.name): \($0.name == "purchase" ? "gold.monthly" : sample($0.schema))\n" }
                .joined()
        }
        let required = kind.parameters.filter { $0.need == .always }
        return [step(with: required)]
            + kind.parameters.filter { $0.need != .always }.map { key in
                // A fault's span is the span of an effect.
                step(with: key.name == "times" || key.name == "span" ? kind.parameters : required + [key])
            }
    }

    @Test(
        "The schema accepts each step with each of its keys, and the step is written as it is read",
        arguments: StepKind.all.map(\.name))
    func steps(name: String) throws {
        let kind = try #require(StepKind.named(name))
        for step in Self.steps(of: kind) {
            // A fault has an effect, without which only 'none' is a place.
            if kind.subject == .fault, !step.contains("how:") { continue }
            let text = Self.head + step.replacing("how: 400", with: "how: slow body")
            #expect(try Self.validator.get().allows(try Self.value(text)), "\(step)")
            let scenario = try ScenarioReaderTests.read(text)
            let again = try ScenarioReaderTests.read(Self.head + Scenario.text(of: scenario.steps))
            #expect(again.steps.map(\.action) == scenario.steps.map(\.action), "\(step)")
            #expect(again.steps.first?.text.hasPrefix(name) == true, "\(step)")
        }
    }

    @Test(
        "A step about a purchase finds the purchase by a name that an earlier step gave",
        arguments: StepKind.all.filter { $0.subject == .purchase }.map(\.name))
    func names(name: String) throws {
        let kind = try #require(StepKind.named(name))
        let step = try #require(Self.steps(of: kind).first).replacing("transaction 12", with: "first")
        let text = Self.head + "  - buy: gold.monthly\n    by: anna\n    as: first\n" + step
        let action = try #require(try ScenarioReaderTests.read(text).steps.last?.action)
        switch action {
        case .perform(let commands):
            let command = try #require(commands.first)
            #expect(command.replacingReference { $0 == "first" ? "12" : $0 } != command)
        default: #expect(action == .answerGuardian(name == "approve", "first"))
        }
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
        #expect(try Self.validator.get().allows(try Self.value(text)))
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
        #expect(throws: ScenarioError.self) { try ScenarioReaderTests.read(text) }
        #expect(!(try Self.validator.get().allows(try Self.value(text))))
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
        #expect(throws: ScenarioError.self) { try ScenarioReaderTests.read(text) }
        #expect(!(try Self.validator.get().allows(try Self.value(text))))
    }
}
