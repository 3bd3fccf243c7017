import Foundation
import StorekeeperTesting
import Testing

/// The article on fleets, whose statements and commands the tests run unchanged.
enum FleetArticle {
    /// Returns the article's code blocks of a language, in order.
    static func blocks(of language: String) throws -> [String] {
        let article = try #require(ExampleStory.repository()).appending(
            path: "Sources/StorekeeperPostgres/Documentation.docc/AFleetOnPostgreSQL.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }
}
