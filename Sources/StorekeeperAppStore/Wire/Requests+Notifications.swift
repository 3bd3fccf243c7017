public import Storekeeper

extension AppStoreServerRequest where Answer == TestNotificationAnswer {
    /// Asks the App Store to send a notification of the type `TEST` to the app's server.
    ///
    /// - SeeAlso: Apple, "App Store Server API: Request a Test Notification".
    public static func requestTestNotification() -> Self {
        Self(
            .requestTestNotification, .post, path: ["inApps", "v1", "notifications", "test"],
            json: { json throws(AppStoreServerError) in try TestNotificationAnswer(json) })
    }
}

extension AppStoreServerRequest where Answer == NotificationRecord {
    /// Asks for the result of a test notification.
    ///
    /// - Parameter token: The token that ``requestTestNotification()`` returned.
    /// - Throws: `invalidRequest` if the token is empty or too long.
    /// - SeeAlso: Apple, "App Store Server API: Get Test Notification Status".
    public static func testNotificationStatus(_ token: String) throws(AppStoreServerError) -> Self {
        Self(
            .testNotificationStatus, .get,
            path: ["inApps", "v1", "notifications", "test", try part(token, "token")],
            json: { json throws(AppStoreServerError) in try NotificationRecord(json) })
    }
}

/// The filter of a request for the history of notifications.
///
/// - SeeAlso: Apple, "App Store Server API: NotificationHistoryRequest".
public struct NotificationFilter: Hashable, Sendable {
    /// The subject that narrows the selection; the App Store accepts only one subject.
    public enum Subject: Hashable, Sendable {
        /// All notifications.
        case all
        /// Notifications of one type, such as `DID_RENEW`, and optionally one subtype.
        case type(String, subtype: String? = nil)
        /// Notifications about the customer who has this transaction.
        case transaction(Transaction.ID)
    }

    /// The start, inclusive; at most 180 days ago in production, and at most 30 days ago in the sandbox.
    public var from: Instant
    /// The end, exclusive.
    public var until: Instant
    /// The subject that narrows the selection.
    public var subject: Subject
    /// Whether only notifications that could not be delivered yet are selected.
    public var onlyFailures: Bool

    /// Creates a filter.
    public init(from: Instant, until: Instant, subject: Subject = .all, onlyFailures: Bool = false) {
        self.from = from
        self.until = until
        self.subject = subject
        self.onlyFailures = onlyFailures
    }

    func json() throws(AppStoreServerError) -> JSONText {
        guard from < until else {
            throw AppStoreServerError(
                .invalidRequest, "the end of the history is not after its start; choose a later end",
                apiCode: .startDateAfterEndDate)
        }
        var members: [String: JSONText] = [
            "startDate": .integer(from.millisecondsSince1970), "endDate": .integer(until.millisecondsSince1970),
        ]
        if onlyFailures { members["onlyFailures"] = .bool(true) }
        switch subject {
        case .all: break
        case .type(let type, let subtype):
            members["notificationType"] = .string(type)
            members["notificationSubtype"] = .text(subtype)
        case .transaction(let id): members["transactionId"] = .string(id.rawValue)
        }
        return .object(members)
    }
}

extension AppStoreServerRequest where Answer == NotificationHistoryAnswer {
    /// Asks for a page of the notifications that the App Store sent or tried to send, with the oldest first.
    ///
    /// - Parameters:
    ///   - filter: The filter that selects the notifications; it must be the same for each page.
    ///   - paginationToken: The token of the previous page; `nil` for the first page.
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "App Store Server API: Get Notification History".
    public static func notificationHistory(
        _ filter: NotificationFilter, paginationToken: String? = nil
    ) throws(AppStoreServerError) -> Self {
        Self(
            .notificationHistory, .post, path: ["inApps", "v1", "notifications", "history"],
            query: paginationToken.map { [QueryParameter("paginationToken", $0)] } ?? [], body: try filter.json(),
            json: { json throws(AppStoreServerError) in try NotificationHistoryAnswer(json) })
    }
}
