import Foundation
import StorekeeperTesting
import Testing

/// Tests that a copy of the repository contains the files of a fresh clone, and no files that commands left.
@Suite("The shipped files", .system) struct ShippedFilesTests {
    private func shop(isRepository: Bool) throws -> (folder: Folder, files: ShippedFiles) {
        let folder = try Folder()
        try folder.write("storekeeper.sqlite*\nstorekeeper.keys\n", to: ".gitignore")
        try folder.write("{}", to: "Configuration/Products.json")
        try folder.write("a", to: "Configuration/evidence/a.jsonl")
        if isRepository {
            let made = try Program.type("git init -q . && git add .", in: folder)
            try #require(made.status == 0, "\(made.errors)")
            // This file is neither tracked nor ignored.
            try folder.write("b", to: "Configuration/evidence/b.jsonl")
        }
        try folder.write("left", to: "Configuration/evidence/storekeeper.sqlite-wal")
        try folder.write("left", to: "Configuration/evidence/storekeeper.keys")
        return (folder, ShippedFiles(root: folder.url))
    }

    @Test(
        "The shipped files are the tracked ones, and without git those that it does not ignore",
        arguments: [true, false])
    func paths(isRepository: Bool) throws {
        let (folder, files) = try shop(isRepository: isRepository)
        let expected = ["Configuration/Products.json", "Configuration/evidence/a.jsonl"]
        #expect(try files.paths(below: "Configuration").sorted() == expected)

        let other = try Folder()
        try files.copy("Configuration/evidence", to: other.url)
        let copied = try FileManager.default.subpathsOfDirectory(atPath: other.url.path).sorted()
        #expect(copied == ["Configuration", "Configuration/evidence", "Configuration/evidence/a.jsonl"])
        withExtendedLifetime(folder) {}
    }

    @Test("The shipped files include the example customers, and nothing that the README's commands leave")
    func here() throws {
        let paths = try ShippedFiles().paths(below: "Configuration")
        #expect(paths.contains("Configuration/evidence/storekeeper.yaml") && paths.count > 100)
        #expect(!paths.contains { $0.hasSuffix(".sqlite") || $0.hasSuffix(".keys") })
    }
}
