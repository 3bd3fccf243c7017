import Foundation
import Testing

@testable import StorekeeperSimulator

/// The JSON schema for editors says what the reader reads.
struct ScenarioSchemaTests {
    private static func schema() throws -> [String: Any] {
        let data = try Data(contentsOf: ShippedScenarioTests.folder.appendingPathComponent("scenario.schema.json"))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func keys(_ value: Any?) -> Set<String> { Set((value as? [String: Any] ?? [:]).keys) }

    @Test("It has the keys of a scenario, of an app, of a policy and of the settings")
    func keys() throws {
        let schema = try Self.schema()
        #expect(Self.keys(schema["properties"]) == Set(Scenario.keys))
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        #expect(Self.keys(definitions["app"]?["properties"]) == Set(Scenario.appKeys))
        #expect(Self.keys(definitions["policy"]?["properties"]) == Set(Scenario.policyKeys))
        #expect(Self.keys(definitions["settings"]?["properties"]) == Set(ScenarioSettings.keys))
    }

    @Test("It has every step with its keys", arguments: ScenarioWord.all.map(\.name))
    func steps(name: String) throws {
        let definitions = try #require(Self.schema()["$defs"] as? [String: [String: Any]])
        let steps = try #require(definitions["step"]?["anyOf"] as? [[String: Any]])
        let step = try #require(steps.first { $0["required"] as? [String] == [name] })
        let word = try #require(ScenarioWord.named(name))
        #expect(Self.keys(step["properties"]) == Set([name] + word.keys + ScenarioWord.commonKeys))
        #expect(step["description"] as? String == word.help)
    }

    @Test("The page of the documentation names every step and its keys", arguments: ScenarioWord.all.map(\.name))
    func documentation(name: String) throws {
        let page = try String(
            contentsOf: ShippedScenarioTests.folder.appendingPathComponent(
                "../../Sources/StorekeeperSimulator/Documentation.docc/Scenarios.md"), encoding: .utf8)
        let word = try #require(ScenarioWord.named(name))
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") })
        #expect(row.hasSuffix("| \(word.help) |"))
        for key in word.keys where !["by", "for", "of"].contains(key) { #expect(row.contains("`\(key)`")) }
    }
}
