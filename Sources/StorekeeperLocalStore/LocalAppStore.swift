import FoundationEssentials
package import Storekeeper
package import StorekeeperSimulator
import Synchronization

/// A local App Store for an app's server.
///
/// This is a simulated App Store with the App Store Server API, notifications, and requests by which tests control it.
///
/// ``LocalAppStoreServer`` serves the local App Store over HTTP.
package final class LocalAppStore: Sendable {
    /// The configuration of a local App Store.
    package struct Configuration: Sendable {
        /// The key that bearer tokens must be signed with; `nil` accepts any token.
        package var key: BearerTokenRule.Key?
        /// The fraction of the App Store's rate limits for production; `nil` for no limits.
        package var rateFactor: Double?
        /// Whether failed notifications are retried; `nil` retries in production only, as the App Store does.
        package var retriesNotifications: Bool?
        /// Asks the apps' servers for retention messages; `nil` never asks.
        package var realtime: (any RealtimeSender)?
        /// The machine's clock, for the expiry of tokens and for rate limits.
        package var wallClock: any StoreClock = WallClock()

        /// Creates a configuration that accepts any token and has no rate limits.
        package init() {}
    }

    /// The state that is served now; undo, redo and the load of a scenario replace this state.
    let served: Mutex<ServedScenario>
    /// The OCSP responder.
    let certificates: OCSPResponder
    /// A secret token in the forms of the page, which pages of other sites cannot read.
    let formToken: String
    /// The forms that were sent recently, so that a repeated form is recognized.
    let sentForms = FormReplayGuard()
    /// The configuration.
    let configuration: Configuration
    let webhook: (any Webhook)?
    /// Records the changes of the store as steps of a story.
    let recorder: StoryRecorder
    /// The rate limits of the App Store Server API.
    let rate: RequestRate?
    /// Serializes actions, so that the notifications of an action are sent before the next action begins.
    let stepLock = AsyncSemaphore(1)
    let sending = ChangeSignal()

    /// Creates a local App Store.
    ///
    /// - Parameters:
    ///   - store: The store to serve; notifications of its earlier happenings are not sent again.
    ///   - scenario: The scenario that the store began with.
    ///   - webhook: The receiver of notifications; `nil` for none.
    ///   - attempts: Earlier attempts to send notifications, from a journal; failed attempts are retried when due.
    ///   - messaging: Earlier changes of retention messages from a journal.
    ///   - journal: The journal that records all happenings, so that the store can be served again.
    ///   - archive: The story that was read from the journal; `nil` begins a new story.
    ///   - isAsWritten: Whether the store was made by playing the steps of the scenario.
    package init(
        store: SimulatedAppStore, scenario: Scenario, webhook: (any Webhook)? = nil,
        configuration: Configuration = Configuration(), attempts: [AttemptRecord] = [],
        messaging: [MessagingRecord] = [], journal: (any LocalJournal)? = nil, archive: StoryArchive? = nil,
        isAsWritten: Bool = false
    ) async {
        self.configuration = configuration
        self.webhook = webhook
        let recorder = StoryRecorder(
            Story.Beginning(store, scenario, isAsWritten: isAsWritten), store: store, archive: archive,
            attempts: attempts, messaging: messaging, journal: journal)
        self.recorder = recorder
        let story = recorder.story
        certificates = OCSPResponder(authority: store.authority, clock: configuration.wallClock)
        rate = configuration.rateFactor.map { RequestRate(factor: $0, clock: configuration.wallClock) }
        var random = SystemRandomNumberGenerator()
        formToken = [random.next(), random.next()].map { String($0 as UInt64, radix: 36) }.joined()
        served = Mutex(
            await ServedScenario(
                store, scenario, number: 0, webhook: webhook, configuration: configuration, attempts: attempts,
                recorder: recorder, beginning: story.beginning(of: story.tree.current)))
    }

    /// The simulated App Store that is served.
    package var store: SimulatedAppStore { current.store }
    /// The notifications to the app's server.
    package var outbox: NotificationOutbox { current.outbox }
    /// The served scenario; its products and people are used to parse steps.
    var scenario: Scenario { current.scenario }
    /// A snapshot of the state that is served now.
    var current: ServedScenario { served.withLock { $0 } }

    /// Wakes the task that sends notifications, after a request of the App Store Server API has caused notifications.
    func sendNotifications() { sending.send() }

    // MARK: Steps

    /// Performs a step of a scenario and sends the resulting notifications.
    ///
    /// - Returns: The outcome of the purchase, if the step is a purchase.
    /// - Throws: `SimulatorError` if the step is not possible; ``StepRefusal`` if the step needs an engine; an error of
    ///   the cryptographic library; `CancellationError`.
    package func carryOut(_ step: ScenarioStep) async throws -> PurchaseOutcome? {
        guard await stepLock.acquire() else { throw CancellationError() }
        defer { stepLock.release() }
        let served = current
        try recorder.begin(step.text)
        var result = StepResult()
        do {
            try await carryOut(step, in: served, &result)
        } catch {
            // The changes before the error are recorded as a step.
            try recorder.end { Scenario.steps(of: $0) }
            throw error
        }
        var repeated = step
        // If a purchase and a product had the same name, steps of the saved file could not refer to the product. The
        // name of the purchase is therefore left out.
        if let name = step.name, served.scenario.apps.contains(where: { $0.catalog.product(Product.ID(name)) != nil }) {
            repeated.name = nil
        }
        try recorder.end { [repeated, result] calls in
            repeated.repeated(calls, outcome: result.outcome, isNextEvent: result.isNextEvent)
        }
        try await served.outbox.sendDue()
        return result.outcome
    }

    /// Sends a notification again.
    ///
    /// - Returns: Whether the notification was sent. It is not sent if it does not exist, or if no receiver exists.
    /// - Throws: An error of the cryptographic library or of the journal; `CancellationError`.
    func resend(_ id: Happening.ID) async throws -> Bool {
        guard await stepLock.acquire() else { throw CancellationError() }
        defer { stepLock.release() }
        return try await current.outbox.resend(id)
    }

    private struct StepResult {
        var outcome: PurchaseOutcome?
        /// Whether the step `advance: next event` advanced the time to an event of the store, and not to a retry of a
        /// notification.
        var isNextEvent = false
    }

    private func carryOut(_ step: ScenarioStep, in served: ServedScenario, _ result: inout StepResult) async throws {
        switch step.action {
        case .perform(let commands):
            for command in commands {
                if case .advance(let instant) = command {
                    try await served.advance(to: instant)
                } else {
                    result.outcome = try served.store.perform(command, app: step.app)
                }
            }
        case .answerGuardian(let isYes, let reference):
            let id = try served.store.transactionID(of: reference, app: step.app)
            result.outcome = try served.store.perform(
                isYes ? .approveAskToBuy(id) : .declineAskToBuy(id), app: step.app)
        case .advance(let span): try await served.advance(to: span.after(served.store.now))
        case .advanceToNextEvent:
            let event = served.store.nextEvent
            guard let next = [event, served.outbox.nextDue].compactMap(\.self).min() else {
                throw SimulatorError(.invalidAction, "no further event is scheduled")
            }
            result.isNextEvent = next == event
            try await served.advance(to: max(next, served.store.now))
        case .advanceToNow: try await served.advance(to: served.store.present(of: configuration.wallClock))
        case .spend, .grant, .grantAccess, .revokeAccess, .expect: throw StepRefusal()
        }
    }

    /// Plays another scenario with the same signing authority, and serves its store from now on.
    ///
    /// The notifications of the played scenario are not sent. The load is a step of the story and can be undone.
    ///
    /// - Returns: The report of the play. If an expectation was not met, the scenario is not served.
    /// - Throws: ``SimulatorError`` if the people or families of the scenario are impossible; an error of the journal
    ///   or the cryptographic library; `CancellationError`.
    package func load(_ scenario: Scenario) async throws -> ScenarioReport {
        var runner = try await ScenarioRunner(
            scenario, authority: store.authority, wallClock: configuration.wallClock)
        let report = try await runner.run()
        if report.isMet { try await serve(runner.store, of: scenario) }
        return report
    }

    /// Serves another store from now on; the notifications of its earlier happenings are not sent.
    ///
    /// - Parameters:
    ///   - store: The store in which the scenario was played.
    ///   - scenario: The scenario.
    ///   - expected: The number of the served state from which the scenario was made, and the number of calls that its
    ///     store had received; `nil` if the scenario was not made from a served state.
    /// - Throws: `StoryRecorder.StoreReplaced` if the served state is not the expected state; an error of the journal;
    ///   `CancellationError`.
    func serve(
        _ store: SimulatedAppStore, of scenario: Scenario, madeFrom expected: (number: Int, calls: Int)? = nil
    ) async throws {
        guard await stepLock.acquire() else { throw CancellationError() }
        defer { stepLock.release() }
        if let expected, expected != (current.number, current.store.callCount) { throw StoryRecorder.StoreReplaced() }
        let number = current.number + 1
        let beginning = Story.Beginning(store, scenario, isAsWritten: true)
        var step = 0
        try recorder.replace(with: store, number: number) { story in step = story.append(beginning, in: store).id }
        let served = await ServedScenario(
            store, scenario, number: number, webhook: webhook, configuration: configuration, attempts: [],
            recorder: recorder, beginning: step)
        self.served.withLock { $0 = served }
        sending.send()
    }

    /// The error thrown for a step that needs an engine, because a local App Store has no engine.
    package struct StepRefusal: Error, Sendable {}

    /// Sends notifications and carries out performance tests until the task is cancelled.
    ///
    /// Requests of the App Store Server API cause these notifications and initiate these tests.
    ///
    /// - Throws: An error of the cryptographic library.
    package func run() async throws {
        defer { certificates.end() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let seen = sending.count
                try await current.outbox.sendDue()
                let messages = current.messages
                // The tests run in their own tasks, so that a slow server under test does not delay notifications.
                for (app, test) in messages.takeNewTests() {
                    group.addTask { try await self.run(test, of: app, in: messages) }
                }
                await sending.wait(after: seen)
            }
        }
    }
}

extension LocalAppStore {
    /// Asks an app's server for a retention message, as the App Store does when a customer opens the page to cancel a
    /// subscription.
    ///
    /// - Throws: Errors of the cryptographic library.
    func ask(_ question: RealtimeQuestion, of app: String, at url: String) async throws -> RealtimeReply {
        let served = current
        let payload = try served.store.signed([
            "originalTransactionId": .text(question.originalID),
            "appAppleId": .integer(served.apps[app]?.appleID ?? 0), "productId": .text(question.product),
            "userLocale": .string(question.locale), "requestIdentifier": .string(UUID().uuidString.lowercased()),
            "signedDate": .integer(served.store.now.millisecondsSince1970),
            "environment": .string(served.scenario.environment.rawValue),
        ])
        let body = JSONText.object(["signedPayload": .string(payload)]).bytes()
        let start = ContinuousClock.now
        let answer = await configuration.realtime?.send(body, to: url) ?? (result: .noResponse, body: [])
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        guard answer.result == .success else {
            return RealtimeReply(result: answer.result, milliseconds: milliseconds, response: nil)
        }
        let response = (try? JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(answer.body))?.root
        return RealtimeReply(
            result: response?.object == nil ? .invalidResponse : .success, milliseconds: milliseconds,
            response: response)
    }

    /// Carries out a performance test of an app's server.
    ///
    /// - Throws: Errors of the cryptographic library.
    func run(_ test: PerformanceRun, of app: String, in messages: RetentionMessages) async throws {
        try await withThrowingTaskGroup(of: RealtimeReply.self) { group in
            func add() { group.addTask { try await self.ask(test.request, of: app, at: test.target) } }
            for _ in 0..<PerformanceRun.concurrency { add() }
            var begun = PerformanceRun.concurrency
            while let reply = try await group.next() {
                try messages.change(app) { state throws(APIError) in
                    guard let index = state.tests.firstIndex(where: { $0.id == test.id }) else { return }
                    state.tests[index].results.append(reply)
                }
                guard begun < PerformanceRun.requests else { continue }
                begun += 1
                add()
            }
        }
    }
}
