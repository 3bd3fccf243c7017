package import Storekeeper
package import StorekeeperSimulator

/// A local App Store: a simulated one as an app's server meets it, with the App Store Server API, notifications, and
/// requests by which a test lets things happen.
///
/// It answers requests as values; ``LocalAppStoreServer`` carries them over HTTP.
package final class LocalAppStore: Sendable {
    /// How it behaves.
    package struct Configuration: Sendable {
        /// Whose tokens are taken; `nil`: anybody's.
        package var key: BearerTokenRule.Key?
        /// Which share of the App Store's limits of requests for production holds; `nil`: none.
        package var rateFactor: Double?
        /// Whether notifications that failed are tried again; `nil`: in production, as the App Store does.
        package var retriesNotifications: Bool?
        /// The machine's clock, by which tokens end and requests are counted.
        package var wallClock: any StoreClock = WallClock()

        /// The default: any key, no limits.
        package init() {}
    }

    /// What it is played in.
    package let store: SimulatedAppStore
    /// What is sent to the app's server.
    package let outbox: NotificationOutbox
    /// What reads steps: the words of scenarios, with the products and people of this one.
    let scenario: Scenario
    /// What says whether certificates were revoked.
    let certificates: CertificateDesk
    private let rule: BearerTokenRule
    private let rate: RequestRate?
    private let apps: [String: SimulatedApp]
    /// One act at a time, so that what is sent about it is sent before the next.
    private let turn = Slots(1)
    private let sending = ChangeSignal()
    private let keeper: LocalJournalKeeper?

    /// Makes a local App Store.
    ///
    /// - Parameters:
    ///   - store: What it serves; what has happened in it so far is not sent again.
    ///   - scenario: What it began with.
    ///   - webhook: Where notifications go; `nil`: nowhere.
    ///   - attempts: What was tried before, by a journal; what failed then is tried again when it is due.
    ///   - journal: Where all that happens is written, so that it can be served again.
    package init(
        store: SimulatedAppStore, scenario: Scenario, webhook: (any Webhook)? = nil,
        configuration: Configuration = Configuration(), attempts: [NotedAttempt] = [],
        journal: (any LocalJournal)? = nil
    ) async {
        let keeper = journal.map { LocalJournalKeeper(store: store, journal: $0) }
        self.keeper = keeper
        self.store = store
        self.scenario = scenario
        outbox = NotificationOutbox(
            store: store, webhook: webhook,
            retries: configuration.retriesNotifications ?? (scenario.environment == .production)
        ) { attempt in try keeper?.note(attempt) }
        outbox.skip(attempts)
        certificates = CertificateDesk(authority: store.authority, clock: configuration.wallClock)
        rule = await BearerTokenRule(
            key: configuration.key, bundleIDs: scenario.apps.map(\.bundleID), clock: configuration.wallClock)
        rate = configuration.rateFactor.map { RequestRate(factor: $0, clock: configuration.wallClock) }
        apps = Dictionary(scenario.apps.map { ($0.bundleID, $0) }) { first, _ in first }
    }

    /// Answers a request of the App Store Server API.
    func respondAsAppStore(to request: APIRequest) async -> APIResponse {
        let app: String
        do { app = try await rule.app(for: request.authorization) } catch { return .unauthenticated(error.reason) }
        guard let endpoint = Endpoint(method: request.method, path: request.path) else { return .error(.notFound) }
        if let retryAt = rate?.retryAt(endpoint.limit, app: app) {
            var response = APIResponse.error(.rateLimitExceeded)
            response.headers = [("Retry-After", "\(retryAt.millisecondsSince1970)")]
            return response
        }
        let api = ServerAPI(
            store: store, app: app, environment: scenario.environment,
            appAppleID: scenario.environment == .production ? apps[app]?.appleID : nil, notifications: outbox)
        defer { if request.method != "GET" { sending.send() } }
        do {
            let answer = try api.answer(endpoint, request)
            try keeper?.keep()
            return answer
        } catch let error as APIError {
            return .error(error)
        } catch {
            return .error(.internalError("\(error)"))
        }
    }

    /// All that has happened, as a scenario that makes it happen again.
    var saved: Scenario {
        Scenario(
            calls: store.calls, story: scenario.story, apps: scenario.apps, catalogs: scenario.catalogs,
            environment: scenario.environment, start: scenario.start, seed: scenario.seed)
    }

    // MARK: What happens

    /// Carries out a step in the words of scenarios, and sends what follows from it.
    ///
    /// - Returns: What came of a purchase.
    /// - Throws: `SimulatorError` where it cannot be done; ``StepRefusal`` where it is none of the App Store's; what the
    ///   cryptographic library throws; `CancellationError`.
    package func carryOut(_ step: ScenarioStep) async throws -> PurchaseOutcome? {
        guard await turn.acquire() else { throw CancellationError() }
        defer { turn.giveBack() }
        var outcome: PurchaseOutcome?
        switch step.action {
        case .perform(let commands):
            for command in commands {
                if case .advance(let instant) = command {
                    try await advance(to: instant)
                } else {
                    outcome = try store.perform(command, app: step.app)
                }
            }
        case .answerGuardian(let isYes, let reference):
            let id = try store.transactionID(of: reference, app: step.app)
            outcome = try store.perform(isYes ? .approveAskToBuy(id) : .declineAskToBuy(id), app: step.app)
        case .advance(let span): try await advance(to: span.after(store.now))
        case .advanceToNextEvent:
            guard let next = [store.nextEvent, outbox.nextDue].compactMap(\.self).min() else {
                throw SimulatorError(.invalidAction, "nothing more happens by time alone")
            }
            try await advance(to: max(next, store.now))
        case .spend, .grant, .expect: throw StepRefusal()
        }
        try keeper?.keep()
        try await outbox.sendDue()
        return outcome
    }

    /// Goes from instant to instant, so that each notification is sent, and sent again, at its own.
    private func advance(to instant: Instant) async throws {
        try await outbox.sendDue()
        while let next = [store.nextEvent, outbox.nextDue].compactMap(\.self).min(), next < instant {
            try Task.checkCancellation()
            try store.advance(to: max(next, store.now))
            try keeper?.keep()
            try await outbox.sendDue()
        }
        try store.advance(to: instant)
        try keeper?.keep()
    }

    /// A step about an engine, which a local App Store does not have.
    package struct StepRefusal: Error, Sendable {}

    /// Sends what follows from requests of the App Store Server API, until the task is cancelled.
    ///
    /// - Throws: What the cryptographic library throws.
    package func run() async throws {
        while !Task.isCancelled {
            let seen = sending.count
            try await outbox.sendDue()
            await sending.wait(after: seen)
        }
    }
}
