import Foundation
import StorekeeperSimulator
import Testing

/// Tests of the scenarios in Configuration/scenarios, which are also documentation.
struct ShippedScenarioTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Configuration/scenarios").standardizedFileURL

    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted()
    }()

    @Test("There are at least forty shipped scenarios")
    func any() { #expect(Self.files.count >= 40) }

    @Test("The list of scenarios has each with its title", arguments: files)
    func listed(file: String) throws {
        let folder = Self.folder
        let list = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let scenario = try Scenario(contentsOfFile: folder.appendingPathComponent(file).path)
        #expect(list.contains("| [\(file.dropLast(5))](\(file)) | \(scenario.story) |"))
    }

    @Test("Every expectation of the scenario holds", arguments: files)
    func play(file: String) async throws {
        let scenario = try Scenario(contentsOfFile: Self.folder.appendingPathComponent(file).path)
        var runner = try await ScenarioRunner(scenario)
        let report = try await runner.run()
        #expect(report.expectationCount > 0, "a scenario without expectations tests nothing")
        for failure in report.failures {
            Issue.record("\(file):\(failure.line): expected \(failure.expected), found \(failure.found)")
        }
    }

    @Test("Every scenario has a description", arguments: files)
    func about(file: String) throws {
        let scenario = try Scenario(contentsOfFile: Self.folder.appendingPathComponent(file).path)
        #expect(!(scenario.about ?? "").isEmpty)
    }
}
