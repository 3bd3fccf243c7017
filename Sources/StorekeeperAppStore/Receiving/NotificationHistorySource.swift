public import Storekeeper

/// What the App Store has sent, or tried to, to be read again.
///
/// An implementation asks the App Store Server API; nothing it says is believed before the receiver has verified it.
///
/// - SeeAlso: Apple, "App Store Server API: Get Notification History".
public protocol NotificationHistorySource: Sendable {
    /// One page of the history.
    ///
    /// - Parameters:
    ///   - query: What to read; the same for all pages.
    ///   - token: The token of the page before; `nil` for the first page.
    /// - Throws: ``NotificationHistoryTokenExpired`` where the token counts no longer, and the reading has to begin
    ///   anew; anything else where it could not be read now.
    func page(of query: NotificationHistoryQuery, after token: String?) async throws -> NotificationHistoryPage
}

/// Which part of the history to read.
public struct NotificationHistoryQuery: Hashable, Sendable {
    /// From when on, inclusive, in UTC; at most 180 days ago, in the sandbox 30.
    public var from: Instant
    /// Until when, in UTC.
    public var to: Instant
    /// The customer, by one of their transactions; `nil`: all.
    public var transactionID: Transaction.ID?
    /// Whether only what no attempt has delivered is to be read.
    public var onlyFailures: Bool

    /// Makes a query.
    public init(from: Instant, to: Instant, transactionID: Transaction.ID? = nil, onlyFailures: Bool = false) {
        self.from = from
        self.to = to
        self.transactionID = transactionID
        self.onlyFailures = onlyFailures
    }
}

/// A page of the history of notifications.
public struct NotificationHistoryPage: Sendable {
    /// A notification and how sending it went.
    public struct Item: Sendable {
        /// The compact JWS.
        public var signedPayload: String
        /// How sending it went, in the order of the attempts.
        public var attempts: [Attempt]

        /// Makes an item.
        public init(signedPayload: String, attempts: [Attempt] = []) {
            self.signedPayload = signedPayload
            self.attempts = attempts
        }
    }

    /// One attempt to send a notification.
    public struct Attempt: Hashable, Sendable {
        /// When, in UTC.
        public var at: Instant
        /// What came of it, in the App Store's word, such as `SUCCESS` or `TIMED_OUT`.
        public var result: String

        /// Makes an attempt.
        public init(at: Instant, result: String) {
            self.at = at
            self.result = result
        }
    }

    /// The notifications.
    public var items: [Item]
    /// Whether there are more.
    public var hasMore: Bool
    /// With what to ask for the next page; `nil` on the last, and may be there on the last, too.
    public var token: String?

    /// Makes a page.
    public init(items: [Item], hasMore: Bool, token: String?) {
        self.items = items
        self.hasMore = hasMore
        self.token = token
    }
}

/// That the token of a page counts no longer.
public struct NotificationHistoryTokenExpired: Error, Hashable, Sendable {
    /// Makes an error.
    public init() {}
}
