package import Storekeeper
package import StorekeeperSimulator
import Synchronization

/// Sends what the App Store tells an app's server, each at its own instant, and tries again what failed.
package final class NotificationOutbox: Sendable {
    private let store: SimulatedAppStore
    private let webhook: (any Webhook)?
    private let log: Mutex<NotificationLog>
    private let onAttempt: @Sendable (NotedAttempt) throws -> Void
    /// One sends at a time, so that what is sent is sent in order.
    private let turn = Slots(1)

    /// Makes an outbox.
    ///
    /// - Parameters:
    ///   - store: Whose notifications.
    ///   - webhook: Where they go; `nil`: nowhere, so that they stand in the history only.
    ///   - retries: Whether what failed is tried again.
    ///   - onAttempt: Is told of each attempt.
    package init(
        store: SimulatedAppStore, webhook: (any Webhook)?, retries: Bool,
        onAttempt: @escaping @Sendable (NotedAttempt) throws -> Void = { _ in }
    ) {
        self.onAttempt = onAttempt
        self.store = store
        self.webhook = webhook
        log = Mutex(NotificationLog(retries: retries))
    }

    /// Whether notifications go anywhere.
    var hasWebhook: Bool { webhook != nil }

    /// How many attempts there were.
    var attemptCount: Int { log.withLock { $0.attemptCount } }

    /// What was tried of a notification.
    func attempts(of id: Happening.ID) -> [SendAttempt] { log.withLock { $0.attempts[id] ?? [] } }

    /// When something is to be tried next; `nil` where nothing is.
    package var nextDue: Instant? {
        guard hasWebhook else { return nil }
        return log.withLock { log in
            log.take(store.happenings(after: log.seen))
            return log.next?.at
        }
    }

    /// Passes over what has happened so far, as if it had been sent somewhere else.
    ///
    /// - Parameter attempts: What was tried before, in the order of time; what failed then is tried again when it is due.
    package func skip(_ attempts: [NotedAttempt] = []) {
        log.withLock { log in
            log.take(store.happenings(after: log.seen))
            while log.popNext() != nil {}
            log.restore(attempts)
        }
    }

    /// Sends all that is due now, and waits for the answers.
    ///
    /// - Throws: What the cryptographic library throws.
    package func sendDue() async throws {
        guard let webhook else { return }
        guard await turn.acquire() else { return }
        defer { turn.giveBack() }
        while !Task.isCancelled {
            let now = store.now
            let due = log.withLock { log -> NotificationLog.Due? in
                log.take(store.happenings(after: log.seen))
                guard let next = log.next, next.at <= now else { return nil }
                return log.popNext()
            }
            guard let due else { return }
            guard let text = try store.notification(of: due.id) else { continue }
            let result = await webhook.send(JSONText.object(["signedPayload": .string(text)]).bytes())
            log.withLock { $0.note(result, of: due, at: now) }
            try onAttempt(NotedAttempt(happening: due.id, attempt: SendAttempt(at: now, result: result)))
        }
    }
}
