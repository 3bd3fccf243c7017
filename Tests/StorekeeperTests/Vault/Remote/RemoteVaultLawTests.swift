import Testing

@testable import Storekeeper
@testable import StorekeeperTesting

/// A remote vault and a local one arrive at the same state, whatever was loaded ahead.
@Suite("A remote vault and a local one agree") struct RemoteVaultLawTests {
    /// How many of a hundred questions of a footprint are loaded ahead.
    @Test("whatever was loaded ahead", arguments: [0, 50, 100])
    func agreement(_ percent: Int) async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 150) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            var story = try VaultStory(&random)
            guard var difference = try await Self.difference(story, rule, percent) else { continue }
            // The shortest story that still differs.
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

    @Test("where many steps go together, also those that fail")
    func groups() async throws {
        let settings = PropertySettings.environment
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.cases ?? 100) {
            var random = SplitMix64(seed: seed &+ number)
            let story = try VaultStory(&random)
            let near = InMemoryVault()
            var wanted: [String] = []
            for step in story.steps {
                wanted.append(
                    await Self.outcome { () throws(VaultError) in
                        try await near.write { tables throws(VaultError) in try step.run(in: &tables) }
                    })
            }
            let group = story.steps.map { step in
                RemoteStep([]) { (tables: inout MemoryTables) throws(VaultError) in try step.run(in: &tables) }
            }
            let far = try Self.carryOut(group)
            let found = group.map { step -> String in
                do throws(VaultError) { return try step.outcome.text } catch { return "\(error)" }
            }
            #expect(found == wanted, "seed \(seed &+ number)")
            let (left, right) = (
                try await VaultPicture(of: near).lines,
                try await VaultPicture(of: RemoteVault(DelayedStorage(.versions, far))).lines
            )
            #expect(left == right, "seed \(seed &+ number)")
        }
    }

    /// Carries out steps over one value and writes what they change at once.
    private static func carryOut(_ group: [RemoteStep<VaultStoryOutcome>]) throws -> MemoryTables {
        var far = MemoryTables()
        var footprint = Footprint()
        while true {
            var tables = MemoryTables(try far.answer(footprint), of: footprint, accountTokens: .asIDs)
            for step in group { step.run(in: &tables) }
            let missing = tables.missing
            if missing.isEmpty {
                let written = try far.write(RowChange.runs(of: tables.changes))
                for step in group { step.finish(written) }
                return far
            }
            footprint.formUnion(missing)
        }
    }

    /// What the vaults say differently after any step; `nil` where they agree.
    private static func difference(
        _ story: VaultStory, _ rule: AccountTokenRule, _ percent: Int
    ) async throws -> String? {
        let near = InMemoryVault(accountTokens: rule)
        let far = RemoteVault(DelayedStorage(.versions, MemoryTables(accountTokens: rule)), accountTokens: rule)
        var random = SplitMix64(seed: 1)
        for (number, step) in story.steps.enumerated() {
            let footprint = Footprint(
                step.footprint(rule).keys.sorted { "\($0)" < "\($1)" }.filter { _ in random.chance(percent) })
            let wanted = await outcome { () throws(VaultError) in
                try await near.write { tables throws(VaultError) in try step.run(in: &tables) }
            }
            let found = await outcome { () throws(VaultError) in
                try await far.write(footprint) { tables throws(VaultError) in try step.run(in: &tables) }
            }
            if wanted != found { return "step \(number) came to\n\(found), not\n\(wanted)" }
        }
        let (left, right) = (try await VaultPicture(of: near).lines, try await VaultPicture(of: far).lines)
        return left == right ? nil : "far has \(right.difference(from: left)) instead"
    }

    private static func outcome(_ call: () async throws(VaultError) -> VaultStoryOutcome) async -> String {
        do throws(VaultError) { return try await call().text } catch { return "\(error)" }
    }
}
