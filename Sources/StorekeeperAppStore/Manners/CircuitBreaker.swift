import Storekeeper

/// The state of a server that all requests to it share.
actor CircuitBreaker {
    private var state: CircuitState
    private let clock: any StoreClock

    init(_ rule: CircuitState.Rule, clock: any StoreClock) {
        state = CircuitState(rule)
        self.clock = clock
    }

    /// Asks to send a request.
    ///
    /// - Returns: The phase to report with.
    /// - Throws: `suspended` where nothing is sent for a while.
    func admit() throws(AppStoreServerError) -> Int {
        switch state.admit(at: clock.now) {
        case .admitted(let phase): return phase
        case .refused(let until):
            throw AppStoreServerError(
                .suspended, "the server has failed so often that nothing is sent to it until \(until)", retryAt: until,
                isRetryable: true)
        }
    }

    /// Reports that the server has answered.
    func succeed(_ phase: Int) { state.succeed(phase: phase) }

    /// Reports that the server is out of order.
    func fail(_ phase: Int) { state.fail(phase: phase, at: clock.now) }

    /// Reports that a request was given up before anything came of it.
    func abandon(_ phase: Int) { state.abandon(phase: phase, at: clock.now) }
}
