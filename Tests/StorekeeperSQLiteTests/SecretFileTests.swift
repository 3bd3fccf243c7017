import Foundation
import StorekeeperDurable
import StorekeeperTesting
import Testing

/// Tests of the files that only their owner may read, with existing files and links at their paths.
@Suite struct SecretFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")

    /// Runs a body in a new folder, which is removed afterwards.
    private func inFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func write(_ text: String, to name: String, mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    private func content(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    private func isPrivate(_ name: String) throws -> Bool {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return attributes[.posixPermissions] as? Int == 0o600 && attributes[.type] as? FileAttributeType == .typeRegular
    }

    @Test("A created or replaced file can be read and written by its owner only")
    func permissions() throws {
        try inFolder {
            try SecretFile.create(path("new"), with: Array("secret".utf8))
            #expect(try content("new") == "secret")
            #expect(try isPrivate("new"))
            try SecretFile.create(path("empty"))
            #expect(try content("empty") == "")
            #expect(try isPrivate("empty"))
            try write("old", to: "old")
            try SecretFile.replace(path("old"), with: Array("secret".utf8))
            #expect(try content("old") == "secret")
            #expect(try isPrivate("old"))
            try SecretFile.replace(path("other"), with: [UInt8](repeating: 7, count: 1 << 20))
            #expect(try content("other").utf8.count == 1 << 20)
            #expect(try isPrivate("other"))
        }
    }

    @Test("The permissions of others are taken from a file, and not from the target of a link")
    func restricted() throws {
        try inFolder {
            try write("old", to: "old")
            try write("linked", to: "linked")
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "linked")
            for name in ["old", "link", "none"] { SecretFile.restrict(path(name)) }
            #expect(try isPrivate("old"))
            #expect(try content("old") == "old")
            #expect(try !isPrivate("linked"))
        }
    }

    @Test("An existing file, and a link with or without a target, are not written to when a file is created")
    func existing() throws {
        try inFolder {
            try write("old", to: "old")
            for (link, target) in [("link", "old"), ("dangling", "none")] {
                try FileManager.default.createSymbolicLink(atPath: path(link), withDestinationPath: target)
            }
            for name in ["old", "link", "dangling"] {
                let failure = #expect(throws: SecretFile.Failure.self) {
                    try SecretFile.create(path(name), with: Array("secret".utf8))
                }
                #expect(failure?.isExisting == true, "\(name)")
            }
            #expect(try content("old") == "old")
            #expect(!FileManager.default.fileExists(atPath: path("none")))
        }
    }

    @Test("Neither a link in place of the file nor a planted draft receives the secret")
    func links() throws {
        try inFolder {
            for name in ["target", "draft"] { try write("old", to: name, mode: 0o666) }
            try FileManager.default.createSymbolicLink(atPath: path("key"), withDestinationPath: "target")
            try FileManager.default.createSymbolicLink(atPath: path("key-new"), withDestinationPath: "draft")
            try SecretFile.replace(path("key"), with: Array("secret".utf8))
            #expect(try content("key") == "secret")
            #expect(try isPrivate("key"))
            for name in ["target", "draft"] { #expect(try content(name) == "old", "\(name)") }
            #expect(!FileManager.default.fileExists(atPath: path("key-new")))
        }
    }

    @Test("A folder that does not exist, or that is in place of the file, is a failure without a file left over")
    func failures() throws {
        try inFolder {
            try FileManager.default.createDirectory(
                at: folder.appending(path: "folder"), withIntermediateDirectories: true)
            for name in ["none/key", "folder"] {
                #expect(throws: SecretFile.Failure.self) { try SecretFile.create(path(name), with: [1]) }
                #expect(throws: SecretFile.Failure.self) { try SecretFile.replace(path(name), with: [1]) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
        }
    }
}
