import Storekeeper
import StorekeeperDurable

/// A step that waits for a durable transaction.
protocol WaitingStep: AnyObject, Sendable {
    /// What its caller is told.
    associatedtype Outcome: Sendable

    /// Who waits for it.
    var continuation: CheckedContinuation<Result<Outcome, VaultError>, Never> { get }
    /// What came of it; `nil` before it has run.
    ///
    /// Whoever refuses a step sets it before anybody else has the step; of a step that waits it is touched on the
    /// connection's queue only.
    var result: Result<Outcome, VaultError>? { get set }

    /// Reads and writes.
    func perform(in tables: inout SQLiteTables) throws(VaultError) -> Outcome

    /// Performs it and keeps its outcome; nobody is told yet.
    ///
    /// - Returns: Why what it wrote must be undone.
    func run(in connection: Connection) -> VaultError?
    /// Keeps an error in place of any outcome.
    func fail(with error: VaultError)
    /// Tells the caller.
    func resume()
}

extension WaitingStep {
    func run(in connection: Connection) -> VaultError? {
        do throws(VaultError) {
            // A chain that was written is rarely written again soon.
            connection.chains.removeAll()
            var tables = SQLiteTables(connection: connection)
            let outcome = try perform(in: &tables)
            // After some errors SQLite ends the transaction; a step that passed over one must not count as written.
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

/// A step of any kind.
final class AnyStep<Outcome: Sendable>: WaitingStep {
    let continuation: CheckedContinuation<Result<Outcome, VaultError>, Never>
    // Safe though unchecked: by the rule of the protocol one thread after another touches it.
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
