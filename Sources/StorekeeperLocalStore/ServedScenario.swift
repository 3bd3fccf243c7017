import Storekeeper
import StorekeeperSimulator

/// The state that a local App Store serves, which is replaced as a whole when another store is served.
struct ServedScenario: Sendable {
    /// The number of states that were served before this state.
    let number: Int
    private(set) var store: SimulatedAppStore
    /// The scenario that the store began with.
    private(set) var scenario: Scenario
    /// The notifications to the app's server.
    let outbox: NotificationOutbox
    /// The rule for accepting bearer tokens.
    let rule: BearerTokenRule
    /// The apps by bundle id.
    let apps: [String: SimulatedApp]
    /// The faults that are active in the store.
    let faults: FaultInjector
    /// Records the changes of the store.
    let recorder: StoryRecorder
    /// The images and messages of retention messaging.
    let messages: RetentionMessages
    /// The cache of verified evidence that pages use.
    private(set) var evidenceCache = EvidenceCache()

    /// Creates the state that serves a store.
    ///
    /// - Parameters:
    ///   - store: The store; its earlier happenings are already recorded, and their notifications are not sent again.
    ///   - beginning: The number of the step of the story that created the store.
    ///   - attempts: The earlier attempts to send notifications of the store.
    init(
        _ store: SimulatedAppStore, _ scenario: Scenario, number: Int, webhook: (any Webhook)?,
        configuration: LocalAppStore.Configuration, attempts: [AttemptRecord], recorder: StoryRecorder, beginning: Int
    ) async {
        self.recorder = recorder
        self.number = number
        self.store = store
        self.scenario = scenario
        messages = recorder.messages(since: beginning)
        let faults = FaultInjector(store: store)
        self.faults = faults
        outbox = NotificationOutbox(
            store: store, webhook: webhook, faults: faults, seed: scenario.seed,
            retries: configuration.retriesNotifications ?? (scenario.environment == .production)
        ) { attempt in try recorder.write(attempt, of: number) }
        outbox.skip(attempts)
        rule = await BearerTokenRule(
            key: configuration.key, bundleIDs: scenario.apps.map(\.bundleID), clock: configuration.wallClock)
        apps = Dictionary(scenario.apps.map { ($0.bundleID, $0) }) { first, _ in first }
    }

    /// Returns the App Store Server API of an app.
    func serverAPI(of app: String) -> ServerAPI {
        ServerAPI(
            store: store, app: app, environment: scenario.environment,
            appAppleID: scenario.environment == .production ? apps[app]?.appleID : nil, notifications: outbox,
            messages: messages)
    }

    /// A scenario that reproduces everything that has happened, with steps as people or tests wrote them.
    var saved: Scenario { recorder.saved ?? scenario }

    /// Returns a copy of the state with another store; the copy must only be read.
    func showing(_ store: SimulatedAppStore, _ scenario: Scenario) -> ServedScenario {
        var copy = self
        (copy.store, copy.scenario) = (store, scenario)
        // The cache identifies signed items by their numbers, which are unique only within one store.
        copy.evidenceCache = EvidenceCache()
        return copy
    }

    /// Advances time from event to event, so that each notification is sent and retried at its own instant.
    ///
    /// - Throws: ``SimulatorError`` if the instant is in the past or more than 100 years away.
    func advance(to instant: Instant) async throws {
        try ScenarioSpan.checkStep(from: store.now, to: instant)
        try await outbox.sendDue()
        while let next = [store.nextEvent, outbox.nextDue].compactMap(\.self).min(), next < instant {
            try Task.checkCancellation()
            // The journal records an intermediate instant only if notifications were sent at this instant. If no
            // notifications were sent at any intermediate instant, the journal records a single jump to the end.
            try store.advance(to: max(next, store.now))
            try await outbox.sendDue()
        }
        try store.advance(to: instant)
    }
}
