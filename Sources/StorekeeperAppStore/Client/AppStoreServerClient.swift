public import Storekeeper

/// A client of the App Store Server API.
///
/// A call respects the App Store's rate limits, retries a failed request if a retry may succeed, and ends by its
/// deadline. The client checks that a response is about the app, environment and transaction of its request. A function
/// that returns a fact, such as ``transaction(_:in:)``, verifies the fact. The caller must verify the signed texts in
/// other responses. A client may be used from many tasks at once.
///
/// - SeeAlso: Apple, "App Store Server API".
public final class AppStoreServerClient: Sendable {
    /// A response and the environment of the server that sent it.
    public struct Located<Value: Sendable>: Sendable {
        /// The response.
        public let value: Value
        /// The environment of the server that sent the response.
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
    ///   - limiter: The rate limiter, which all clients of a process should share. `nil` creates a separate limiter for
    ///     this client.
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

    /// The environments of the servers, in the order in which the client asks the servers.
    public var environments: [AppStore.Environment] { runners.map(\.host.environment) }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: The environment to ask. If it is `nil`, the first server is asked, and the second server if the
    ///     first one does not have the transaction.
    /// - Returns: The response. Signed texts in the response are not yet verified.
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
            // The second server is asked only if the first server has responded that the transaction does not exist.
            // After any other failure, the transaction may exist in production, so the sandbox is not asked.
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
