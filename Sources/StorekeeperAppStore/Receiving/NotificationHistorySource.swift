public import Storekeeper

/// A history of the notifications that the App Store has sent or tried to send.
///
/// An implementation asks the App Store Server API; the receiver verifies each notification that the history returns.
///
/// - SeeAlso: Apple, "App Store Server API: Get Notification History".
public protocol NotificationHistorySource: Sendable {
    /// Returns one page of the history.
    ///
    /// - Parameters:
    ///   - query: The period and the filters of the notifications to read, the same for all pages.
    ///   - token: The token of the previous page; `nil` for the first page.
    /// - Throws: ``NotificationHistoryTokenExpired`` if the token has expired, so that reading has to start again at
    ///   the first page; any other error if the page could not be read now.
    func page(of query: NotificationHistoryQuery, after token: String?) async throws -> NotificationHistoryPage
}

/// The period and the filters of the notifications to read.
public struct NotificationHistoryQuery: Hashable, Sendable {
    /// The start of the period, inclusive, in UTC; at most 180 days ago in production, and at most 30 days ago in the
    /// sandbox.
    public var from: Instant
    /// The end of the period, in UTC.
    public var to: Instant
    /// A transaction of the customer whose notifications are read; `nil` for all customers.
    public var transactionID: Transaction.ID?
    /// Whether to read only notifications that were never delivered.
    public var onlyFailures: Bool

    /// Creates a query.
    public init(from: Instant, to: Instant, transactionID: Transaction.ID? = nil, onlyFailures: Bool = false) {
        self.from = from
        self.to = to
        self.transactionID = transactionID
        self.onlyFailures = onlyFailures
    }
}

/// A page of the history of notifications.
public struct NotificationHistoryPage: Sendable {
    /// A notification and the attempts to send it.
    public struct Item: Sendable {
        /// The notification as compact JWS.
        public var signedPayload: String
        /// The attempts to send the notification, in the order of the App Store's response.
        public var attempts: [Attempt]

        /// Creates an item.
        public init(signedPayload: String, attempts: [Attempt] = []) {
            self.signedPayload = signedPayload
            self.attempts = attempts
        }
    }

    /// One attempt to send a notification.
    public struct Attempt: Hashable, Sendable {
        /// The time of the attempt, in UTC.
        public var at: Instant
        /// The result, as the App Store spells it, such as `SUCCESS` or `TIMED_OUT`.
        public var result: String

        /// Creates an attempt.
        public init(at: Instant, result: String) {
            self.at = at
            self.result = result
        }
    }

    /// The notifications.
    public var items: [Item]
    /// Whether more pages follow.
    public var hasMore: Bool
    /// The token for the next page; the last page may or may not have a token.
    public var token: String?

    /// Creates a page.
    public init(items: [Item], hasMore: Bool, token: String?) {
        self.items = items
        self.hasMore = hasMore
        self.token = token
    }
}

/// The error of a history source when the token of a page has expired.
public struct NotificationHistoryTokenExpired: Error, Hashable, Sendable {
    /// Creates an error.
    public init() {}
}
