package import Storekeeper
package import StorekeeperSimulator
import Synchronization

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

    /// What it serves at the moment.
    let stage: Mutex<LocalStage>
    /// What says whether certificates were revoked.
    let certificates: CertificateDesk
    /// What the forms of the page carry, which no page of somebody else can know.
    let formToken: String
    /// The forms that were sent.
    let sentForms = SentForms()
    /// How it behaves.
    let configuration: Configuration
    private let webhook: (any Webhook)?
    private let journal: (any LocalJournal)?
    private let rate: RequestRate?
    /// One act at a time, so that what is sent about it is sent before the next.
    private let turn = Slots(1)
    private let sending = ChangeSignal()

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
        self.configuration = configuration
        self.webhook = webhook
        self.journal = journal
        certificates = CertificateDesk(authority: store.authority, clock: configuration.wallClock)
        rate = configuration.rateFactor.map { RequestRate(factor: $0, clock: configuration.wallClock) }
        var random = SystemRandomNumberGenerator()
        formToken = [random.next(), random.next()].map { String($0 as UInt64, radix: 36) }.joined()
        stage = Mutex(
            await LocalStage(
                store, scenario, number: 0, webhook: webhook, configuration: configuration, attempts: attempts,
                journal: journal))
    }

    /// What it is played in at the moment.
    package var store: SimulatedAppStore { current.store }
    /// What is sent to the app's server.
    package var outbox: NotificationOutbox { current.outbox }
    /// What reads steps: the words of scenarios, with the products and people of this one.
    var scenario: Scenario { current.scenario }
    /// What is served at the moment, as a whole.
    var current: LocalStage { stage.withLock { $0 } }

    /// Answers a request of the App Store Server API.
    func respondAsAppStore(to request: APIRequest) async -> APIResponse {
        let stage = current
        let app: String
        do { app = try await stage.rule.app(for: request.authorization) } catch {
            return .unauthenticated(error.reason)
        }
        guard let endpoint = Endpoint(method: request.method, path: request.path) else {
            let methods = Endpoint.methods(at: request.path)
            return methods.isEmpty ? .error(.notFound) : .wrongMethod(methods)
        }
        if let retryAt = rate?.retryAt(endpoint.limit, app: app) { return .tooManyRequests(retryAt: retryAt) }
        let fault = stage.faults.take(at: endpoint.place, app: app)?.fault.manner
        if let fault {
            let retryAt = configuration.wallClock.now.adding(milliseconds: 1000)
            if let refusal = fault.refusal(of: endpoint, retryAt: retryAt) { return refusal }
        }
        let api = ServerAPI(
            store: stage.store, app: app, environment: stage.scenario.environment,
            appAppleID: stage.scenario.environment == .production ? stage.apps[app]?.appleID : nil,
            notifications: stage.outbox)
        defer { if request.method != "GET" { sending.send() } }
        do {
            let answer = try api.answer(endpoint, request)
            try stage.keeper?.keep()
            return fault?.spoiled(answer, to: endpoint) ?? answer
        } catch let error as APIError {
            return .error(error)
        } catch {
            return .error(.internalError("\(error)"))
        }
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
        let stage = current
        var outcome: PurchaseOutcome?
        switch step.action {
        case .perform(let commands):
            for command in commands {
                if case .advance(let instant) = command {
                    try await stage.advance(to: instant)
                } else {
                    outcome = try stage.store.perform(command, app: step.app)
                }
            }
        case .answerGuardian(let isYes, let reference):
            let id = try stage.store.transactionID(of: reference, app: step.app)
            outcome = try stage.store.perform(isYes ? .approveAskToBuy(id) : .declineAskToBuy(id), app: step.app)
        case .advance(let span): try await stage.advance(to: span.after(stage.store.now))
        case .advanceToNextEvent:
            guard let next = [stage.store.nextEvent, stage.outbox.nextDue].compactMap(\.self).min() else {
                throw SimulatorError(.invalidAction, "nothing more happens by time alone")
            }
            try await stage.advance(to: max(next, stage.store.now))
        case .advanceToNow: try await stage.advance(to: stage.store.present(of: configuration.wallClock))
        case .spend, .grant, .expect: throw StepRefusal()
        }
        try stage.keeper?.keep()
        try await stage.outbox.sendDue()
        return outcome
    }

    /// Plays another scenario, and serves that from now on, signed by the same authority.
    ///
    /// What has happened in it by then is not sent. A journal begins anew.
    ///
    /// - Returns: What came of it; where something was not as expected, it is not served.
    /// - Throws: ``SimulatorError`` where people or families cannot be as it says; what a journal or the cryptographic
    ///   library throws; `CancellationError`.
    package func load(_ scenario: Scenario) async throws -> ScenarioReport {
        var runner = try await ScenarioRunner(
            scenario, authority: store.authority, wallClock: configuration.wallClock)
        let report = try await runner.run()
        guard report.isMet else { return report }
        guard await turn.acquire() else { throw CancellationError() }
        defer { turn.giveBack() }
        let before = current
        let stage = await LocalStage(
            runner.store, scenario, number: before.number + 1, webhook: webhook, configuration: configuration,
            attempts: [], journal: journal)
        try before.keeper?.end(with: stage.saved)
        self.stage.withLock { $0 = stage }
        sending.send()
        return report
    }

    /// A step about an engine, which a local App Store does not have.
    package struct StepRefusal: Error, Sendable {}

    /// Sends what follows from requests of the App Store Server API, until the task is cancelled.
    ///
    /// - Throws: What the cryptographic library throws.
    package func run() async throws {
        defer { certificates.end() }
        while !Task.isCancelled {
            let seen = sending.count
            try await current.outbox.sendDue()
            await sending.wait(after: seen)
        }
    }
}
