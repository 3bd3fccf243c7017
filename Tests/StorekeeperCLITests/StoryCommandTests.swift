import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the example customers with the real program.
@Suite("The shipped customers", .system) struct StoryCommandTests {
    /// Returns the arguments of a story's command, with absolute paths.
    private func words(of story: ExampleStory) -> [String] {
        story.command.map { word in
            word.hasPrefix("Configuration/") ? story.repository.appending(path: word).path : word
        } + ["--format", "json"]
    }

    /// Returns the lines of a text without the messages of diagnostics, which may be reworded.
    private func withoutMessages(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("\"message\":") }
    }

    @Test("There are at least a dozen shipped customers")
    func count() throws { #expect(try ExampleStory.all().count >= 12) }

    @Test("The commands for the shipped customers give the documented output", arguments: try ExampleStory.all())
    func promisedAnswer(story: ExampleStory) throws {
        let result = try Tool.run(words(of: story), in: try Folder())
        #expect(result.status == 0)
        #expect(
            withoutMessages(result.output)
                == withoutMessages(String(decoding: try story.expectedBytes(), as: UTF8.self)))
    }

    @Test("Shuffled and doubled evidence gives the same bytes", arguments: try ExampleStory.all())
    func shuffledAndDoubled(story: ExampleStory) throws {
        let folder = try Folder()
        let path = try #require(story.evidence.first)
        let text = String(decoding: try story.bytes(of: path), as: UTF8.self)
        var items = text.split(separator: "\n").map(String.init)
        // A JSON document of several lines is one item.
        if items.contains(where: { !$0.hasPrefix("eyJ") && !($0.hasPrefix("{") && $0.hasSuffix("}")) }) {
            items = [text]
        }
        var random = PropertySettings.environment.generator
        let mixed = (items + items).shuffled(using: &random).joined(separator: "\n")
        let absolute = story.repository.appending(path: path).path
        let fromInput = words(of: story).map { $0 == absolute ? "-" : $0 }
        let straight = try Tool.run(words(of: story), in: folder)
        let shuffled = try Program.run(fromInput, in: folder, input: Array(mixed.utf8))
        #expect(shuffled.output == straight.output)
        #expect(shuffled.status == straight.status)
    }

    @Test("The picture in the README is the program's")
    func picture() throws {
        let story = try #require(try ExampleStory.all().first { $0.name == "billing-retry" })
        let arguments =
            ["timeline"] + words(of: story).dropFirst().dropLast(2)
            + ["--product", "silver.monthly", "--feature", "daily-lantern", "--format", "svg"]
        let result = try Tool.run(arguments, in: try Folder())
        // Update with: storekeeper timeline … > Documentation/timeline.svg
        #expect(Array(result.output.utf8) == (try story.bytes(of: "Documentation/timeline.svg")))
    }
}
