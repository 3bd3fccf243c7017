import Storekeeper

/// The circuit breaker that all requests to a server share.
actor CircuitBreaker {
    private var state: CircuitState
    private let clock: any StoreClock

    init(_ rule: CircuitState.Rule, clock: any StoreClock) {
        state = CircuitState(rule)
        self.clock = clock
    }

    /// Asks for permission to send a request.
    ///
    /// - Returns: The number of the current phase, to be passed when the outcome of the request is reported.
    /// - Throws: `suspended` while requests are paused.
    func admit() throws(AppStoreServerError) -> Int {
        switch state.admit(at: clock.now) {
        case .admitted(let phase): return phase
        case .refused(let until):
            throw AppStoreServerError(
                .suspended, "the server failed repeatedly; requests are suspended until \(until)", retryAt: until,
                isRetryable: true)
        }
    }

    /// Reports that the server responded, with success or a refusal.
    func succeed(_ phase: Int) { state.succeed(phase: phase) }

    /// Reports that a request failed because the server failed or could not be reached.
    func fail(_ phase: Int) { state.fail(phase: phase, at: clock.now) }

    /// Reports that a request was abandoned before it had an outcome.
    func abandon(_ phase: Int) { state.abandon(phase: phase, at: clock.now) }
}
