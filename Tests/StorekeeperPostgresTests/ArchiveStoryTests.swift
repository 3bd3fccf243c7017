import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "Archives in a database", .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"), .system)
struct ArchiveStoryTests {
    @Test("Archives replayed in PostgreSQL give the same accounts, balances, facts and audit as in memory")
    func agreement() async throws {
        var vaults: [PostgresVault] = []
        defer { for vault in vaults { vault.close() } }
        let difference = try await ArchiveStory.difference(.environment, cases: 10) { _, rule in
            let vault = try await PostgresVault(
                try await TestDatabase.make(),
                options: .init(accountTokens: rule, connections: 2, writers: 1, changeDetection: .none))
            vaults.append(vault)
            return vault
        }
        if let difference { Issue.record("\(difference)") }
    }
}
