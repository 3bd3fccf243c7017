import Storekeeper
import StorekeeperSimulator

/// What was sent, how often it was tried, and what is to be tried when: a value.
///
/// - SeeAlso: Apple, "App Store Server Notifications: Responding to App Store Server Notifications".
struct NotificationLog: Sendable {
    /// A notification and when it is to be sent.
    struct Due: Hashable, Sendable {
        let id: Happening.ID
        let at: Instant
        /// Whether a fault has put it off before.
        var wasDelayed = false
    }

    /// Hours from each failed attempt to the next.
    static let retryHours: [Int64] = [1, 12, 24, 48, 72]

    /// Whether what failed is tried again, as in production; the sandbox sends once.
    let retries: Bool
    private(set) var attempts: [Happening.ID: [SendAttempt]] = [:]
    private(set) var attemptCount = 0
    /// How much of the store's story was looked through.
    private(set) var seen = 0
    /// What is to be sent for the first time, after each number of failures, and, last, what a fault has put off.
    ///
    /// What fails later is due later, so that each is in order by itself; what was put off is put in order.
    private var queues: [[Due]]
    private var firsts: [Int]

    init(retries: Bool) {
        self.retries = retries
        queues = Array(repeating: [], count: Self.retryHours.count + 2)
        firsts = Array(repeating: 0, count: Self.retryHours.count + 2)
    }

    /// Takes in what has happened.
    mutating func take(_ happenings: [Happening]) {
        seen += happenings.count
        for happening in happenings where happening.notification != nil {
            queues[0].append(Due(id: happening.id, at: happening.at))
        }
    }

    /// What is to be sent next; `nil` where nothing waits.
    var next: Due? { nextQueue.map { queues[$0][firsts[$0]] } }

    private var nextQueue: Int? {
        queues.indices.filter { firsts[$0] < queues[$0].count }
            .min { queues[$0][firsts[$0]].at < queues[$1][firsts[$1]].at }
    }

    /// Takes the next one out, to be sent now.
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

    /// Puts off what was taken out, as a fault wants it.
    mutating func delay(_ due: Due, until instant: Instant) {
        let queue = queues.count - 1
        let later = Due(id: due.id, at: instant, wasDelayed: true)
        let place = queues[queue][firsts[queue]...].firstIndex { $0.at > instant } ?? queues[queue].endIndex
        queues[queue].insert(later, at: place)
    }

    /// Takes back what was noted before, in the order of time: of each notification the last failure counts.
    mutating func restore(_ noted: [NotedAttempt]) {
        var lasts: [Happening.ID: SendAttempt] = [:]
        for note in noted where note.happening >= 0 && note.happening < seen {
            attempts[note.happening, default: []].append(note.attempt)
            attemptCount += 1
            lasts[note.happening] = note.attempt
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

    /// Notes what came of an attempt.
    mutating func note(_ result: SendAttempt.Result, of due: Due, at instant: Instant) {
        attempts[due.id, default: []].append(SendAttempt(at: instant, result: result))
        attemptCount += 1
        if result != .success { enqueueRetry(of: due.id, after: instant) }
    }
}
