import Synchronization
import Testing

/// What did not come about in time.
struct NeverHappened: Error, CustomStringConvertible {
    let what: Comment
    var description: String { "did not happen in time: \(what)" }
}

/// Waits until something holds that other tasks bring about.
///
/// - Throws: ``NeverHappened`` after ten minutes, in which even a busy machine has had time, so that a test ends there
///   and does not wait for what builds on it; `CancellationError` when the test is cancelled; what the condition throws.
func eventually(_ what: Comment, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(what: what) }
        // Sleeping, because a task that only gives way keeps a core from those it waits for.
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension Task where Success: Sendable {
    /// What the task brings about, awaited no longer than ``eventually``: a task that does not end fails its test, and
    /// no limit of time could end one that does not hear that it was cancelled.
    func valueInTime() async throws -> Success {
        let outcome = Outcome<Success, Failure>()
        Task<Void, Never> {
            let result = await result
            outcome.result.withLock { $0 = result }
        }
        try await eventually("the task ends") { outcome.result.withLock { $0 != nil } }
        guard let result = outcome.result.withLock({ $0 }) else { throw NeverHappened(what: "the task ends") }
        return try result.get()
    }
}

/// Where a task leaves its result.
private final class Outcome<Success: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Success, Failure>?>(nil)
}
