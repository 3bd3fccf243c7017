import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of the branches of a local App Store with `--state`, in a process that is killed.
@Suite(.system) struct StoryStateTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/Store.storekit").path

    @Test("After a kill the branches, their names and the place are the same, and the state is a scenario")
    func killed() async throws {
        let folder = try Folder()
        let first = try ServedProcess([Self.catalog, "--state", "state.yaml"], in: folder)
        for step in ["buy gold.monthly by customer", "advance 1 year", "refund gold.monthly by customer"] {
            try await first.step(step)
        }
        try await first.post("/local/v1/story/undo", [:])
        try await first.step("buy coins.100 by customer")
        try await first.post("/local/v1/story/branches", ["branch": .integer(1), "name": .string("Refünded")])
        try await first.post("/local/v1/story/undo", [:])
        let story = try await first.get("/local/v1/story")
        let transactions = try await first.get("/local/v1/transactions")
        #expect(first.end(SIGKILL) == SIGKILL)

        let second = try ServedProcess(["--state", "state.yaml"], in: folder)
        #expect(JSONText.value(try await second.get("/local/v1/story")).text() == JSONText.value(story).text())
        #expect(
            JSONText.value(try await second.get("/local/v1/transactions")).text()
                == JSONText.value(transactions).text())
        try await second.post("/local/v1/story/place", ["branch": .integer(1)])
        let refunded = try await second.get("/local/v1/transactions").object?["transactions"]?.array?.compactMap {
            $0.object?["state"]?.string
        }
        #expect(refunded?.contains("refunded") == true)
        #expect(second.end(SIGKILL) == SIGKILL)

        // The file of the state contains the current branch as a scenario.
        let played = try Program.run(["simulate", "state.yaml"], in: folder)
        #expect(played.status == 0 && played.output.contains("refund"), "\(played.errors)")
        #expect(!played.output.contains("buy coins.100"))
        let text = try String(contentsOf: folder.url.appending(path: "state.yaml"), encoding: .utf8)
        #expect(text.contains("# |   - buy: coins.100\n"))
        #expect(text.contains("  - advance: 1 year\n"))
    }

    @Test("A state whose branches were damaged is refused, and not overwritten")
    func damaged() async throws {
        let folder = try Folder()
        let first = try ServedProcess([Self.catalog, "--state", "state.yaml"], in: folder)
        try await first.step("buy gold.monthly by customer")
        #expect(first.end(SIGKILL) == SIGKILL)
        let file = folder.url.appending(path: "state.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let damaged = text.replacing("\"tip\":", with: "\"top\":")
        #expect(damaged != text)
        try Data(damaged.utf8).write(to: file)
        let refused = try Program.run(["local-app-store", "--state", "state.yaml", "--port", "0"], in: folder)
        #expect(refused.status == 65 && refused.errors.contains("# story"), "\(refused.status) \(refused.errors)")
        #expect(try String(contentsOf: file, encoding: .utf8) == damaged)
    }

    @Test("A state with catalogs inside, a refused purchase and an odd name is resumed")
    func odd() async throws {
        let folder = try Folder()
        let text = """
            story: A store in one file
            catalog: [Store.json]
            catalog files:
              Store.json: |
                {"products": ["remove.ads", {"id": "coins.100", "type": "consumable"}]}
            people: [anna]
            steps: []

            """
        try Data(text.utf8).write(to: folder.url.appending(path: "whole.yaml"))
        let first = try ServedProcess(["whole.yaml", "--state", "state.yaml"], in: folder)
        for step in ["fail billing anna", "buy coins.100 by anna", "advance 1 day"] { try await first.step(step) }
        try await first.step("new person '\(String(repeating: "[", count: 70))'")
        let story = try await first.get("/local/v1/story")
        #expect(first.end(SIGKILL) == SIGKILL)
        let second = try ServedProcess(["--state", "state.yaml"], in: folder)
        #expect(JSONText.value(try await second.get("/local/v1/story")).text() == JSONText.value(story).text())
        #expect(second.end(SIGKILL) == SIGKILL)
    }

    @Test("The state of a catalog in a folder names the catalog where it is")
    func folder() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "sub"), withIntermediateDirectories: true)
        try Data(#"{"products": ["remove.ads"]}"#.utf8).write(to: folder.url.appending(path: "sub/Store.json"))
        let first = try ServedProcess(["sub/Store.json", "--state", "state.yaml"], in: folder)
        try await first.step("buy remove.ads by customer")
        #expect(first.end(SIGKILL) == SIGKILL)
        let second = try ServedProcess(["--state", "state.yaml"], in: folder)
        let story = try await second.get("/local/v1/story")
        #expect(story.object?["steps"]?.array.map { Array($0).count } == 2)
        #expect(second.end(SIGKILL) == SIGKILL)
    }
}
