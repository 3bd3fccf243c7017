import Foundation
import Storekeeper
import StorekeeperDurable
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

/// Tests that an erasure can be confirmed only with the vault, its secret and the customer's name.
@Suite("Erased names cannot be guessed")
struct ErasureSecretTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    private func erased(_ customer: CustomerID = "berta") async throws -> Erasure {
        let vault = try SQLiteVault(path: path)
        defer { try? vault.close() }
        try await vault.commitAll(Shop.batch([customer == "berta" ? 1 : 2], for: customer))
        return try await vault.erase(customer, reason: "asked for", at: .day(500))
    }

    private func erasures(of customer: CustomerID, in path: String) async throws -> [Erasure] {
        let vault = try SQLiteVault(path: path, options: .init(isReadOnly: true))
        defer { try? vault.close() }
        return try await vault.erasures(of: customer)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("The vault's file alone does not confirm an erased name, by any hash of its contents")
    func fileAlone() async throws {
        let erasure = try await erased()
        #expect(try await erasures(of: "berta", in: path) == [erasure])
        let alone = folder.file("alone.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: alone)
        #expect(try await erasures(of: "berta", in: alone) == [])
        let file = try OtherConnection(to: alone)
        let name = Array("berta".utf8)
        var values: Set<[UInt8]> = []
        for table in try file.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").joined() {
            values.formUnion(try file.rows("SELECT * FROM \(String(decoding: table, as: UTF8.self))").joined())
        }
        #expect(values.count > 5)
        for salt in values {
            for guess in [salt + name, name + salt] {
                #expect(!values.contains(Digests.sha256(guess)))
            }
        }
        let vault = try SQLiteVault(path: alone)
        #expect(try await vault.lacksErasureSecret())
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("A backup does not confirm an erased name")
    func backup() async throws {
        _ = try await erased()
        let vault = try SQLiteVault(path: path)
        _ = try await vault.backup(to: folder.file("copy.sqlite"))
        #expect(try await erasures(of: "berta", in: folder.file("copy.sqlite")) == [])
        #expect(!exists(folder.file("copy.sqlite-secret")))
    }

    @Test("The first erasure makes the secret, readable by its owner only, and later ones keep it")
    func secret() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([3], for: "anna"))
        #expect(!(try await vault.lacksErasureSecret()))
        #expect(!exists(vault.erasureSecretPath))
        let first = try await erased()
        let secret = try Data(contentsOf: URL(fileURLWithPath: vault.erasureSecretPath))
        #expect(secret.count == ErasureSecret.length)
        let attributes = try FileManager.default.attributesOfItem(atPath: vault.erasureSecretPath)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let second = try await erased("carl")
        #expect(try Data(contentsOf: URL(fileURLWithPath: vault.erasureSecretPath)) == secret)
        #expect(try await vault.erasures(of: "berta") == [first])
        #expect(try await vault.erasures(of: "carl") == [second])
        #expect(try await vault.erasures(of: "anna") == [])
        #expect(!exists(vault.erasureSecretPath + "-new"))
    }

    @Test("A vault opened through a link has its secret next to the file itself")
    func link() async throws {
        let erasure = try await erased()
        try FileManager.default.createDirectory(atPath: folder.file("links"), withIntermediateDirectories: false)
        let link = folder.file("links/vault.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try await erasures(of: "berta", in: link) == [erasure])
    }

    @Test("Without the secret no erased name is confirmed, and later erasures are confirmed with a new secret")
    func lost() async throws {
        _ = try await erased()
        let vault = try SQLiteVault(path: path)
        try FileManager.default.removeItem(atPath: vault.erasureSecretPath)
        #expect(try await vault.lacksErasureSecret())
        #expect(try await vault.erasures(of: "berta") == [])
        #expect(try await vault.checkIntegrity().faults == [])
        let erasure = try await erased("carl")
        #expect(try await vault.erasures(of: "carl") == [erasure])
        #expect(try await vault.erasures(of: "berta") == [])
    }

    @Test(
        "A damaged erasure secret is reported, and nothing is erased",
        arguments: ["", "short", "and one that is longer than thirty-two bytes"])
    func damaged(_ content: String) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1], for: "berta"))
        try Data(content.utf8).write(to: URL(fileURLWithPath: vault.erasureSecretPath))
        let error = try await #require(throws: VaultError.self) {
            try await vault.erase("berta", reason: "asked for", at: .day(500))
        }
        #expect(error.code == .io)
        #expect(error.message.hasPrefix("the erasure secret of \(path) is damaged; restore \(path)-secret"))
        #expect(try await vault.load("berta").facts.count == 1)
    }
}
