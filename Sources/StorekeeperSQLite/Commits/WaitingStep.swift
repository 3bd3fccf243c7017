import Storekeeper

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
    func run(in session: Session) -> VaultError?
    /// Keeps an error in place of any outcome.
    func keep(_ error: VaultError)
    /// Tells the caller.
    func resume()
}

extension WaitingStep {
    func run(in session: Session) -> VaultError? {
        do throws(VaultError) {
            // A chain that was written is rarely written again soon.
            session.chains.removeAll()
            var tables = SQLiteTables(session: session)
            let outcome = try perform(in: &tables)
            // After some errors SQLite ends the transaction; a step that passed over one must not count as written.
            guard session.isInsideTransaction else {
                throw session.file.error(code: 10, message: "the transaction ended early")
            }
            result = .success(outcome)
            return nil
        } catch {
            return error
        }
    }

    func keep(_ error: VaultError) { result = .failure(error) }

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

/// A batch to be written.
final class BatchStep: WaitingStep {
    let continuation: CheckedContinuation<Result<CommitOutcome, VaultError>, Never>
    // Safe though unchecked: by the rule of the protocol one thread after another touches it.
    nonisolated(unsafe) var result: Result<CommitOutcome, VaultError>?
    private let batch: PreparedBatch
    private let rows: [PreparedFact]

    init(
        _ batch: PreparedBatch, rows: [PreparedFact],
        _ continuation: CheckedContinuation<Result<CommitOutcome, VaultError>, Never>
    ) {
        self.batch = batch
        self.rows = rows
        self.continuation = continuation
    }

    func perform(in tables: inout SQLiteTables) throws(VaultError) -> CommitOutcome {
        tables.prepared = rows[...]
        return try VaultRules.commit(batch, to: &tables)
    }
}

/// Requests to be carried out.
final class MoveStep: WaitingStep {
    let continuation: CheckedContinuation<Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>, Never>
    // Safe though unchecked: by the rule of the protocol one thread after another touches it.
    nonisolated(unsafe) var result: Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>?
    private let requests: [LedgerRequest]
    private let policy: RefundPolicy

    init(
        _ requests: [LedgerRequest], policy: RefundPolicy,
        _ continuation: CheckedContinuation<Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>, Never>
    ) {
        self.requests = requests
        self.policy = policy
        self.continuation = continuation
    }

    func perform(in tables: inout SQLiteTables) throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try VaultRules.move(requests, policy: policy, in: &tables)
    }
}
