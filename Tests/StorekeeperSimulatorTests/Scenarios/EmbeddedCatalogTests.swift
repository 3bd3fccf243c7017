import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests of scenarios that contain their catalogs.
struct EmbeddedCatalogTests {
    private static let head = """
        story: S
        catalog: [a.json, b.json]
        catalog files:
          a.json: |
            {"products": ["remove.ads"]}

        """
    private static let tail = "steps:\n  - { buy: remove.ads, by: anna }\npeople: [anna]\n"

    @Test("A catalog in the scenario is used instead of a file, and stays in the text")
    func mixed() throws {
        var asked: [String] = []
        func read(_ text: String) throws -> Scenario {
            try Scenario(reading: text, file: "s.yaml") { name in
                asked.append(name)
                return CatalogFile(name: name, bytes: Array(#"{"products": ["coins.100"]}"#.utf8))
            }
        }
        let scenario = try read(Self.head + Self.tail)
        #expect(asked == ["b.json"])
        #expect(scenario.embeddedCatalogs == ["a.json"])
        #expect(Set(scenario.apps.flatMap(\.catalog.products).map(\.id)) == ["remove.ads", "coins.100"])
        #expect(try read(scenario.text).text == scenario.text)
        #expect(scenario.text.contains("catalog files:\n  a.json: |\n    {\"products\": [\"remove.ads\"]}\n"))
    }

    @Test("A scenario without files is read from its text alone")
    func alone() throws {
        let text = Self.head.replacing(", b.json", with: "") + Self.tail
        #expect(try Scenario(reading: text).apps.first?.catalog.product("remove.ads") != nil)
        let error = #expect(throws: ScenarioError.self) { try Scenario(reading: Self.head + Self.tail) }
        #expect(error?.description.contains("'b.json' cannot be read") == true)
    }

    @Test(
        "A mistake in an embedded catalog is reported with its place",
        arguments: [
            ("  a.json: |\n    {\"products\": [}\n", "'a.json' is not a valid catalog"),
            ("  a.json: !!binary \"%%%\"\n", "'a.json' is not base64"),
            ("  a.json: [1, 2]\n", "'a.json' is not a single value"),
            ("  a.json: |\n    {}\n  c.json: |\n    {}\n", "no catalog is 'c.json'"),
        ])
    func mistakes(files: String, words: String) throws {
        let text = "story: S\ncatalog: a.json\ncatalog files:\n\(files)steps: []\n"
        let error = #expect(throws: ScenarioError.self) { try Scenario(reading: text, file: "s.yaml") }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.all.allSatisfy { $0.line >= 2 } == true)
    }

    /// Texts from which generated files are composed.
    ///
    /// Some are valid YAML, and some are not.
    private static let pieces =
        [
            "{", "}", "[", "\"a\": 1,", " ", "  ", "\n", "\n\n", "\t", "\r\n", "# no comment", "&anchor", "*alias",
            "- ",
            "---\n", "...\n", "|", ">", "ä", "\u{1F600}", "\u{2028}", "\u{FEFF}", "\u{7}", "x: y", "%", "'", "\"",
            String(repeating: "[", count: 70), String(repeating: " ", count: 90),
        ].map { Array($0.utf8) } + [[0], [0xff, 0xfe], [0xc3]]

    @Test("The content of a file survives writing and reading, whatever it is")
    func contents() {
        checkProperty(
            "embedded files", cases: 400,
            generate: { random in
                (0..<Int.random(in: 0..<7, using: &random)).map { _ in
                    Int.random(in: 0..<Self.pieces.count, using: &random)
                }
            },
            shrink: { list in
                list.indices.map { index in list.enumerated().filter { $0.offset != index }.map(\.element) }
            }
        ) { list in
            let bytes = list.flatMap { Self.pieces[$0] }
            var scenario = Scenario(story: "S", apps: [])
            scenario.embeddedCatalogs = ["a b", "z"]
            scenario.catalogFiles = [
                "a b": CatalogFile(name: "a b", bytes: bytes), "z": CatalogFile(name: "z", bytes: Array("{}\n".utf8)),
            ]
            let root = try ScenarioNode.root(of: scenario.embeddedFiles + "x: y\n", file: "s.yaml")
            let files = try #require(root.pairs("").first).value.pairs("files")
            return try files.map(\.word) == ["a b", "z"] && files[0].value.fileContent("a b") == bytes
                && files[1].value.fileContent("z") == Array("{}\n".utf8)
        }
    }
}
