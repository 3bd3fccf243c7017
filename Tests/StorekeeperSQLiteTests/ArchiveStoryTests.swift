import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@Suite("Archives in a file")
struct ArchiveStoryTests {
    @Test("The same archives give the same accounts, balances, facts and audit as in memory, also on top of others")
    func agreement() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        let folder = try TemporaryFolder()
        for number in 0..<UInt64(settings.cases ?? 16) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            let story = try await ArchiveStory(&random)
            let vault = try SQLiteVault(path: folder.file("\(number).sqlite"), options: .init(accountTokens: rule))
            defer { try? vault.close() }
            let difference = try await story.difference(in: vault, isEmpty: number.isMultiple(of: 2))
            if let difference {
                Issue.record("seed \(seed &+ number), \(rule): \(difference)")
                return
            }
        }
    }
}
