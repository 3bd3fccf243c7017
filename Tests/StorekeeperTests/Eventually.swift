import Synchronization
import Testing

/// The failure of a condition that did not become true in time.
struct ConditionTimeout: Error, CustomStringConvertible {
    let what: Comment
    var description: String { "did not happen in time: \(what)" }
}

/// Waits until a condition holds that other tasks bring about.
///
/// - Throws: ``ConditionTimeout`` after ten minutes, which suffices even on a busy machine, so that the test ends
/// there; `CancellationError` when the test is cancelled; errors of the condition.
func eventually(_ what: Comment, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw ConditionTimeout(what: what) }
        // Sleeps because a task that only yields keeps a core busy that the other tasks need.
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension Task where Success: Sendable {
    /// Returns the result of the task, and waits for it no longer than ``eventually``.
    ///
    /// A task that does not end fails its test. A time limit could not end a task that ignores cancellation.
    func valueInTime() async throws -> Success {
        let outcome = Outcome<Success, Failure>()
        Task<Void, Never> {
            let result = await result
            outcome.result.withLock { $0 = result }
        }
        try await eventually("the task ends") { outcome.result.withLock { $0 != nil } }
        guard let result = outcome.result.withLock({ $0 }) else { throw ConditionTimeout(what: "the task ends") }
        return try result.get()
    }
}

/// Stores the result of a task.
private final class Outcome<Success: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Success, Failure>?>(nil)
}
