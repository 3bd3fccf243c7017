import Storekeeper
import StorekeeperSimulator

/// The attempts to send notifications until now, and the queues of notifications that wait.
///
/// - SeeAlso: Apple, "App Store Server Notifications: Responding to App Store Server Notifications".
struct NotificationLog: Sendable {
    /// A notification with the instant at which it is due.
    struct Due: Hashable, Sendable {
        let id: Happening.ID
        let at: Instant
        /// Whether a fault has already delayed the notification.
        var wasDelayed = false
    }

    /// The hours to wait after the first failed attempt, the second failed attempt, and so on.
    static let retryHours: [Int64] = [1, 12, 24, 48, 72]

    /// Whether failed attempts are retried, as in production; the sandbox sends each notification once.
    let retries: Bool
    private(set) var attempts: [Happening.ID: [SendAttempt]] = [:]
    private(set) var attemptCount = 0
    /// The notifications that a fault has dropped.
    private(set) var dropped: Set<Happening.ID> = []
    /// The number of the store's happenings that were already read.
    private(set) var seen = 0
    /// The queues: a queue for first attempts, one for each number of failures, and one for delayed notifications.
    ///
    /// All notifications in a queue for failures wait equally long, so they are appended in the order in which they are
    /// due. Only the last queue, for notifications that a fault delays, must be sorted when a notification is inserted.
    private var queues: [[Due]]
    private var firsts: [Int]

    init(retries: Bool) {
        self.retries = retries
        queues = Array(repeating: [], count: Self.retryHours.count + 2)
        firsts = Array(repeating: 0, count: Self.retryHours.count + 2)
    }

    /// Adds the notifications of new happenings.
    mutating func addNotifications(_ happenings: [Happening]) {
        seen += happenings.count
        for happening in happenings where happening.notification != nil {
            queues[0].append(Due(id: happening.id, at: happening.at))
        }
    }

    /// Removes all waiting notifications, and skips the first `count` happenings.
    mutating func skip(to count: Int) {
        while popNext() != nil {}
        seen = max(seen, count)
    }

    /// The next notification to send; `nil` if no notification waits.
    var next: Due? { nextQueue.map { queues[$0][firsts[$0]] } }

    private var nextQueue: Int? {
        queues.indices.filter { firsts[$0] < queues[$0].count }
            .min { queues[$0][firsts[$0]].at < queues[$1][firsts[$1]].at }
    }

    /// Removes and returns the next notification.
    mutating func popNext() -> Due? {
        guard let queue = nextQueue else { return nil }
        let due = queues[queue][firsts[queue]]
        firsts[queue] += 1
        if firsts[queue] > 1024, firsts[queue] * 2 > queues[queue].count {
            queues[queue].removeFirst(firsts[queue])
            firsts[queue] = 0
        }
        return due
    }

    /// Adds a notification that `popNext` removed to the queue again, because a fault delays the notification.
    mutating func delay(_ due: Due, until instant: Instant) {
        let queue = queues.count - 1
        let later = Due(id: due.id, at: instant, wasDelayed: true)
        let place = queues[queue][firsts[queue]...].firstIndex { $0.at > instant } ?? queues[queue].endIndex
        queues[queue].insert(later, at: place)
    }

    /// Restores recorded attempts, which are in chronological order.
    ///
    /// A notification is retried if the last attempt to send it failed.
    mutating func restore(_ noted: [AttemptRecord]) {
        var lasts: [Happening.ID: SendAttempt] = [:]
        for recordResult in noted where recordResult.happening >= 0 && recordResult.happening < seen {
            attempts[recordResult.happening, default: []].append(recordResult.attempt)
            attemptCount += 1
            lasts[recordResult.happening] = recordResult.attempt
        }
        let open = lasts.filter { $0.value.result != .success }.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
        for (id, last) in open { enqueueRetry(of: id, after: last.at) }
    }

    private mutating func enqueueRetry(of id: Happening.ID, after instant: Instant) {
        let failures = attempts[id]?.count ?? 0
        guard retries, (1...Self.retryHours.count).contains(failures) else { return }
        queues[failures].append(
            Due(id: id, at: instant.adding(milliseconds: Self.retryHours[failures - 1] * 3_600_000)))
    }

    /// Records an attempt.
    ///
    /// - Parameter isManual: Whether a person has sent the notification again. The planned retry stays, unless the
    ///   attempt succeeded.
    mutating func record(_ attempt: SendAttempt, of id: Happening.ID, isManual: Bool) {
        attempts[id, default: []].append(attempt)
        attemptCount += 1
        if isManual {
            if attempt.result == .success { removeWaiting(id) }
        } else if attempt.result != .success {
            enqueueRetry(of: id, after: attempt.at)
        }
    }

    /// Records that a fault has dropped a notification.
    mutating func recordDrop(of id: Happening.ID) { dropped.insert(id) }

    private mutating func removeWaiting(_ id: Happening.ID) {
        for queue in queues.indices {
            let waiting = queues[queue][firsts[queue]...].filter { $0.id != id }
            queues[queue].replaceSubrange(firsts[queue]..., with: waiting)
        }
    }
}
