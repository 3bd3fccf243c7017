public import Storekeeper

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
