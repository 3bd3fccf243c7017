public import Storekeeper

/// The App Store's own history of notifications, for one environment.
///
/// - SeeAlso: Apple, "App Store Server API: Get Notification History".
public struct AppStoreNotificationHistory: NotificationHistorySource {
    private let client: AppStoreServerClient
    private let environment: AppStore.Environment

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - client: The client of the App Store Server API.
    ///   - environment: The environment of the notifications; each environment has a separate history.
    public init(_ client: AppStoreServerClient, in environment: AppStore.Environment) {
        self.client = client
        self.environment = environment
    }

    /// Returns one page of the history.
    ///
    /// - Throws: ``NotificationHistoryTokenExpired``, ``AppStoreServerError``, `CancellationError`.
    public func page(of query: NotificationHistoryQuery, after token: String?) async throws -> NotificationHistoryPage {
        let filter = NotificationFilter(
            from: query.from, until: query.to, subject: query.transactionID.map { .transaction($0) } ?? .all,
            onlyFailures: query.onlyFailures)
        let answer: NotificationHistoryAnswer
        do {
            answer = try await client.notificationHistory(filter, paginationToken: token, in: environment)
        } catch let error as AppStoreServerError where error.apiCode == .paginationTokenExpired {
            throw NotificationHistoryTokenExpired()
        }
        return NotificationHistoryPage(
            items: answer.notifications.map { record in
                NotificationHistoryPage.Item(
                    signedPayload: record.signedPayload,
                    attempts: record.sendAttempts.map {
                        NotificationHistoryPage.Attempt(at: $0.at, result: $0.result.rawValue)
                    })
            }, hasMore: answer.hasMore, token: answer.paginationToken)
    }
}
