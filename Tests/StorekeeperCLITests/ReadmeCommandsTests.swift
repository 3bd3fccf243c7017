import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of the README and of the example customers in a copy of a fresh clone.
@Suite("The README's commands", .system, .timeLimit(.minutes(20))) struct ReadmeCommandsTests {
    /// Returns a folder with the tracked files, and with the program at the path to which `make demo` builds it.
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

    @Test("The README shows what its commands print")
    func shown() throws {
        let folder = try Self.clone()
        let guide = try Guide("README.md")
        let (lines, steps) = try guide.script(["console"])
        try #require(steps.count == 1)
        let result = try Guide.type([Self.entry, "export COLUMNS=80"] + lines, in: folder)
        #expect(result.status == 0, "\(result.errors)")
        Guide.expect(steps, in: result.output)
    }

    /// Changes to the folder of the example customers, in which users run the commands.
    private static let entry = """
        cd Configuration/evidence
        PATH="$PWD/../../.build/debug:$PATH"
        """

    @Test("The commands about the example customers work in a fresh clone, and leave no untracked files")
    func typed() throws {
        let folder = try Self.clone()
        let begun = try Program.type("git init -q . && git add .", in: folder)
        try #require(begun.status == 0, "\(begun.errors)")
        let page = try Guide("Configuration/evidence/README.md")
        let questions = page.text.matches(of: #/\|[^|\n]*\| `(storekeeper [^`\n]+)` \|/#).map { String($0.1) }
        // All commands run in one shell, which continues after an expected exit status, such as 1 for "no access".
        let result = try Guide.type(
            ["cd Configuration/evidence"] + page.blocks(of: "sh")
                + questions.map { question in
                    """
                    echo '$ \(question.replacing("'", with: ""))'
                    status=0
                    \(question) </dev/null || status=$?
                    case $status in 0|1|3) ;; *) exit $status ;; esac
                    """
                }, in: folder)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(!result.errors.contains("storekeeper: error"), "\(result.errors)")

        let answers = "\n\(result.output)".components(separatedBy: "\n$ storekeeper ").dropFirst()
        #expect(answers.count >= 17 && answers.count == questions.count)
        for answer in answers {
            let (command, output) = (answer.prefix { $0 != "\n" }, answer.drop { $0 != "\n" }.dropFirst())
            // The interactive session gets no input here.
            #expect(!output.isEmpty || command.contains("--interactive"), "\(command)")
        }

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
