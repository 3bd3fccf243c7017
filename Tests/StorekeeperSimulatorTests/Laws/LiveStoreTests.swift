import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests of an engine that is connected to a simulated App Store.
struct LiveStoreTests {
    /// Network faults of the update stream.
    static let conditions: [NetworkConditions] = [
        .ideal,
        NetworkConditions(sendsNotifications: true),
        NetworkConditions(seed: 1, delay: .zero ... .seconds(86_400), duplicates: 0.5),
        NetworkConditions(seed: 2, losses: 0.4),
        NetworkConditions(seed: 3, delay: .zero ... .seconds(3_600), duplicates: 0.3, losses: 0.3, failures: 0.3),
        NetworkConditions(
            seed: 4, delay: .zero ... .seconds(3_600), duplicates: 0.3, losses: 0.3, sendsNotifications: true),
    ]

    @Test(
        "A store fed by the stream and one rebuilt from the final history agree under any network faults",
        arguments: conditions)
    func liveAndRebuilt(_ conditions: NetworkConditions) async throws {
        for seed in 0..<UInt64(4) { try await Self.live(seed: seed, conditions) }
    }

    private static func live(seed: UInt64, _ conditions: NetworkConditions) async throws {
        let simulator = try SampleStore.make("anna", "bert", "cleo", seed: seed)
        let home = try ConnectedEngine(simulator, conditions: conditions)
        let store = try await home.open()
        var answersFromStream: [String] = []
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.run() }
            for step in story(seed) {
                simulator.play(step)
                for _ in 0..<20 { await Task.yield() }
            }
            // When no new events happen, every update that was not lost arrives.
            var isQuiet = false
            for _ in 0..<10 where !isQuiet {
                let before = simulator.read { $0.records.count }
                try simulator.advance(by: conditions.delay.upperBound + .milliseconds(1))
                isQuiet = simulator.read { $0.records.count } == before
            }
            if conditions.losses == 0, isQuiet {
                let rebuilt = try await rebuilt(simulator)
                let end = ContinuousClock.now + .seconds(60)
                repeat {
                    await Task.yield()
                    answersFromStream = answers(of: store, at: simulator.now)
                } while answersFromStream != rebuilt && ContinuousClock.now < end
                // The test ends at the first failure, because with the other seeds it would wait equally long.
                try #require(answersFromStream == rebuilt, "seed \(seed), from the stream alone")
            }
            group.cancelAll()
        }
        try await home.sync(store)
        #expect(try await answers(of: store, at: simulator.now) == rebuilt(simulator), "seed \(seed)")
        #expect(try simulator.read { try $0.findingsOfEngine() } == [])
        #expect(home.finished.isSubset(of: home.grants))
    }

    /// Returns the answers of a store that only reads the App Store's final history.
    private static func rebuilt(_ simulator: SimulatedAppStore) async throws -> [String] {
        let store = try await ConnectedEngine(simulator).open()
        try await store.sync()
        return answers(of: store, at: simulator.now)
    }

    /// Returns a story without deletions from the App Store, which an engine could not notice.
    private static func story(_ seed: UInt64) -> [StoryStep] {
        var random = SplitMix64(seed: seed)
        return GeneratedStory.make(&random, steps: 12...20).steps.filter { step in
            guard case .call(let call) = step else { return true }
            switch call.command {
            case .deleteTransaction, .clearTransactions, .finish: return false
            default: return call.app == nil
            }
        }
    }

    @Test("Failures and empty answers of the App Store remove no access", arguments: 0..<6 as Range<UInt64>)
    func accessIsKept(_ seed: UInt64) async throws {
        let simulator = try SampleStore.make("anna", "bert", "cleo", seed: seed)
        for step in Self.story(seed) { simulator.play(step) }
        try simulator.perform(.setSetting(.failTransactions(code: nil)))
        try simulator.perform(.setForSale(true, product: "remove.ads"))
        try simulator.perform(.setPaymentsFail(false, of: "anna"))
        try simulator.perform(.buy("remove.ads", by: "anna", options: PurchaseRequest(asksToBuy: false)))
        let home = try ConnectedEngine(simulator)
        try await home.sync(try await home.open())
        let known = answers(of: try await home.open(), at: simulator.now)
        let cut = try ConnectedEngine(
            simulator, conditions: NetworkConditions(losses: 1, failures: 1), vault: home.vault)
        let offline = try await cut.open()
        for _ in 0..<3 { await #expect(throws: (any Error).self) { try await offline.sync() } }
        #expect(Self.certain(answers(of: offline, at: simulator.now)) == Self.certain(known))
        // An App Store that lost its data answers with empty histories.
        try simulator.perform(.clearTransactions(of: nil))
        let emptied = try await ConnectedEngine(simulator, vault: home.vault).open()
        try await emptied.sync()
        #expect(answers(of: emptied, at: simulator.now) == known)
        #expect(known.contains { $0.hasPrefix("remove.ads: entitled") })
    }

    /// Returns only certain answers.
    ///
    /// For a product that is not owned, a disconnected store answers `unknown` instead of `never`, so these two answers
    /// are left out.
    private static func certain(_ answers: [String]) -> [String] {
        answers.filter { !$0.contains(": never ") && !$0.contains(": unknown backendFailed") }
    }

    @Test("Nothing is finished before its delivery is durable, whatever fails")
    func finishComesLast() async throws {
        let simulator = try SampleStore.make("anna")
        let home = try ConnectedEngine(simulator, conditions: NetworkConditions(seed: 9, failures: 0.4), refusals: 5)
        let store = try await home.open()
        for _ in 0..<6 {
            try simulator.perform(.buy("coins.100", by: "anna", options: PurchaseRequest()))
            while (try? await store.sync()) == nil {
                #expect(home.finished.isSubset(of: home.grants))
            }
            #expect(home.finished.isSubset(of: home.grants))
        }
        try await home.sync(store)
        #expect(home.finished.count == 6)
        #expect(home.finished == Set(home.grants))
        #expect(home.finishedTooEarly.isEmpty)
        #expect(simulator.story().filter { $0 == "finished" }.count == 6)
        #expect(store.balance(of: "coins").amount == 600)
    }
}
