import Foundation
import StorekeeperTesting
import Testing

/// What the README says one may type is typed, in order, in a copy of what a fresh clone has.
@Suite("The README's commands", .timeLimit(.minutes(20))) struct ReadmeCommandsTests {
    /// A folder with the files that ship, and the program where `make demo` leaves it.
    private static func clone() throws -> (folder: Folder, readme: String) {
        let repository = try #require(try ExampleStory.all().first).repository
        let folder = try Folder()
        let files = FileManager.default
        try files.copyItem(
            at: repository.appending(path: "Configuration"), to: folder.url.appending(path: "Configuration"))
        for name in try files.contentsOfDirectory(atPath: repository.appending(path: "Configuration/evidence").path)
        where name.hasPrefix("storekeeper.sqlite") || name == "storekeeper.keys" || name.hasPrefix("moved.sqlite") {
            // A fresh clone has no vault, whoever has tried the commands in this one.
            try files.removeItem(at: folder.url.appending(path: "Configuration/evidence/\(name)"))
        }
        let build = folder.url.appending(path: ".build/debug")
        try files.createDirectory(at: build, withIntermediateDirectories: true)
        try files.createSymbolicLink(
            at: build.appending(path: "storekeeper"), withDestinationURL: try #require(Program.executable))
        let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)
        return (folder, readme)
    }

    /// Runs lines in a shell; `make demo` has been run already.
    private func type(_ text: String, in folder: Folder) throws -> Program.Result {
        try Program.type("make() { :; }\n" + text, in: folder)
    }

    @Test("work as typed in a fresh clone")
    func typed() throws {
        let (folder, readme) = try Self.clone()
        let start = try #require(
            readme.firstMatch(of: #/```sh\n(make demo(?:(?!```)[\s\S])*storekeeper(?:(?!```)[\s\S])*)```/#)
        ).1
        let first = try type(String(start), in: folder)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("gold.monthly"))

        // From there, what the table says, in its order.
        let place = String(start).split(separator: "\n").filter { $0.hasPrefix("export") || $0.hasPrefix("cd") }
        #expect(place.count == 2)
        let commands = readme.matches(of: #/\|[^|\n]*\| `(storekeeper [^`\n]+)` \|/#).map { String($0.1) }
        #expect(commands.count >= 17)
        for command in commands {
            let result = try type((place + [Substring(command)]).joined(separator: "\n"), in: folder)
            #expect([0, 1, 3].contains(result.status), "\(command): \(result.status) \(result.errors)")
            // Nobody types anything into a conversation here.
            #expect(!result.output.isEmpty || command.contains("--interactive"), "\(command)")
            #expect(!result.errors.contains("storekeeper: error"), "\(command): \(result.errors)")
        }
    }

    @Test("of the shipped customers need no option in their folder")
    func customers() throws {
        let (folder, _) = try Self.clone()
        for story in try ExampleStory.all() {
            let result = try type(
                "cd Configuration/evidence\n../../.build/debug/storekeeper entitlements \(story.name).jsonl",
                in: folder)
            #expect(result.status == 0, "\(story.name): \(result.errors)")
            #expect(!result.errors.contains("bundleNotChecked"))
        }
    }
}
