import Storekeeper
import StorekeeperDurable

/// A step that waits for a durable transaction.
protocol WaitingStep: AnyObject, Sendable {
    /// The result that the caller receives.
    associatedtype Outcome: Sendable

    /// The continuation of the waiting caller.
    var continuation: CheckedContinuation<Result<Outcome, VaultError>, Never> { get }
    /// The result; `nil` before the step has run.
    ///
    /// The result of a refused step is set before other threads can access the step. The result of a waiting step is
    /// accessed only on the connection's queue.
    var result: Result<Outcome, VaultError>? { get set }

    /// Reads and writes the tables, and returns the step's result.
    func perform(in tables: inout SQLiteTables) throws(VaultError) -> Outcome

    /// Runs the step and stores its result without resuming the caller.
    ///
    /// - Returns: An error if the step failed and its writes must be undone; `nil` if the step succeeded.
    func run(in connection: Connection) -> VaultError?
    /// Replaces the result of the step with an error.
    func fail(with error: VaultError)
    /// Resumes the caller.
    func resume()
}

extension WaitingStep {
    func run(in connection: Connection) -> VaultError? {
        do throws(VaultError) {
            // The cached chains are dropped, because a chain that was just written is rarely written again soon.
            connection.chains.removeAll()
            var tables = SQLiteTables(connection: connection)
            let outcome = try perform(in: &tables)
            // After some errors SQLite ends the transaction. If a step has ignored such an error, the step must not
            // count as written.
            guard connection.isInsideTransaction else {
                throw connection.file.error(code: 10, message: "the transaction ended early")
            }
            result = .success(outcome)
            return nil
        } catch {
            return error
        }
    }

    func fail(with error: VaultError) { result = .failure(error) }

    func resume() {
        let never = VaultError(.io, "the step was not run; report this as an error of the vault")
        continuation.resume(returning: result.take() ?? .failure(never))
    }
}

/// A step that runs a closure.
final class AnyStep<Outcome: Sendable>: WaitingStep {
    let continuation: CheckedContinuation<Result<Outcome, VaultError>, Never>
    // `nonisolated(unsafe)` is safe, because by the rule of the protocol only one thread at a time accesses the result.
    nonisolated(unsafe) var result: Result<Outcome, VaultError>?
    private let body: @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome

    init(
        _ body: @escaping @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome,
        _ continuation: CheckedContinuation<Result<Outcome, VaultError>, Never>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func perform(in tables: inout SQLiteTables) throws(VaultError) -> Outcome { try body(&tables) }
}
