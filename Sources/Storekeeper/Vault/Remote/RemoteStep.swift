import Synchronization

/// A step that waits in a queue, with an outcome of any type.
protocol QueuedStep: AnyObject, Sendable {
    /// The rows that the step will probably read.
    var footprint: Footprint { get }
    /// Runs the step from the start, even if it has run before; a step that fails changes nothing.
    func run(in tables: inout MemoryTables)
    /// Makes the outcome of the last run final.
    ///
    /// - Parameter written: The places of the step's rows; `nil` if nothing was written.
    func finish(_ written: WrittenRows?)
    /// Ends the step with an error of the storage.
    func fail(_ error: VaultError)
}

/// A step that runs on loaded rows, and the outcome of the step.
final class RemoteStep<Outcome: Sendable>: QueuedStep {
    let footprint: Footprint
    private let body: @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    private let state = Mutex<Result<Outcome, VaultError>?>(nil)

    init(
        _ footprint: Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) {
        self.footprint = footprint
        self.body = body
    }

    func run(in tables: inout MemoryTables) {
        let result: Result<Outcome, VaultError>
        do throws(VaultError) {
            result = .success(try body(&tables))
            tables.commitStep()
        } catch {
            result = .failure(error)
            tables.rollBackStep()
        }
        state.withLock { $0 = result }
    }

    func finish(_ written: WrittenRows?) {
        guard let written else { return }
        state.withLock { state in
            // The two casts are separate: if `Outcome` is an optional type, and optional chaining joined the casts, a
            // failed first cast would become the outcome `nil`.
            guard case .success(let outcome)? = state, let placing = outcome as? any PlacedOutcome,
                let placed = placing.placed(by: written) as? Outcome
            else { return }
            state = .success(placed)
        }
    }

    func fail(_ error: VaultError) { state.withLock { $0 = .failure(error) } }

    /// The outcome of the last run; throws `closed` if the step has not run.
    var outcome: Outcome {
        get throws(VaultError) {
            guard let result = state.withLock({ $0 }) else {
                throw VaultError(.closed, "the step was not executed")
            }
            return try result.get()
        }
    }
}
