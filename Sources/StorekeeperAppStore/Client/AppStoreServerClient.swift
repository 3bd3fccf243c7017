public import Storekeeper

/// A client of the App Store Server API.
///
/// A call respects the App Store's rate limits, is retried if that may help, and ends by its deadline. A response is
/// compared with its request. Signed texts in it must be verified by the caller; for responses with a single fact the
/// client does so. May be used from many tasks at once.
///
/// - SeeAlso: Apple, "App Store Server API".
public final class AppStoreServerClient: Sendable {
    /// A response and the environment it came from.
    public struct Located<Value: Sendable>: Sendable {
        /// The response.
        public let value: Value
        /// The environment of the server that sent it.
        public let environment: AppStore.Environment
    }

    /// The settings of the client.
    public let configuration: AppStoreServerConfiguration
    let verifier: any TransactionVerifier
    private let clock: any StoreClock
    private let telemetry: ClientTelemetry
    private let runners: [RequestRunner]

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The app, the servers, and the limits.
    ///   - key: The key that signs the tokens.
    ///   - verifier: Verifies signed texts; it must accept the environments of the servers.
    ///   - transport: The HTTP transport.
    ///   - limiter: The rate limiter, one for all clients of a process. `nil` makes one.
    ///   - clock: The clock.
    ///   - telemetry: Receives logs, metrics and spans.
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
            limiter: limiter ?? RateLimiter(clock: clock), slots: AsyncSemaphore(max(configuration.concurrency, 1)),
            clock: clock, telemetry: telemetry)
        runners = configuration.lookup.hosts.map { RequestRunner($0, configuration, parts) }
    }

    /// The environments that are asked, in order.
    public var environments: [AppStore.Environment] { runners.map(\.host.environment) }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: The environment to ask; `nil` asks the first server, and if that does not know the transaction,
    ///     the second.
    /// - Returns: The response. Signed texts in it are not yet verified.
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
            // Only the definite response that the transaction does not exist leads to the second server: after a
            // failure the sandbox could answer for a customer of production.
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
