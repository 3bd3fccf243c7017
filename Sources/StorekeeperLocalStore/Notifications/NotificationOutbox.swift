package import Storekeeper
import StorekeeperSimulator
import Synchronization

/// Sends each App Store server notification to an app's server when it is due, and retries failures.
package final class NotificationOutbox: Sendable {
    private let store: SimulatedAppStore
    private let webhook: (any Webhook)?
    private let log: Mutex<NotificationLog>
    private let faults: FaultInjector?
    /// The notifications that faults hold back, so that they are sent in another order.
    private let held: Mutex<HeldNotifications>
    private let onAttempt: @Sendable (AttemptRecord) throws -> Void
    /// The lock that allows only one task at a time to send, so that notifications stay in order.
    private let sendLock = AsyncSemaphore(1)

    /// Creates an outbox.
    ///
    /// - Parameters:
    ///   - store: The store with the notifications.
    ///   - webhook: The receiver. With `nil`, nothing is sent, and notifications appear only in the history.
    ///   - faults: The faults to simulate; `nil` for none.
    ///   - seed: The random seed for reordered notifications.
    ///   - retries: Whether failed attempts are retried.
    ///   - onAttempt: Called for each attempt.
    init(
        store: SimulatedAppStore, webhook: (any Webhook)?, faults: FaultInjector? = nil, seed: UInt64 = 0,
        retries: Bool,
        onAttempt: @escaping @Sendable (AttemptRecord) throws -> Void = { _ in }
    ) {
        self.onAttempt = onAttempt
        self.store = store
        self.webhook = webhook
        self.faults = faults
        held = Mutex(HeldNotifications(seed: seed))
        log = Mutex(NotificationLog(retries: retries))
    }

    /// Whether the outbox has a receiver.
    var hasWebhook: Bool { webhook != nil }

    /// A number that changes whenever the attempts change.
    var revision: Int { log.withLock { $0.attemptCount + $0.dropped.count } }

    /// Returns the attempts to send a notification.
    func attempts(of id: Happening.ID) -> [SendAttempt] { log.withLock { $0.attempts[id] ?? [] } }

    /// Returns whether a fault has dropped a notification.
    func isDropped(_ id: Happening.ID) -> Bool { log.withLock { $0.dropped.contains(id) } }

    /// The instant at which the next attempt is due; `nil` if no notification waits or no receiver exists.
    package var nextDue: Instant? {
        guard hasWebhook else { return nil }
        return log.withLock { log in
            log.addNotifications(store.happenings(after: log.seen))
            return log.next?.at
        }
    }

    /// Marks all notifications up to now as sent, because an earlier process has sent them.
    ///
    /// - Parameter attempts: Earlier attempts, in chronological order; failed attempts are retried when due.
    package func skip(_ attempts: [AttemptRecord] = []) {
        log.withLock { log in
            log.skip(to: store.happeningCount)
            log.restore(attempts)
        }
    }

    /// Sends all due notifications and waits for the responses.
    ///
    /// - Throws: An error of the cryptographic library.
    package func sendDue() async throws {
        guard let webhook else { return }
        guard await sendLock.acquire() else { return }
        defer { sendLock.release() }
        if let faults, held.withLock({ !$0.isEmpty }) {
            let isHolding = faults.active.contains { $0.fault.effect == .reordered }
            for due in isHolding ? [] : held.withLock({ $0.release() }) { try await send(due, to: webhook, flaw: nil) }
        }
        while !Task.isCancelled {
            let now = store.now
            let due = log.withLock { log -> NotificationLog.Due? in
                log.addNotifications(store.happenings(after: log.seen))
                guard let next = log.next, next.at <= now else { return nil }
                return log.popNext()
            }
            guard let due else { return }
            guard !due.wasDelayed, let faults, let app = store.happening(due.id)?.app,
                let taken = faults.consume(at: .notifications, app: app)
            else {
                try await send(due, to: webhook, flaw: nil)
                continue
            }
            switch taken.fault.effect {
            case .dropped: log.withLock { $0.recordDrop(of: due.id) }
            case .duplicated:
                try await send(due, to: webhook, flaw: nil, isNoted: false)
                try await send(due, to: webhook, flaw: nil)
            case .delayed(let span): log.withLock { $0.delay(due, until: now.adding(milliseconds: span)) }
            case .flawed(let flaw): try await send(due, to: webhook, flaw: flaw)
            case .reordered:
                let ready = held.withLock { held in
                    held.hold(due, isLast: taken.left.map { $0 == 0 } ?? (held.count == 1))
                }
                for due in ready { try await send(due, to: webhook, flaw: nil) }
            default: try await send(due, to: webhook, flaw: nil)
            }
        }
    }

    /// Sends a notification again now; faults do not affect this attempt.
    ///
    /// - Returns: Whether the notification was sent. It is not sent if it does not exist, or if the outbox has no
    ///   receiver.
    /// - Throws: An error of the cryptographic library or of the journal; `CancellationError`.
    func resend(_ id: Happening.ID) async throws -> Bool {
        guard let webhook, store.happening(id)?.notification != nil else { return false }
        guard await sendLock.acquire() else { throw CancellationError() }
        defer { sendLock.release() }
        try await send(NotificationLog.Due(id: id, at: store.now), to: webhook, flaw: nil, isManual: true)
        return true
    }

    /// Sends a notification, with a flaw if a fault demands one, and records the result.
    private func send(
        _ due: NotificationLog.Due, to webhook: any Webhook, flaw: NotificationFlaw?, isNoted: Bool = true,
        isManual: Bool = false
    ) async throws {
        let text = try flaw.map { try store.notification(of: due.id, flaw: $0) } ?? store.notification(of: due.id)
        guard let text else { return }
        let response = await webhook.send(JSONText.object(["signedPayload": .string(text)]).bytes())
        guard isNoted else { return }
        let attempt = SendAttempt(at: store.now, response: response)
        log.withLock { $0.record(attempt, of: due.id, isManual: isManual) }
        try onAttempt(AttemptRecord(happening: due.id, attempt: attempt))
    }
}

/// The notifications that faults hold back for reordering.
private struct HeldNotifications {
    private var items: [NotificationLog.Due] = []
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }

    /// Adds a notification to the held notifications.
    ///
    /// - Returns: All held notifications in another order if `isLast` is true; if not, an empty list.
    mutating func hold(_ due: NotificationLog.Due, isLast: Bool) -> [NotificationLog.Due] {
        items.append(due)
        guard isLast else { return [] }
        var order = release()
        let before = order.map(\.id)
        for index in order.indices.dropFirst().reversed() {
            order.swapAt(index, Int(random.number(below: UInt64(index) + 1)))
        }
        // If the shuffle has left the order unchanged, the first notification is moved to the end.
        if order.map(\.id) == before, let first = order.first { order = order.dropFirst() + [first] }
        return order
    }

    /// Returns all held notifications in their original order, and clears the list.
    mutating func release() -> [NotificationLog.Due] {
        defer { items = [] }
        return items
    }
}
