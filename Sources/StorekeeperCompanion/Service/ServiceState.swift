import CoreMetrics
import Storekeeper
import StorekeeperAppStore
import Synchronization

/// The counts and times that a service has recorded since its start, for monitoring.
final class ServiceState: Sendable {
    private struct Seen {
        var lastNotification: Instant?
        /// The error of the last write; `nil` if the write succeeded.
        var writeFailure: VaultError?
        var writes = 0
        var streams = 0
        var omittedFailures = 0
        var isMeasuring = false
    }

    private let seen = Mutex(Seen())

    /// The instant at which the last verified notification was written; `nil` if the process has written none.
    var lastNotification: Instant? { seen.withLock { $0.lastNotification } }
    /// The error of the last write; `nil` if the write succeeded.
    var writeFailure: VaultError? { seen.withLock { $0.writeFailure } }
    /// The number of writes in progress.
    var writes: Int { seen.withLock { $0.writes } }
    /// The number of subscribers to events.
    var streams: Int { seen.withLock { $0.streams } }

    // MARK: Notifications

    /// Counts a notification by its outcome and code.
    func record(_ outcome: NotificationReply.Outcome, at now: Instant) {
        let (word, code): (String, String)
        switch outcome {
        case .accepted: (word, code) = ("accepted", "")
        case .repeated: (word, code) = ("repeated", "")
        case .refused(let refusal): (word, code) = ("refused", refusal.reasonCode)
        case .failed(let failure): (word, code) = ("failed", failure.code.rawValue)
        }
        Self.notifications(word, code).increment()
        switch outcome {
        case .accepted, .repeated:
            seen.withLock { $0.lastNotification = max(now, $0.lastNotification ?? now) }
            Gauge(label: "storekeeper.notification.last.valid.timestamp.seconds")
                .record(Double(now.millisecondsSince1970) / 1000)
        case .failed(let failure):
            if let error = failure.cause as? VaultError { countWrite(failure: error) }
        case .refused: break
        }
    }

    // MARK: Writes

    /// Records that a write has begun.
    func beginWrite() { seen.withLock { $0.writes += 1 } }

    /// Records that a write has ended.
    func endWrite() { seen.withLock { $0.writes -= 1 } }

    /// Records whether a write failed.
    ///
    /// - Parameter error: The error of the write; `nil` if the write succeeded. An error that the caller's request
    ///   caused is ignored.
    func countWrite(failure error: VaultError?) {
        if let error, Problem(error).status < 500 { return }
        seen.withLock { $0.writeFailure = error }
        guard let error else { return }
        Self.writeFailures(error.code).increment()
    }

    /// Counts a failure that was not logged.
    func omitFailure() { seen.withLock { $0.omittedFailures += 1 } }

    /// Returns the number of failures that were not logged, and begins to count again.
    func takeOmittedFailures() -> Int {
        seen.withLock { seen in
            defer { seen.omittedFailures = 0 }
            return seen.omittedFailures
        }
    }

    // MARK: Streams

    /// Records that a subscriber has connected.
    func beginStream() { seen.withLock { $0.streams += 1 } }

    /// Records that a subscriber has disconnected.
    func endStream() { seen.withLock { $0.streams -= 1 } }

    // MARK: Metrics

    /// The signal that the vault was measured for metrics.
    let measured = ChangeSignal()

    /// Returns whether the caller should measure the vault, because no other task does.
    func beginMeasuring() -> Bool {
        seen.withLock { seen in
            defer { seen.isMeasuring = true }
            return !seen.isMeasuring
        }
    }

    /// Records that the vault was measured.
    func endMeasuring() {
        seen.withLock { $0.isMeasuring = false }
        measured.send()
    }

    /// Makes the counters, so that each is present before it counts anything, and a first increase is visible.
    static func makeCounters() {
        for outcome in ["accepted", "repeated"] { _ = notifications(outcome, "") }
        for code in [
            NotificationRefusal.Code.tooLarge, .malformedBody, .untrusted, .untrustedPart, .partsDisagree,
        ] { _ = notifications("refused", code.rawValue) }
        for code in VerificationError.Code.all { _ = notifications("refused", code.rawValue) }
        for code in [NotificationFailure.Code.vault, .revocationUnknown, .handler, .cancelled] {
            _ = notifications("failed", code.rawValue)
        }
        for code in [VaultError.Code.locked, .full, .readOnly, .io, .inDoubt, .corrupt] { _ = writeFailures(code) }
        for limit in ["key", "address"] { _ = limited(limit) }
    }

    private static func notifications(_ outcome: String, _ code: String) -> Counter {
        Counter(label: "storekeeper.notifications", dimensions: [("outcome", outcome), ("code", code)])
    }

    private static func writeFailures(_ code: VaultError.Code) -> Counter {
        Counter(label: "storekeeper.vault.write.failures", dimensions: [("code", code.rawValue)])
    }

    private static func limited(_ limit: String) -> Counter {
        Counter(label: "storekeeper.requests.limited", dimensions: [("by", limit)])
    }

    // MARK: Limits

    /// Counts a request that was refused with 429.
    static func countLimited(_ what: String) {
        limited(what).increment()
    }
}

extension NotificationRefusal {
    /// The code of the verifier's error, which is more specific; if the verifier reported no error, the code of the
    /// refusal.
    var reasonCode: String { cause?.code.rawValue ?? code.rawValue }
}
