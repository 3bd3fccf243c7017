import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "Archives in a database", .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES names no server"))
struct ArchiveStoryTests {
    @Test("The same archives give the same accounts, balances, facts and audit as in memory, also on top of others")
    func agreement() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 10) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            let story = try await ArchiveStory(&random)
            let vault = try await PostgresVault(
                try await TestDatabase.make(),
                options: .init(accountTokens: rule, connections: 2, writers: 1, news: .none))
            defer { vault.close() }
            let difference = try await story.difference(in: vault, isEmpty: number.isMultiple(of: 2))
            if let difference {
                Issue.record("seed \(seed &+ number), \(rule): \(difference)")
                return
            }
        }
    }
}
