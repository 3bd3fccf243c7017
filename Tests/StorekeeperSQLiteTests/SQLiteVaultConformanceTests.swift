import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct SQLiteVaultConformanceTests {
    @Test("A vault in SQLite obeys the laws of vaults, also after reopening")
    func obeysTheLaws() async throws {
        let folder = try TemporaryFolder()
        let counter = Counter()
        try await VaultConformance(
            reopen: { vault in
                try vault.close()
                return try SQLiteVault(path: vault.path, options: .init(creation: .never))
            },
            makeVault: {
                try SQLiteVault(path: folder.file("vault-\(counter.next()).sqlite"), options: .init(creation: .new))
            }
        ).run()
        withExtendedLifetime(folder) {}
    }
}
