import Synchronization
import Testing

/// The failure of a condition that did not become true in time.
struct ConditionTimeout: Error, CustomStringConvertible {
    let what: Comment
    var description: String { "did not happen in time: \(what)" }
}

/// Waits until other tasks have made a condition true.
///
/// - Throws: ``ConditionTimeout`` after ten minutes, which is enough even on a busy machine; `CancellationError` if the
///   test is cancelled; errors of the condition.
func eventually(_ what: Comment, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw ConditionTimeout(what: what) }
        // The task sleeps, because a task that only yields would occupy a core that other tasks need.
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension Task where Success: Sendable {
    /// Returns the result of the task, and waits for the result at most as long as ``eventually``.
    ///
    /// A task that does not end makes its test fail. A time limit of the test would not be enough, because it cannot
    /// end a task that ignores cancellation.
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
