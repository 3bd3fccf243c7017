import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("Archives in SQLite")
struct ArchiveStoryTests {
    @Test("Archives replayed in SQLite give the same accounts, balances, facts and audit as in memory")
    func agreement() async throws {
        let folder = try TemporaryFolder()
        var vaults: [SQLiteVault] = []
        defer { for vault in vaults { try? vault.close() } }
        let difference = try await ArchiveStory.difference(.environment, cases: 16) { number, rule in
            let vault = try SQLiteVault(path: folder.file("\(number).sqlite"), options: .init(accountTokens: rule))
            vaults.append(vault)
            return vault
        }
        if let difference { Issue.record("\(difference)") }
    }
}
