import Storekeeper
import StorekeeperSimulator

/// What a local App Store serves: it changes as a whole when a scenario is loaded.
struct LocalStage: Sendable {
    /// How many were served before it.
    let number: Int
    let store: SimulatedAppStore
    /// What it began with.
    let scenario: Scenario
    /// What is sent to the app's server.
    let outbox: NotificationOutbox
    /// Whose tokens are taken.
    let rule: BearerTokenRule
    /// The apps by their bundle ids.
    let apps: [String: SimulatedApp]
    /// What goes wrong.
    let faults: FaultDesk
    let keeper: LocalJournalKeeper?

    /// - Parameter store: What has happened in it so far is not sent again, and is in the journal already.
    init(
        _ store: SimulatedAppStore, _ scenario: Scenario, number: Int, webhook: (any Webhook)?,
        configuration: LocalAppStore.Configuration, attempts: [NotedAttempt], journal: (any LocalJournal)?
    ) async {
        let keeper = journal.map { LocalJournalKeeper(store: store, journal: $0) }
        self.keeper = keeper
        self.number = number
        self.store = store
        self.scenario = scenario
        let faults = FaultDesk(store: store)
        self.faults = faults
        outbox = NotificationOutbox(
            store: store, webhook: webhook, faults: faults, seed: scenario.seed,
            retries: configuration.retriesNotifications ?? (scenario.environment == .production)
        ) { attempt in try keeper?.note(attempt) }
        outbox.skip(attempts)
        rule = await BearerTokenRule(
            key: configuration.key, bundleIDs: scenario.apps.map(\.bundleID), clock: configuration.wallClock)
        apps = Dictionary(scenario.apps.map { ($0.bundleID, $0) }) { first, _ in first }
    }

    /// All that has happened, as a scenario that makes it happen again.
    var saved: Scenario {
        var saved = Scenario(
            calls: store.calls, story: scenario.story, apps: scenario.apps, catalogs: scenario.catalogs,
            environment: scenario.environment, start: scenario.start, seed: scenario.seed)
        saved.about = scenario.about
        saved.policy = scenario.policy
        saved.catalogFiles = scenario.catalogFiles
        return saved
    }

    /// Goes from instant to instant, so that each notification is sent, and sent again, at its own.
    func advance(to instant: Instant) async throws {
        try await outbox.sendDue()
        while let next = [store.nextEvent, outbox.nextDue].compactMap(\.self).min(), next < instant {
            try Task.checkCancellation()
            // A journal has the way there where something was told on it, and otherwise the whole jump at its end.
            try store.advance(to: max(next, store.now))
            try await outbox.sendDue()
        }
        try store.advance(to: instant)
        try keeper?.keep()
    }
}
