import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests of properties of the notifications in generated stories, and tests that the stories cover all events.
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
            // The test checks a few notifications of each kind, because there are many similar renewals.
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
        // Generated stories contain no events of Advanced Commerce or of groups, and set no app transaction.
        let others: Set<HappeningKind> = [
            .itemsDescribed, .metadataUpdated, .itemPriceChanged, .migrated, .seatsAdded, .seatsReduced,
            .seatsUnclaimed, .seatsRefunded, .appTransactionChanged,
        ]
        let wanted = HappeningKind.allCases.count - others.count - 2
        for seed in 0..<UInt64(600) {
            // The loop stops when everything is covered, because most seeds add nothing new.
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
    /// Whether a product is bought with a date in the past, so that its notification may be later than the end of the
    /// period.
    fileprivate var isBackdated: Bool {
        if case .call(let call) = self, case .buy(_, by: _, options: let request) = call.command {
            return request.purchaseDate != nil
        }
        return false
    }
}
