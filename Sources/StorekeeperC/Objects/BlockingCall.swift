import Dispatch
import Synchronization

/// Waits in a thread of the caller for work that runs on Swift's executor.
///
/// Callers never call the library in a thread of the executor, because the library does not call them there: results come
/// through queues, and a backend is called in a separate thread. The work therefore never waits for its own thread.
enum BlockingCall {
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs work and returns its result when it is done.
    static func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            outcome.value.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.value.withLock({ $0 }) else {
            throw Failure(.internalError, "noResult", "a call has ended without a result; report it")
        }
        return try failing { try result.get() }
    }
}
