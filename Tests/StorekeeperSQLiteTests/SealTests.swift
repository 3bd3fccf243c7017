import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

/// Tests of seals, which are links over the marks of erasures.
struct SealTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    private func faults() async throws -> [VaultFault] {
        let vault = try SQLiteVault(path: path, options: .init(isReadOnly: true))
        defer { try? vault.close() }
        return try await vault.checkIntegrity().faults
    }

    @Test(
        "The integrity check detects changes to erasure marks",
        arguments: [
            "DELETE FROM erased_mark", "DELETE FROM erased_mark WHERE digest = (SELECT min(digest) FROM erased_mark)",
            "UPDATE mark_key SET secret = randomblob(32)", "UPDATE seal SET second = second + 1",
            "INSERT INTO erased_mark SELECT randomblob(32), key, seal FROM erased_mark LIMIT 1",
            "DELETE FROM seal",
        ])
    func marks(_ sql: String) async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try await vault.spend(100, key: "sword")
        _ = try await vault.erase("anna", reason: "asked for", at: .day(402))
        try await vault.commitAll(Shop.batch([2]))
        #expect(try await vault.checkIntegrity().faults == [])
        try vault.close()
        try tamper(path, "PRAGMA foreign_keys = OFF; " + sql)
        #expect(try await faults().contains { $0.kind == .link }, "\(sql)")
    }

    @Test("Hashes of erasure marks depend on a secret that differs between vaults")
    func secrets() async throws {
        var digests: Set<Data> = []
        for name in ["a.sqlite", "b.sqlite"] {
            let vault = try SQLiteVault(path: folder.file(name))
            try await vault.commitAll(Shop.batch([1]))
            _ = try await vault.erase("anna", reason: "asked for", at: .day(402))
            let marks = try await vault.erasedMarks()
            #expect(marks.count == 1)
            for digest in marks.hashed.flatMap(\.digests) { digests.insert(Data(digest)) }
            try vault.close()
        }
        #expect(digests.count == 2)
    }
}
