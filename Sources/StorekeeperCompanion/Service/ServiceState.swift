import CoreMetrics
import Storekeeper
import StorekeeperAppStore
import Synchronization

/// What a service has seen since it began, for those who watch it.
final class ServiceState: Sendable {
    private struct Seen {
        var lastNotification: Instant?
        /// Why the last write failed; `nil` where it did not.
        var writeFailure: VaultError?
        var writes = 0
        var streams = 0
    }

    private let seen = Mutex(Seen())

    /// When the last notification came that was believed and written, in UTC; `nil`: none since the process began.
    var lastNotification: Instant? { seen.withLock { $0.lastNotification } }
    /// Why the last write failed; `nil` where it did not.
    var writeFailure: VaultError? { seen.withLock { $0.writeFailure } }
    /// How many writes have begun and not ended.
    var writes: Int { seen.withLock { $0.writes } }
    /// How many listen to events now.
    var streams: Int { seen.withLock { $0.streams } }

    // MARK: Notifications

    /// Counts a notification, by what became of it and why.
    func note(_ outcome: NotificationReply.Outcome, at now: Instant) {
        let (word, code): (String, String)
        switch outcome {
        case .accepted: (word, code) = ("accepted", "")
        case .repeated: (word, code) = ("repeated", "")
        case .refused(let refusal): (word, code) = ("refused", refusal.reasonCode)
        case .failed(let failure): (word, code) = ("failed", failure.code.rawValue)
        }
        Counter(label: "storekeeper.notifications", dimensions: [("outcome", word), ("code", code)]).increment()
        switch outcome {
        case .accepted, .repeated:
            seen.withLock { $0.lastNotification = max(now, $0.lastNotification ?? now) }
            Gauge(label: "storekeeper.notification.last.valid.timestamp.seconds")
                .record(Double(now.millisecondsSince1970) / 1000)
        case .failed(let failure):
            if let error = failure.cause as? VaultError { noteWrite(failure: error) }
        case .refused: break
        }
    }

    // MARK: Writes

    /// Notes that a write has begun.
    func beginWrite() { seen.withLock { $0.writes += 1 } }

    /// Notes that it has ended.
    func endWrite() { seen.withLock { $0.writes -= 1 } }

    /// Notes what became of a write.
    ///
    /// - Parameter error: Why it failed; `nil` where it did not. What is the caller's own fault says nothing of the vault.
    func noteWrite(failure error: VaultError?) {
        if let error, Problem(error).status < 500 { return }
        seen.withLock { $0.writeFailure = error }
        guard let error else { return }
        Counter(label: "storekeeper.vault.write.failures", dimensions: [("code", error.code.rawValue)]).increment()
    }

    // MARK: Streams

    /// Notes that somebody listens to events.
    func beginStream() { seen.withLock { $0.streams += 1 } }

    /// Notes that they have gone.
    func endStream() { seen.withLock { $0.streams -= 1 } }

    // MARK: Limits

    /// Counts a request that was answered 429.
    static func noteLimited(_ what: String) {
        Counter(label: "storekeeper.requests.limited", dimensions: [("by", what)]).increment()
    }
}

extension NotificationRefusal {
    /// What the verifier found, or else what is wrong with the notification itself: the more exact of the two words.
    var reasonCode: String { cause?.code.rawValue ?? code.rawValue }
}
