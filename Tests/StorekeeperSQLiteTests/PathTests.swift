import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSQLite

/// Tests of the kinds of files at the path of a vault, and of their permissions.
@Suite(.timeLimit(.minutes(20)))
struct PathTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ options: SQLiteVault.Options, at path: String) -> VaultError.Code? {
        do throws(VaultError) {
            try SQLiteVault(path: path, options: options).close()
            return nil
        } catch {
            return error.code
        }
    }

    private static let ways: [SQLiteVault.Options] = [
        .init(isReadOnly: true), .init(creation: .never), .init(creation: .ifMissing), .init(creation: .new),
    ]

    @Test(
        "A path is never read as a URI or a special name of SQLite",
        arguments: ["file:", "file:other.sqlite", ":memory:", "a?b#c%20"])
    func names(_ name: String) throws {
        let other = folder.file("other.sqlite")
        try OtherConnection(to: other).run("CREATE TABLE song(name TEXT)")
        let before = try Data(contentsOf: URL(fileURLWithPath: other))
        // Only a relative path can begin in this way. The test does not open the file, because all tests share the
        // working directory.
        let file = VaultFile(path: name, busyTimeout: 0)
        #expect(file.location == "./" + name)
        let path = folder.file(name)
        try SQLiteVault(path: path).close()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(code(.init(isReadOnly: true), at: path) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
    }

    @Test("The path of an immutable file is escaped in its URI")
    func stillNames() {
        let file = VaultFile(path: "/a b/?x#1%é.sqlite", busyTimeout: 0, isImmutable: true)
        #expect(file.location == "file:///a%20b/%3Fx%231%25%C3%A9.sqlite?immutable=1")
        #expect(VaultFile(path: "file:x", busyTimeout: 0, isImmutable: true).location == "file:./file%3Ax?immutable=1")
    }

    @Test(
        "A path that is not a regular file is refused at once and never opened",
        arguments: ["pipe", "folder", "link", "/dev/zero"])
    func noFile(_ name: String) throws {
        let path = name.hasPrefix("/") ? name : folder.file(name)
        switch name {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link":
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("gone"))
        default: break
        }
        #expect(Self.ways.map { code($0, at: path) } == [.notAVault, .notAVault, .notAVault, .exists])
        #expect(!FileManager.default.fileExists(atPath: folder.file("gone")))
    }

    @Test("A link to a vault opens that vault")
    func link() async throws {
        let path = folder.file()
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try vault.close()
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let linked = try SQLiteVault(path: link)
        #expect(try await linked.balances(of: "anna").first?.amount == 500)
        try linked.close()
    }

    @Test("A file with views instead of tables is refused before any of them is read")
    func views() throws {
        let path = folder.file()
        let other = try OtherConnection(to: path)
        try other.run("PRAGMA application_id = \(Schema.applicationID)")
        try other.run("PRAGMA user_version = \(Schema.version)")
        for table in ["meta", "customer", "balance", "fact"] {
            try other.run(
                """
                CREATE VIEW \(table) AS WITH RECURSIVE endless(id) AS (
                  SELECT 1 UNION ALL SELECT id + 1 FROM endless) SELECT * FROM endless
                """)
        }
        #expect(Self.ways.map { code($0, at: path) } == [.notAVault, .notAVault, .notAVault, .exists])
    }

    @Test("A file that could not become a vault is not left behind")
    func failedCreation() throws {
        #expect(code(.init(), at: folder.file("none/vault.sqlite")) == .io)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    // MARK: Permissions

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("Only the owner can read the files of a vault and of its copy")
    func ownerOnly() async throws {
        let path = folder.file()
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        for end in ["", "-wal", "-shm"] { #expect(try permissions(path + end) == 0o600, "\(end)") }
        _ = try await vault.backup(to: folder.file("copy"))
        #expect(try permissions(folder.file("copy")) == 0o600)
        try vault.close()
    }

    @Test(
        "A vault in an empty file can be read by its owner only, and options for reading leave the file as it is",
        arguments: [SQLiteVault.Creation.ifMissing, .new])
    func ownerOnlyInEmptyFile(_ creation: SQLiteVault.Creation) throws {
        let path = folder.file()
        let isCreated = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
        #expect(isCreated)
        #expect(code(.init(isReadOnly: true), at: path) == .notAVault)
        #expect(code(.init(creation: .never), at: path) == .notAVault)
        #expect(try permissions(path) == 0o644)
        let vault = try SQLiteVault(path: path, options: .init(creation: creation))
        for end in ["", "-wal", "-shm"] { #expect(try permissions(path + end) == 0o600, "\(end)") }
        try vault.close()
        #expect(code(.init(creation: .new), at: path) == .exists)
    }

    @Test("A read-only vault leaves no files behind and changes nothing", arguments: [false, true])
    func readingLeavesNothing(isCopy: Bool) async throws {
        var path = folder.file()
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        if isCopy {
            _ = try await vault.backup(to: folder.file("copy"))
            path = folder.file("copy")
        }
        try vault.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        do {
            let reader = try SQLiteVault(path: path, options: .init(isReadOnly: true))
            _ = try await reader.load("anna")
            #expect(try await reader.checkIntegrity().faults == [])
            // Two readers are open at the same time. The reader that closes last removes the additional files.
            let second = try SQLiteVault(path: path, options: .init(isReadOnly: true))
            _ = try await second.load("anna")
            try reader.close()
            _ = try await second.load("anna")
            try second.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("A reader that opens after the file was replaced does not read the other file")
    func replaced() async throws {
        let (path, other) = (folder.file(), folder.file("other.sqlite"))
        for (file, customer) in [(path, "anna" as CustomerID), (other, "ben")] {
            let vault = try SQLiteVault(path: file)
            try await vault.commitAll(Shop.batch([1], for: customer))
            try vault.close()
        }
        let vault = try SQLiteVault(path: path)
        #expect(try await vault.load("anna").version == 1)
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        #expect(rename(other, path) == 0)
        let results = await withTaskGroup(of: Result<Int64, any Error>.self) { group in
            for _ in 1...64 {
                group.addTask {
                    do { return .success(try await vault.load("ben").version) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results {
            switch result {
            case .success(let version): #expect(version == 0)
            case .failure(let error): #expect((error as? VaultError)?.code == .notFound, "\(error)")
            }
        }
    }

    @Test("A copy is one file without a log, and can be written")
    func copyIsOneFile() async throws {
        let vault = try SQLiteVault(path: folder.file())
        try await vault.commitAll(Shop.batch([1]))
        let path = folder.file("copy")
        _ = try await vault.backup(to: path)
        #expect(try OtherConnection(to: path).text("PRAGMA journal_mode") == "delete")
        let copy = try SQLiteVault(path: path)
        try await copy.commitAll(Shop.batch([2]))
        #expect(try await copy.balances(of: "anna").first?.amount == 1_000)
        try copy.close()
        try vault.close()
    }

    @Test("The fingerprint of a file shows whether it was written meanwhile")
    func changedMeanwhile() async throws {
        let path = folder.file()
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try vault.close()
        let stamp = FileFingerprint(of: path)
        #expect(stamp == FileFingerprint(of: path))
        let writer = try SQLiteVault(path: path)
        try await writer.commitAll(Shop.batch([2]))
        #expect(stamp != FileFingerprint(of: path))
        try writer.close()
        #expect(stamp != FileFingerprint(of: path))
    }
}
