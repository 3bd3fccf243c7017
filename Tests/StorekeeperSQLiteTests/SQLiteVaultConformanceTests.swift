import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct SQLiteVaultConformanceTests {
    @Test(
        "A vault in SQLite conforms to the laws of a vault, also after reopening, under each account token rule",
        arguments: AccountTokenRule.allCases)
    func obeysTheLaws(tokens: AccountTokenRule) async throws {
        let folder = try TemporaryFolder()
        let counter = Counter()
        try await VaultConformance(
            reopen: { vault in
                try vault.close()
                return try SQLiteVault(path: vault.path, options: .init(creation: .never, accountTokens: tokens))
            },
            makeVault: {
                try SQLiteVault(
                    path: folder.file("vault-\(counter.next()).sqlite"),
                    options: .init(creation: .new, accountTokens: tokens))
            }
        ).run()
        withExtendedLifetime(folder) {}
    }

    @Test("A vault in SQLite removes the records of old steps while it writes new ones")
    func oldSteps() async throws {
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        #expect(try await vault.stepsRemembered(ofDay: 1, thenDay: 30) == 0)
        try vault.close()
    }
}
