import Storekeeper
package import StorekeeperJWS

extension Scenario {
    /// Creates the store of the scenario and performs the scenario's steps in the store, without any engine.
    ///
    /// Expectations, and steps about balances and granted access, are skipped.
    ///
    /// - Parameter authority: The authority that signs the store's items; `nil` creates an authority.
    /// - Throws: ``SimulatorError`` if a step is not possible, or refers to the machine's clock; errors of the
    ///   cryptographic library.
    package func makeStore(authority: LocalAuthority?) throws -> SimulatedAppStore {
        let store = try SimulatedAppStore(
            apps: apps, environment: environment, seed: seed, start: start, authority: authority)
        for command in opening { try store.perform(command) }
        for step in steps { try store.perform(step) }
        return store
    }
}

extension SimulatedAppStore {
    /// Performs the commands of a step in the store.
    ///
    /// The step must refer to transactions by id or by product, because the names of purchases are not resolved.
    ///
    /// - Throws: ``SimulatorError`` if the step is not possible, or refers to the machine's clock.
    package func perform(_ step: ScenarioStep) throws(SimulatorError) {
        switch step.action {
        case .perform(let commands):
            for command in commands {
                if case .advance(let instant) = command {
                    try jump(to: instant)
                } else {
                    try perform(command, app: step.app)
                }
            }
        case .answerGuardian(let isYes, let reference):
            let id = try transactionID(of: reference, app: step.app)
            try perform(isYes ? .approveAskToBuy(id) : .declineAskToBuy(id), app: step.app)
        case .advance(let span): try jump(to: span.after(now))
        case .advanceToNextEvent: if let next = nextEvent { try jump(to: next) }
        case .advanceToNow:
            throw SimulatorError(.invalidAction, "'advance to: now' cannot be repeated; write the time")
        case .spend, .grant, .grantAccess, .revokeAccess, .expect: break
        }
    }

    /// Advances the store's time to an instant.
    ///
    /// If one command would cause too many events, advances from event to event.
    private func jump(to instant: Instant) throws(SimulatorError) {
        do throws(SimulatorError) {
            return try advance(to: instant)
        } catch {
            guard error.code == .tooManyEvents else { throw error }
        }
        while let next = nextEvent, next < instant { try advance(to: next) }
        try advance(to: instant)
    }
}
