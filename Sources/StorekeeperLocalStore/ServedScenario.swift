import Storekeeper
import StorekeeperSimulator

/// The served state of a local App Store, which is replaced as a whole when a scenario is loaded.
struct ServedScenario: Sendable {
    /// The number of states served before it.
    let number: Int
    let store: SimulatedAppStore
    /// The scenario that the store began with.
    let scenario: Scenario
    /// The notifications to the app's server.
    let outbox: NotificationOutbox
    /// The rule for bearer tokens.
    let rule: BearerTokenRule
    /// The apps by bundle id.
    let apps: [String: SimulatedApp]
    /// The active faults.
    let faults: FaultInjector
    let journalWriter: JournalWriter?
    /// The images and messages of retention messaging.
    let messages: RetentionMessages
    /// The verified evidence of customers whose answers were shown.
    let evidenceCache = EvidenceCache()

    /// - Parameter store: The store; its happenings so far are not sent again and are already in the journal.
    init(
        _ store: SimulatedAppStore, _ scenario: Scenario, number: Int, webhook: (any Webhook)?,
        configuration: LocalAppStore.Configuration, attempts: [AttemptRecord], messaging: [MessagingRecord] = [],
        journal: (any LocalJournal)?
    ) async {
        let journalWriter = journal.map { JournalWriter(store: store, journal: $0) }
        self.journalWriter = journalWriter
        self.number = number
        self.store = store
        self.scenario = scenario
        var journalOfMessages: RetentionMessages.Journal?
        if let journalWriter { journalOfMessages = { try journalWriter.write($0) } }
        messages = RetentionMessages(
            environment: scenario.environment, records: messaging, journal: journalOfMessages)
        let faults = FaultInjector(store: store)
        self.faults = faults
        outbox = NotificationOutbox(
            store: store, webhook: webhook, faults: faults, seed: scenario.seed,
            retries: configuration.retriesNotifications ?? (scenario.environment == .production)
        ) { attempt in try journalWriter?.write(attempt) }
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

    /// A scenario that reproduces everything that has happened.
    var saved: Scenario {
        var saved = Scenario(
            calls: store.calls, story: scenario.story, apps: scenario.apps, catalogs: scenario.catalogs,
            environment: scenario.environment, start: scenario.start, seed: scenario.seed)
        saved.about = scenario.about
        saved.policy = scenario.policy
        saved.catalogFiles = scenario.catalogFiles
        return saved
    }

    /// Advances time from event to event, so that each notification is sent and retried at its own instant.
    func advance(to instant: Instant) async throws {
        try await outbox.sendDue()
        while let next = [store.nextEvent, outbox.nextDue].compactMap(\.self).min(), next < instant {
            try Task.checkCancellation()
            // The journal records intermediate instants at which notifications were sent; otherwise one jump at the
            // end.
            try store.advance(to: max(next, store.now))
            try await outbox.sendDue()
        }
        try store.advance(to: instant)
        try journalWriter?.writeCalls()
    }
}
