import Foundation
import StorekeeperTesting
import Testing

@Suite("CONTRIBUTING") struct ContributingTests {
    @Test("CONTRIBUTING maps every target") func map() throws {
        let repository = try #require(ExampleStory.repository())
        let text = try String(contentsOf: repository.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let folders = try FileManager.default.contentsOfDirectory(atPath: repository.appending(path: "Sources").path)
        for folder in folders where folder.hasPrefix("Storekeeper") {
            #expect(text.contains("\nSources/\(folder)/ "), "the map lacks Sources/\(folder)")
        }
    }
}
