public import FoundationEssentials
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

extension AppStoreServerClient {
    /// Asks the App Store to send a notification of the type `TEST` to the app's server.
    ///
    /// - Returns: The token with which ``testNotificationStatus(_:in:)`` asks for the result.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func requestTestNotification(in environment: AppStore.Environment) async throws -> String {
        try await send(.requestTestNotification(), in: environment).value.token
    }

    /// Returns the result of a test notification, verified.
    ///
    /// - Throws: ``AppStoreServerError``, with `unverifiedResponse` if the verifier does not trust the notification;
    ///   `CancellationError`.
    public func testNotificationStatus(
        _ token: String, in environment: AppStore.Environment
    ) async throws -> (notification: ServerNotification, sendAttempts: [SendAttempt]) {
        let answer = try await send(.testNotificationStatus(token), in: environment)
        guard case .notification(let result) = verifier.verify(answer.value.signedPayload) else {
            throw Self.unverified(verifier.verify(answer.value.signedPayload).error, "notification")
        }
        let notification = try Self.verified(result, "notification")
        try match(notification.bundleID ?? "", notification.environment, with: answer.environment)
        return (notification, answer.value.sendAttempts)
    }

    /// Returns a page of the notifications that the App Store sent or tried to send, not yet verified.
    ///
    /// - Parameters:
    ///   - filter: The filter that selects the notifications; it must be the same for each page.
    ///   - paginationToken: The token of the previous page; `nil` for the first page.
    ///   - environment: The environment of the notifications.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func notificationHistory(
        _ filter: NotificationFilter, paginationToken: String? = nil, in environment: AppStore.Environment
    ) async throws -> NotificationHistoryAnswer {
        try await send(.notificationHistory(filter, paginationToken: paginationToken), in: environment).value
    }
}

/// Groups and seats of multi-seat purchases, which so far exist in the sandbox only.
extension AppStoreServerClient {
    /// Returns the number of seats and the seat claims of a multi-seat subscription.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func seatInfo(
        of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws -> SeatInfo {
        try await send(.seatInfo(originalID), in: environment).value
    }

    /// Claims a seat for a member, and returns the id of the claim.
    ///
    /// - Parameters:
    ///   - originalID: The original transaction id of the subscription.
    ///   - requestIdentifier: An id of your choice, which must be the same for each attempt to claim the same seat.
    ///   - appTransactionID: The app transaction id of the member, if it is known.
    ///   - environment: The environment of the subscription.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func claimSeat(
        of originalID: Transaction.ID, requestIdentifier: UUID, appTransactionID: String? = nil,
        in environment: AppStore.Environment
    ) async throws -> UUID {
        try await send(
            .claimSeat(originalID, requestIdentifier: requestIdentifier, appTransactionID: appTransactionID),
            in: environment
        ).value
    }

    /// Releases a claimed seat.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func unclaimSeat(
        _ claim: UUID, of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.unclaimSeat(claim, of: originalID), in: environment)
    }

    /// Tells the App Store which customer occupies a claimed seat.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func associateSeat(
        _ claim: UUID, of originalID: Transaction.ID, appTransactionID: String, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.associateSeat(claim, of: originalID, appTransactionID: appTransactionID), in: environment)
    }

    /// Returns the groups of a customer, who is identified by a transaction id or by the app transaction id.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func customerGroups(
        of appTransactionID: String, in environment: AppStore.Environment
    ) async throws -> [CustomerGroup] {
        try await send(.customerGroups(appTransactionID), in: environment).value
    }

    /// Returns a page of the members of a group.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func groupMembers(
        of groupID: String, limit: Int? = nil, paginationToken: String? = nil, in environment: AppStore.Environment
    ) async throws -> GroupMembersAnswer {
        try await send(.groupMembers(groupID, limit: limit, paginationToken: paginationToken), in: environment).value
    }
}

extension AppStoreServerClient {
    /// Returns the status of each of a customer's subscriptions; the signed texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - statuses: The statuses of the subscriptions to return; empty for all.
    ///   - environment: The environment of the transaction; if it is `nil`, the servers are tried in order.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func statuses(
        of id: String, only statuses: [SubscriptionStatusCode] = [], in environment: AppStore.Environment? = nil
    ) async throws -> StatusAnswer {
        let answer = try await send(.statuses(id, only: statuses), in: environment)
        try matchApp(answer.value.appAppleID)
        return answer.value
    }

    /// Extends the current period of one subscription.
    ///
    /// If the response is lost, the request is not retried, because a second extension would add more days. In that
    /// case, check the subscription's renewal info.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func extend(
        _ originalID: Transaction.ID, by change: RenewalExtension, in environment: AppStore.Environment
    ) async throws -> ExtensionAnswer {
        try await send(.extend(originalID, by: change), in: environment).value
    }

    /// Extends the current periods of all active subscriptions to a product.
    ///
    /// ``massExtendStatus(_:requestIdentifier:in:)`` returns the result. If the response is lost, the request is not
    /// retried; in that case, ask for the status.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtend(
        _ productID: Product.ID, by change: RenewalExtension, storefronts: [String]? = nil,
        in environment: AppStore.Environment
    ) async throws -> MassExtensionAnswer {
        try await send(.massExtend(productID, by: change, in: storefronts), in: environment).value
    }

    /// Returns the progress of an extension of all subscriptions to a product.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtendStatus(
        _ productID: Product.ID, requestIdentifier: String, in environment: AppStore.Environment
    ) async throws -> MassExtensionStatus {
        try await send(.massExtendStatus(productID, requestIdentifier: requestIdentifier), in: environment).value
    }
}
