import Foundation
import Storekeeper
import StorekeeperCompanion
import Testing

@testable import StorekeeperCLI

/// Tests of delimiters that are part of a larger `Character`, such as a delimiter before a combining mark.
@Suite struct HiddenDelimiterTests {
    @Test(
        "A connection string is not taken for a path",
        arguments: ["postgres://\u{301}anna:secret@host/game", "postgresql://\u{301}host"])
    func connectionString(text: String) {
        #expect(VaultLocation.isConnectionString(text))
    }

    @Test(
        "A mistyped connection string is not quoted",
        arguments: [
            "mysql://anna:secret@\u{301}host", "host=h password=\u{301}secret", "postgres:/a:secret\u{600}@host",
        ])
    func mistyped(text: String) {
        let error = #expect(throws: CommandError.self) { try VaultLocation(argument: text) }
        #expect(error?.description.utf8.contains("secret".utf8) == false)
    }

    @Test("A comment in a file of keys begins at each number sign")
    func comment() throws {
        let folder = try Folder()
        let key = try AccessKey.make(name: "game", scope: .check).key
        try folder.write("#\u{301} all keys\ngame check \(key.sha256) #\u{301} the game\n", to: "keys")
        #expect(try KeyFile(path: folder.url.appending(path: "keys").path).keys() == [key])
    }

    @Test(
        "A name of a key with a blank or a number sign is refused",
        arguments: ["game admin", "game\u{600} admin", "game\u{600}#", "game#\u{301}"])
    func name(text: String) throws {
        let folder = try Folder()
        let path = folder.url.appending(path: "keys").path
        #expect(throws: CommandError.self) {
            try KeyFile(path: path).add(text, scope: "check", rate: nil, until: nil) { _ in true }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
