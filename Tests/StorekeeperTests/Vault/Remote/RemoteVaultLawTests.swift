import Testing

@testable import Storekeeper
@testable import StorekeeperTesting

/// Tests that a remote vault and a local vault reach the same state, whatever rows were loaded in advance.
@Suite("Agreement of a remote vault and a local one") struct RemoteVaultLawTests {
    /// The argument is the percentage of a footprint's rows that are loaded in advance.
    @Test("A remote vault and a local one agree, whatever was loaded ahead", arguments: [0, 50, 100])
    func agreement(_ percent: Int) async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 150) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            var story = try VaultStory(&random)
            guard var difference = try await Self.difference(story, rule, percent) else { continue }
            // Removes every step without which the vaults still differ.
            for place in story.steps.indices.reversed() {
                var shorter = story
                shorter.steps.remove(at: place)
                guard let other = try await Self.difference(shorter, rule, percent) else { continue }
                (story, difference) = (shorter, other)
            }
            let steps = story.steps.map(\.summary).joined(separator: "\n")
            Issue.record("seed \(seed &+ number), \(rule): \(difference)\n\(steps)")
            return
        }
    }

    @Test("A step that is undone leaves nothing in a vault in memory")
    func undoing() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 50) {
            var random = SplitMix64(seed: seed &+ number)
            let story = try VaultStory(&random)
            let (once, twice) = (InMemoryVault(), InMemoryVault())
            for step in story.steps {
                let wanted = await Self.outcome { () throws(VaultError) in
                    try await once.write { tables throws(VaultError) in try step.run(in: &tables) }
                }
                _ = await Self.outcome { () throws(VaultError) in
                    try await twice.write { tables throws(VaultError) -> VaultStoryOutcome in
                        _ = try step.run(in: &tables)
                        throw VaultError(.invalidRequest, "undone")
                    }
                }
                let found = await Self.outcome { () throws(VaultError) in
                    try await twice.write { tables throws(VaultError) in try step.run(in: &tables) }
                }
                #expect(found == wanted, "seed \(seed &+ number)")
            }
            let (left, right) = (try await VaultPicture(of: once).lines, try await VaultPicture(of: twice).lines)
            #expect(left == right, "seed \(seed &+ number)")
        }
    }

    @Test("A group of steps gives the same result as single steps, even if some fail")
    func groups() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 100) {
            var random = SplitMix64(seed: seed &+ number)
            let story = try VaultStory(&random)
            let local = InMemoryVault()
            var wanted: [String] = []
            for step in story.steps {
                wanted.append(
                    await Self.outcome { () throws(VaultError) in
                        try await local.write { tables throws(VaultError) in try step.run(in: &tables) }
                    })
            }
            let group = story.steps.map { step in
                RemoteStep([]) { (tables: inout MemoryTables) throws(VaultError) in try step.run(in: &tables) }
            }
            let remote = try Self.carryOut(group)
            let found = group.map { step -> String in
                do throws(VaultError) { return try step.outcome.text } catch { return "\(error)" }
            }
            #expect(found == wanted, "seed \(seed &+ number)")
            let (left, right) = (
                try await VaultPicture(of: local).lines,
                try await VaultPicture(of: RemoteVault(DelayedStorage(.versions, remote))).lines
            )
            #expect(left == right, "seed \(seed &+ number)")
        }
    }

    /// Carries out several steps on the same tables, and writes their changes together.
    private static func carryOut(_ group: [RemoteStep<VaultStoryOutcome>]) throws -> MemoryTables {
        var remote = MemoryTables()
        var footprint = Footprint()
        while true {
            var tables = MemoryTables(try remote.answer(footprint), of: footprint, accountTokens: .asIDs)
            for step in group { step.run(in: &tables) }
            let missing = tables.missing
            if missing.isEmpty {
                let written = try remote.write(RowChange.runs(of: tables.changes))
                for step in group { step.finish(written) }
                return remote
            }
            footprint.formUnion(missing)
        }
    }

    /// Returns the first difference between the vaults after a step, or `nil`.
    private static func difference(
        _ story: VaultStory, _ rule: AccountTokenRule, _ percent: Int
    ) async throws -> String? {
        let local = InMemoryVault(accountTokens: rule)
        let remote = RemoteVault(DelayedStorage(.versions, MemoryTables(accountTokens: rule)), accountTokens: rule)
        var random = SplitMix64(seed: 1)
        for (number, step) in story.steps.enumerated() {
            let footprint = Footprint(
                step.footprint(rule).keys.sorted { "\($0)" < "\($1)" }.filter { _ in random.chance(percent) })
            let wanted = await outcome { () throws(VaultError) in
                try await local.write { tables throws(VaultError) in try step.run(in: &tables) }
            }
            let found = await outcome { () throws(VaultError) in
                try await remote.write(footprint) { tables throws(VaultError) in try step.run(in: &tables) }
            }
            if wanted != found { return "step \(number) gave\n\(found), not\n\(wanted)" }
        }
        let (left, right) = (try await VaultPicture(of: local).lines, try await VaultPicture(of: remote).lines)
        return left == right ? nil : "the remote vault has \(right.difference(from: left)) instead"
    }

    private static func outcome(_ call: () async throws(VaultError) -> VaultStoryOutcome) async -> String {
        do throws(VaultError) { return try await call().text } catch { return "\(error)" }
    }
}
