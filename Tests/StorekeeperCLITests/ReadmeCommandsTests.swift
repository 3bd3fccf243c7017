import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of the README, in order, in a copy of a fresh clone.
@Suite("The README's commands", .timeLimit(.minutes(20))) struct ReadmeCommandsTests {
    /// A folder with the tracked files, and the program where `make demo` puts it.
    static func clone() throws -> Folder {
        let folder = try Folder()
        try ShippedFiles().copy("Configuration", to: folder.url)
        try ShippedFiles().copy(".gitignore", to: folder.url)
        let build = folder.url.appending(path: ".build/debug")
        try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: build.appending(path: "storekeeper"), withDestinationURL: try #require(Program.executable))
        return folder
    }

    /// The commands of the table.
    private static func questions(_ readme: Guide) -> [String] {
        readme.text.matches(of: #/\|[^|\n]*\| `(storekeeper [^`\n]+)` \|/#).map { String($0.1) }
    }

    /// The blocks that call the program: where to call it, a service, a local App Store, and another with a scenario.
    private static func blocks(_ readme: Guide) throws -> [String] {
        let blocks = readme.blocks(of: "sh").filter { $0.contains("storekeeper ") }
        try #require(blocks.count == 4)
        return blocks
    }

    /// Runs all commands in one shell; it continues after expected failures, such as the answer no.
    static func typeAll(in folder: Folder) throws -> Program.Result {
        let readme = try Guide("README.md")
        let blocks = try blocks(readme)
        let port = "\(try Guide.freePorts(1)[0])"
        let questions = questions(readme).map { question in
            """
            echo '$ \(question.replacing("'", with: ""))'
            status=0
            \(question) </dev/null || status=$?
            case $status in 0|1|3) ;; *) exit $status ;; esac
            """
        }
        // The last command serves until a signal ends it.
        let last = blocks[3].trimmingCharacters(in: .newlines)
        try #require(last.hasSuffix("storekeeper serve --local-app-store ../scenarios/family.yaml --port 8080"))
        return try Guide.type(
            (["make() { :; }", blocks[0]] + questions + ["echo == service", blocks[1], "echo == store", blocks[2]]
                + [
                    "echo == scenario", "\(last) &",
                    "curl -s --fail --retry 9 --retry-connrefused http://127.0.0.1:8080/local/v1",
                ]).map { $0.replacing("8080", with: port) }, in: folder)
    }

    @Test("The commands work as typed in a fresh clone, and leave no untracked files")
    func typed() throws {
        let folder = try Self.clone()
        let begun = try Program.type("git init -q . && git add .", in: folder)
        try #require(begun.status == 0, "\(begun.errors)")
        let result = try Self.typeAll(in: folder)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(!result.errors.contains("storekeeper: error"), "\(result.errors)")

        let parts = result.output.components(separatedBy: "== ")
        try #require(parts.count == 4)
        #expect(parts[0].contains("gold.monthly"))
        let answers = parts[0].components(separatedBy: "\n$ storekeeper ").dropFirst()
        #expect(answers.count >= 17)
        for answer in answers {
            let (command, output) = (answer.prefix { $0 != "\n" }, answer.drop { $0 != "\n" }.dropFirst())
            // The interactive session gets no input here.
            #expect(!output.isEmpty || command.contains("--interactive"), "\(command)")
        }
        #expect(parts[1].contains(#"{"id":"coins","#) || parts[1].contains(#""balance":670"#), "\(parts[1])")
        #expect(parts[1].contains(#""receipt":"#) && parts[1].contains(#""replayed":true"#), "\(parts[1])")
        #expect(parts[2].contains(#""transactionID":"#), "\(parts[2])")
        #expect(parts[3].contains(#""people":"#), "\(parts[3])")

        let left = try Program.type(
            "git ls-files --others --modified --deleted --exclude-standard -- . ':!.output' ':!.errors' ':!.build'",
            in: folder)
        #expect(left.status == 0 && left.output == "", "\(left.output)")
    }

    @Test("The commands about the shipped customers need no option in their folder")
    func customers() throws {
        let folder = try Self.clone()
        for story in try ExampleStory.all() {
            let result = try Program.type(
                "cd Configuration/evidence\n../../.build/debug/storekeeper entitlements \(story.name).jsonl",
                in: folder)
            #expect(result.status == 0, "\(story.name): \(result.errors)")
            #expect(!result.errors.contains("bundleNotChecked"))
        }
    }
}
