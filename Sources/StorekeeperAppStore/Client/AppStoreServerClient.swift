public import Storekeeper

/// Asks the App Store about an app's customers.
///
/// A call is made at the App Store's pace, made again where that may help, and answered within its deadline. An answer is
/// compared with what was asked for; what is signed in it counts only after the caller's verifier has seen it, which for
/// answers of one fact the client sees to. May be used from many tasks at once.
///
/// - SeeAlso: Apple, "App Store Server API".
public final class AppStoreServerClient: Sendable {
    /// An answer and where it came from.
    public struct Located<Value: Sendable>: Sendable {
        /// The answer.
        public let value: Value
        /// The environment of the server that gave it.
        public let environment: AppStore.Environment
    }

    /// How the client behaves.
    public let configuration: AppStoreServerConfiguration
    let verifier: any TransactionVerifier
    private let clock: any StoreClock
    private let telemetry: ClientTelemetry
    private let runners: [RequestRunner]

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - configuration: The app, the servers, and how to behave.
    ///   - key: Signs the tokens.
    ///   - verifier: Says which signed texts are believed; it must accept the environments of the servers.
    ///   - transport: Carries the requests.
    ///   - limiter: Keeps the App Store's rates; one for all clients of a process. `nil` makes one.
    ///   - clock: The time.
    ///   - telemetry: Where to tell what is done.
    public init(
        _ configuration: AppStoreServerConfiguration, key: AppStoreKey, verifier: any TransactionVerifier,
        transport: any HTTPTransport, limiter: RateLimiter? = nil, clock: any StoreClock = WallClock(),
        telemetry: ClientTelemetry = ClientTelemetry()
    ) {
        self.configuration = configuration
        self.verifier = verifier
        self.clock = clock
        self.telemetry = telemetry
        let parts = RequestRunner.Parts(
            transport: transport, tokens: BearerTokens(key: key, bundleID: configuration.bundleID, clock: clock),
            limiter: limiter ?? RateLimiter(clock: clock), slots: Slots(max(configuration.concurrency, 1)),
            clock: clock, telemetry: telemetry)
        runners = configuration.lookup.hosts.map { RequestRunner($0, configuration, parts) }
    }

    /// The environments that are asked, in order.
    public var environments: [AppStore.Environment] { runners.map(\.host.environment) }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - environment: The environment where it is; `nil`: the first server's, and where that does not know the
    ///     transaction, the other's.
    /// - Returns: The answer. Signed texts in it are not yet verified.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func send<Answer>(
        _ request: AppStoreServerRequest<Answer>, in environment: AppStore.Environment? = nil
    ) async throws -> Located<Answer> {
        let end = clock.now.advanced(by: configuration.deadline)
        let candidates = runners.filter { environment == nil || $0.host.environment == environment }
        guard let first = candidates.first else {
            throw AppStoreServerError(
                .noHost, "no server is set for \(environment?.rawValue ?? "any environment"); add one to the lookup")
        }
        do {
            return try await send(request, by: first, until: end)
        } catch let error as AppStoreServerError {
            // Nothing but the plain statement that there is no such transaction leads elsewhere: after a failure the
            // sandbox could answer for a customer of production.
            guard error.apiCode == .transactionIDNotFound, request.endpoint.isBoundToEnvironment,
                let second = candidates.dropFirst().first
            else { throw error }
            return try await send(request, by: second, until: end)
        }
    }

    private func send<Answer>(
        _ request: AppStoreServerRequest<Answer>, by runner: RequestRunner, until end: Instant
    ) async throws -> Located<Answer> {
        let environment = runner.host.environment
        return try await telemetry.spanning(request.endpoint, environment) {
            Located(value: try await runner.send(request, until: end), environment: environment)
        }
    }
}
