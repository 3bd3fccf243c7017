import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Properties of the notifications of every story, and whether the stories cover all events.
struct NotificationLawTests {
    @Test(
        "Every notification of every story verifies, and its parts and status agree with the events",
        arguments: [AppStore.Environment.sandbox, .production, .xcode])
    func notificationsAgree(_ environment: AppStore.Environment) throws {
        let authority = try SampleStore.make().authority
        for seed in 0..<UInt64(4) {
            var random = SplitMix64(seed: seed)
            let story = GeneratedStory.make(&random, steps: 25...40)
            let store = try SimulatedAppStore(
                apps: GeneratedStory.apps.map { SimulatedApp(bundleID: $0, catalog: SampleStore.catalog) },
                environment: environment, seed: seed, start: story.start, authority: authority)
            for step in story.steps where !step.isBackdated { store.play(step) }
            let reader = NotificationReader(store, environment: environment)
            // One notification of each kind and a few others, because renewals are many and similar.
            var seen: [HappeningKind: Int] = [:]
            for happening in store.happenings() where happening.notification != nil {
                seen[happening.kind, default: 0] += 1
                if seen[happening.kind, default: 0] <= 4 { try reader.check(happening) }
            }
        }
    }

    @Test("The generated stories contain every kind of event")
    func coverage() {
        var (seen, phases): (Set<HappeningKind>, Set<Subscription.Phase>) = ([], [])
        var refusals: Set<SimulatorError.Code> = []
        // Stories contain nothing of Advanced Commerce and of groups.
        let others: Set<HappeningKind> = [
            .itemsDescribed, .metadataUpdated, .itemPriceChanged, .migrated, .seatsAdded, .seatsReduced,
            .seatsUnclaimed, .seatsRefunded,
        ]
        let wanted = HappeningKind.allCases.count - others.count - 2
        for seed in 0..<UInt64(600) {
            // Stops early, because most seeds add nothing new.
            if seen.count >= wanted, phases.count == 5, refusals.count >= 7 { break }
            var random = SplitMix64(seed: seed)
            let story = GeneratedStory.make(&random)
            var world = story.makeWorld()
            for step in story.steps {
                if let refusal = world.play(step) { refusals.insert(refusal.code) }
                phases.formUnion(world.subscriptions.map(\.service.phase))
            }
            seen.formUnion(world.journal.map(\.kind))
        }
        // Rare events, such as declining a price increase that was just announced, are covered by scenarios.
        #expect(seen.count >= wanted)
        #expect(phases == [.active, .grace, .retry, .expired, .revoked])
        #expect(
            refusals.isSuperset(of: [
                .invalidAction, .invalidProductIdentifier, .invalidProductType, .invalidValue, .noAccountFound,
                .noSubscriptionFound, .noTransactionFound,
            ]))
    }
}

extension StoryStep {
    /// Whether a product is bought in the past, so that its notification may come after the period.
    fileprivate var isBackdated: Bool {
        if case .call(let call) = self, case .buy(_, by: _, options: let request) = call.command {
            return request.purchaseDate != nil
        }
        return false
    }
}
