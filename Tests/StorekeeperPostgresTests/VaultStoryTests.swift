import Storekeeper
import StorekeeperPostgres
import Testing

@testable import StorekeeperTesting

@Suite(
    "A PostgreSQL vault compared with one in memory", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct VaultStoryTests {
    /// Returns the first difference between the vaults after a step of a story; `nil` if the vaults agree.
    private func difference(_ story: VaultStory, _ rule: AccountTokenRule) async throws -> String? {
        let memory = InMemoryVault(accountTokens: rule)
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(
            database, options: .init(accountTokens: rule, connections: 2, writers: 1, changeDetection: .none))
        defer { vault.close() }
        for (number, step) in story.steps.enumerated() {
            let wanted = await outcome { () throws(VaultError) in
                try await memory.write { tables throws(VaultError) in try step.run(in: &tables) }
            }
            let found = await outcome { () throws(VaultError) in
                try await vault.write { tables throws(VaultError) in try step.run(in: &tables) }
            }
            if wanted != found { return "step \(number) came to\n\(found), not\n\(wanted)" }
        }
        let (left, right) = (try await memory.linesWithoutPlaces(), try await vault.linesWithoutPlaces())
        guard left == right else { return "the database has \(right.difference(from: left)) instead" }
        let faults = try await vault.checkIntegrity().faults
        return faults.isEmpty ? nil : "the check finds \(faults)"
    }

    /// Returns the result of a step, without places, hashes and versions, because these differ between storages.
    private func outcome(_ call: () async throws(VaultError) -> VaultStoryOutcome) async -> String {
        do throws(VaultError) {
            switch try await call() {
            case .commit(.committed(let receipt)):
                let entries = receipt.entries.map {
                    "\($0.customer) \($0.number) \($0.kind) \($0.change) \($0.after)"
                }
                return "\(receipt.newFacts) \(entries) \(receipt.balances) \(receipt.events.count)"
                    + " \(receipt.owed) \(receipt.uncredited) \(receipt.repeatedNotifications)"
                    + " \(receipt.adoptable.rows.map(\.jws.compact)) \(receipt.parked)"
            case .commit(.stale): return "stale"
            case .commit(let outcome): return "\(outcome)"
            case .move(let results):
                return results.map { result in
                    switch result {
                    case .success(let receipt): "\(receipt.balance) \(receipt.entry.number) \(receipt.isReplay)"
                    case .failure(let refusal): "\(refusal)"
                    }
                }.joined(separator: ", ")
            case .claim(let customer): return "\(customer as Any)"
            case .markDelivery: return "marked"
            case .erase(let erasure): return "\(erasure.at) \(erasure.reason) \(erasure.facts) \(erasure.entries)"
            }
        } catch {
            return "\(error)"
        }
    }

    @Test("Random steps of a few customers, chains and tokens give the same results in both vaults")
    func agreement() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.count(of: 25)) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            var story = try VaultStory(&random)
            guard var difference = try await difference(story, rule) else { continue }
            // Removes every step without which the vaults still differ.
            for place in story.steps.indices.reversed() {
                var shorter = story
                shorter.steps.remove(at: place)
                guard let other = try await self.difference(shorter, rule) else { continue }
                (story, difference) = (shorter, other)
            }
            let steps = story.steps.map(\.summary).joined(separator: "\n")
            Issue.record("seed \(seed &+ number), \(rule): \(difference)\n\(steps)")
            return
        }
    }
}
