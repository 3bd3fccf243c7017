import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSQLite

struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ options: SQLiteVault.Options = .init(), at path: String) -> VaultError.Code? {
        do throws(VaultError) {
            try SQLiteVault(path: path, options: options).close()
            return nil
        } catch {
            #expect(error.message.contains(path), "the message does not name the file: \(error)")
            return error.code
        }
    }

    @Test("A vault is created only if the options ask for it")
    func creation() throws {
        let path = folder.file()
        #expect(code(.init(creation: .never), at: path) == .notFound)
        #expect(code(.init(isReadOnly: true), at: path) == .notFound)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(code(.init(creation: .new), at: path) == nil)
        #expect(code(.init(creation: .new), at: path) == .exists)
        #expect(code(.init(creation: .never), at: path) == nil)
        #expect(code(.init(isReadOnly: true, checksAtOpen: true), at: path) == nil)
    }

    @Test("A file that is not a vault is refused and left unchanged")
    func notAVault() throws {
        let text = folder.file("notes.txt")
        try Data("Dear diary, today I bought a sword and a shield. ".utf8).write(to: URL(fileURLWithPath: text))
        let before = try Data(contentsOf: URL(fileURLWithPath: text))
        #expect(code(at: text) == .notAVault)
        #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == before)

        let other = folder.file("other.sqlite")
        try OtherConnection(to: other).run("CREATE TABLE song(name TEXT)")
        let database = try Data(contentsOf: URL(fileURLWithPath: other))
        #expect(code(at: other) == .notAVault)
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == database)
        #expect(code(at: folder.path) == .notAVault)
    }

    @Test("An empty file becomes a vault, unless the options require an existing vault")
    func emptyFile() throws {
        let path = folder.file("empty")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(code(.init(creation: .never), at: path) == .notAVault)
        #expect(code(at: path) == nil)
        #expect(code(.init(creation: .never), at: path) == nil)
    }

    @Test("A vault with a newer schema is refused, and the error names both schemas")
    func newerSchema() throws {
        let path = folder.file()
        try SQLiteVault(path: path).close()
        try tamper(path, "PRAGMA user_version = 99")
        let error = #expect(throws: VaultError.self) { _ = try SQLiteVault(path: path) }
        #expect(error?.code == .schemaTooNew)
        #expect(error?.message.contains("99") == true)
        #expect(error?.message.contains("\(SQLiteVault.schemaVersion)") == true)
    }

    @Test(
        "A vault with an older schema is refused, and the error says how to keep its content", arguments: [true, false])
    func olderSchema(_ isReadOnly: Bool) throws {
        let path = folder.file()
        try SQLiteVault(path: path).close()
        for schema in [0, 8] {
            try tamper(path, "PRAGMA user_version = \(schema)")
            let error = #expect(throws: VaultError.self) {
                _ = try SQLiteVault(path: path, options: .init(isReadOnly: isReadOnly))
            }
            #expect(error?.code == .schemaTooOld)
            #expect(error?.message.contains("schema \(schema)") == true && error?.message.contains("export") == true)
        }
        try tamper(path, "PRAGMA user_version = -1")
        #expect(code(.init(isReadOnly: isReadOnly), at: path) == .notAVault)
    }

    @Test("A stored vault opens, contains its head, passes the integrity check, and can be written")
    func storedVault() async throws {
        let kept = try #require(
            Bundle.module.url(
                forResource: "schema-\(SQLiteVault.schemaVersion)", withExtension: "sqlite", subdirectory: "Schemas"))
        let path = folder.file()
        try FileManager.default.copyItem(at: kept, to: URL(fileURLWithPath: path))
        let head = try OtherConnection(to: path).text("SELECT hex(head_hash) FROM meta")
        let vault = try SQLiteVault(path: path, options: .init(checksAtOpen: true, creation: .never))
        let report = try await vault.checkIntegrity(containing: head)
        #expect(report.links == 12)
        #expect(report.faults == [])
        #expect(try await vault.balances(of: "anna").first?.amount == 880)
        #expect(try await vault.load("anna").facts.count == 2)
        #expect(try await vault.account(of: "anna").map(\.number) == [1, 2, 3])
        // Erasures are confirmed only with the secret in a file next to the vault, which the repository does not
        // contain.
        #expect(try await vault.erasures(of: "berta").isEmpty)
        #expect(try await vault.lacksErasureSecret())
        try await vault.commitAll(Shop.batch([77]))
        #expect(try await vault.balances(of: "anna").first?.amount == 1380)
        #expect(try await vault.account(of: "anna").last?.number == 4)
        let later = try await vault.checkIntegrity(containing: head)
        #expect(later.links == report.links + 3)
        #expect(later.faults == [])
        try tamper(path, "UPDATE ledger SET number = 5 - number WHERE number IN (2, 3)")
        let faults = try await vault.checkIntegrity().faults
        #expect(Set(faults.map(\.kind)) == [.link])
        #expect(faults.count { $0.message.contains("number") } == 2)
    }

    @Test("Acknowledged writes are on disk by default", arguments: SQLiteVault.Synchronous.allCases)
    func synchronous(_ choice: SQLiteVault.Synchronous) throws {
        #expect(SQLiteVault.Options().synchronous == .full)
        let vault = try SQLiteVault(path: folder.file(), options: .init(synchronous: choice))
        func pragma(_ name: String) throws -> String {
            try vault.onWriter { try $0.value(of: "PRAGMA \(name)") { $0.text() } }
        }
        #expect(try pragma("synchronous") == (choice == .full ? "2" : "1"))
        #expect(try pragma("journal_mode") == "wal")
        #expect(try pragma("foreign_keys") == "1")
        #expect(try pragma("secure_delete") == "1")
    }

    @Test("Every connection waits for locks as long as the options say")
    func busyTimeout() async throws {
        let vault = try SQLiteVault(path: folder.file(), options: .init(busyTimeout: 1_234))
        let sql = "PRAGMA busy_timeout"
        #expect(try vault.onWriter { try $0.number(sql) } == 1_234)
        let reader = try await vault.read([]) { tables throws(VaultError) in try tables.connection.number(sql) }
        #expect(reader == 1_234)
    }

    @Test("A vault opened read-only refuses to write")
    func readOnly() async throws {
        let path = folder.file()
        let writer = try SQLiteVault(path: path)
        try await writer.commitAll(Shop.batch([1]))
        let reader = try SQLiteVault(path: path, options: .init(isReadOnly: true))
        #expect(try await reader.balances(of: "anna").first?.amount == 500)
        await #expect(throws: VaultError.self) { try await reader.spend(1, key: "a") }
        #expect(try await reader.checkIntegrity().faults == [])
    }

    @Test(
        "A vault in a read-only folder throws a typed error for writes, and can be read",
        .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnlyFolder() async throws {
        let path = folder.file()
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try vault.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let found = code(at: path)
        #expect(found == .readOnly || found == .io)
        #expect(code(.init(creation: .new), at: folder.file("other.sqlite")) == .io)
    }

    @Test("A closed vault is one file")
    func oneFile() async throws {
        let vault = try SQLiteVault(path: folder.file())
        try await vault.commitAll(Shop.batch([1]))
        _ = try await vault.load("anna")
        try vault.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["vault.sqlite"])
    }

    @Test("Calls to a closed vault throw `closed`, and closing twice has no effect")
    func closing() async throws {
        let vault = try SQLiteVault(path: folder.file())
        try vault.close()
        try vault.close()
        await #expect(throws: VaultError.self) { try await vault.commitAll(Shop.batch([1])) }
        let error = await #expect(throws: VaultError.self) { try await vault.load("anna") }
        #expect(error?.code == .closed)
    }
}
