public import Storekeeper

/// One attempt of the App Store to deliver a notification.
///
/// - SeeAlso: Apple, "App Store Server API: sendAttemptItem".
public struct SendAttempt: Hashable, Sendable {
    /// The time of the attempt.
    public let at: Instant
    /// The result.
    public let result: SendAttemptResult

    init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
        guard let at = try reader.instant("attemptDate") else {
            throw AppStoreServerError(.malformedResponse, "an attempt to deliver a notification has no attemptDate")
        }
        self.at = at
        result = SendAttemptResult(rawValue: try reader.requiredText("sendAttemptResult"))
    }
}

/// A notification that the App Store sent or tried to send.
///
/// - SeeAlso: Apple, "App Store Server API: notificationHistoryResponseItem", "CheckTestNotificationResponse".
public struct NotificationRecord: Hashable, Sendable {
    /// The compact JWS of the notification, not yet verified.
    public let signedPayload: String
    /// The attempts to deliver the notification, at most six.
    public let sendAttempts: [SendAttempt]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
        signedPayload = try reader.requiredText("signedPayload")
        sendAttempts = try reader.objects("sendAttempts") { item throws(AppStoreServerError) in
            try SendAttempt(&item)
        }
        unknownMembers = reader.unknownMembers
    }

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        try self.init(&reader)
    }
}

/// One page of the notifications that the App Store sent or tried to send.
///
/// - SeeAlso: Apple, "App Store Server API: NotificationHistoryResponse".
public struct NotificationHistoryAnswer: Hashable, Sendable {
    /// The notifications, at most 20.
    public let notifications: [NotificationRecord]
    /// Whether another page follows; the last page may also have a ``paginationToken``.
    public let hasMore: Bool
    /// The token of the next page.
    public let paginationToken: String?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        notifications = try reader.objects("notificationHistory") { item throws(AppStoreServerError) in
            try NotificationRecord(&item)
        }
        hasMore = try reader.requiredBool("hasMore")
        paginationToken = try reader.text("paginationToken")
        unknownMembers = reader.unknownMembers
    }
}

/// The token of a requested test notification.
///
/// - SeeAlso: Apple, "App Store Server API: SendTestNotificationResponse".
public struct TestNotificationAnswer: Hashable, Sendable {
    /// The token with which the status of the notification is requested.
    public let token: String

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        token = try reader.requiredText("testNotificationToken")
    }
}
