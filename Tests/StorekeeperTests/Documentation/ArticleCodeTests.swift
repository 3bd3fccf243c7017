import Foundation
import StorekeeperTesting
import Testing

/// Tests that each block of code in an article is, line by line, part of a test that is named after the article.
@Suite("Code in articles") struct ArticleCodeTests {
    /// A block of Swift code and its article.
    struct Block: Sendable, CustomTestStringConvertible {
        let article: String
        let lines: [String]

        var testDescription: String { "\(article): \(lines.first ?? "")" }
    }

    private static func repository() throws -> URL { try #require(ExampleStory.repository()) }

    private static func files(in folder: URL, named suffix: String) -> [URL] {
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return files.compactMap { $0 as? URL }.filter { $0.path.hasSuffix(suffix) }.sorted { $0.path < $1.path }
    }

    /// Returns the lines of a file without their indentation, which differs between an article and a test.
    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the blocks of all articles.
    static func blocks() throws -> [Block] {
        var blocks: [Block] = []
        for file in files(in: try repository().appendingPathComponent("Sources"), named: ".md")
        where file.path.contains("/Documentation.docc/") {
            var open: [String]?
            for line in try lines(of: file) {
                if line == "```swift" {
                    open = []
                } else if line == "```", let lines = open {
                    blocks.append(Block(article: file.deletingPathExtension().lastPathComponent, lines: lines))
                    open = nil
                } else {
                    open?.append(line)
                }
            }
        }
        return blocks
    }

    @Test("The articles contain code") func someCode() throws { #expect(try Self.blocks().count > 10) }

    @Test("Each block of code is part of the test of its article", arguments: try blocks())
    func isTested(block: Block) throws {
        let name = "/Documentation/\(block.article)Tests.swift"
        let tests = Self.files(in: try Self.repository().appendingPathComponent("Tests"), named: name)
        // An article about custom parts shows code of an example package, which is built and tested separately.
        let examples =
            tests.isEmpty
            ? Self.files(in: try Self.repository().appendingPathComponent("Examples"), named: ".swift") : []
        #expect(!(tests + examples).isEmpty, "no test or example for the article \(block.article)")
        let code = "\n" + block.lines.joined(separator: "\n") + "\n"
        let exists = try (tests + examples).contains { file in
            ("\n" + (try Self.lines(of: file)).joined(separator: "\n") + "\n").contains(code)
        }
        #expect(exists, "the code of the article \(block.article) is not part of its test or of an example")
    }

    @Test("Articles name files that exist") func files() throws {
        let sources = try Self.repository().appendingPathComponent("Sources")
        var count = 0
        for article in Self.files(in: sources, named: ".md") {
            for line in try Self.lines(of: article) {
                for match in line.matches(of: /`(Storekeeper\w*\/[\w+\/]+\.swift)`/) {
                    let file = sources.appendingPathComponent(String(match.1))
                    #expect(
                        FileManager.default.fileExists(atPath: file.path), "\(article.lastPathComponent): \(match.1)")
                    count += 1
                }
            }
        }
        #expect(count > 20)
    }
}
