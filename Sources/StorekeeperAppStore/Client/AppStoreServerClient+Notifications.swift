public import Storekeeper

extension AppStoreServerClient {
    /// Asks the App Store to send a notification of the type `TEST` to the app's server.
    ///
    /// - Returns: The token with which ``testNotificationStatus(_:in:)`` asks what came of it.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func requestTestNotification(in environment: AppStore.Environment) async throws -> String {
        try await send(.requestTestNotification(), in: environment).value.token
    }

    /// What came of a test notification, verified.
    ///
    /// - Throws: ``AppStoreServerError``, with `unverifiedResponse` where the verifier does not believe the notification;
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

    /// A page of the notifications that the App Store sent or tried to send; their texts are not yet verified.
    ///
    /// - Parameters:
    ///   - filter: Which notifications; the same for each page.
    ///   - paginationToken: That of the page before; `nil` for the first page.
    ///   - environment: Where.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func notificationHistory(
        _ filter: NotificationFilter, paginationToken: String? = nil, in environment: AppStore.Environment
    ) async throws -> NotificationHistoryAnswer {
        try await send(.notificationHistory(filter, paginationToken: paginationToken), in: environment).value
    }
}
