/// The App Store's status of a subscription.
///
/// - SeeAlso: Apple, "App Store Server API: status".
public struct SubscriptionStatusCode: RawRepresentable, Hashable, Sendable {
    /// The number that the App Store uses.
    public let rawValue: Int64
    /// Creates a value from a number, even if no constant exists for it.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The subscription is active.
    public static let active = Self(rawValue: 1)
    /// The subscription has expired.
    public static let expired = Self(rawValue: 2)
    /// The App Store retries the payment.
    public static let billingRetry = Self(rawValue: 3)
    /// The App Store retries the payment, and the customer has access in the meantime.
    public static let gracePeriod = Self(rawValue: 4)
    /// The App Store has revoked the subscription.
    public static let revoked = Self(rawValue: 5)
}

/// The reason for an extension of subscriptions.
///
/// - SeeAlso: Apple, "App Store Server API: extendReasonCode".
public struct ExtendReason: RawRepresentable, Hashable, Sendable {
    /// The number that the App Store uses.
    public let rawValue: Int64
    /// Creates a value from a number, even if no constant exists for it.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The app states no reason.
    public static let undeclared = Self(rawValue: 0)
    /// The extension is for the satisfaction of the customer.
    public static let customerSatisfaction = Self(rawValue: 1)
    /// The reason is not one of the other values.
    public static let other = Self(rawValue: 2)
    /// The service was interrupted.
    public static let serviceIssue = Self(rawValue: 3)
}

/// The result of looking up an order id.
///
/// - SeeAlso: Apple, "App Store Server API: OrderLookupStatus".
public struct OrderLookupStatus: RawRepresentable, Hashable, Sendable {
    /// The number that the App Store uses.
    public let rawValue: Int64
    /// Creates a value from a number, even if no constant exists for it.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The order contains purchases of the app.
    public static let valid = Self(rawValue: 0)
    /// The order is unknown, or belongs to another app.
    public static let invalid = Self(rawValue: 1)
}

/// The result of an attempt to deliver a notification.
///
/// - SeeAlso: Apple, "App Store Server API: sendAttemptResult".
public struct SendAttemptResult: RawRepresentable, Hashable, Sendable {
    /// The value as the App Store spells it.
    public let rawValue: String
    /// Creates a value from a raw value, even if no constant exists for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server accepted the notification.
    public static let success = Self(rawValue: "SUCCESS")
    /// The server did not answer in time.
    public static let timedOut = Self(rawValue: "TIMED_OUT")
    /// A secure connection could not be established.
    public static let tlsIssue = Self(rawValue: "TLS_ISSUE")
    /// The server's redirects formed a loop.
    public static let circularRedirect = Self(rawValue: "CIRCULAR_REDIRECT")
    /// The server did not respond.
    public static let noResponse = Self(rawValue: "NO_RESPONSE")
    /// The connection failed.
    public static let socketIssue = Self(rawValue: "SOCKET_ISSUE")
    /// The response was in a character set that the App Store does not support.
    public static let unsupportedCharset = Self(rawValue: "UNSUPPORTED_CHARSET")
    /// The response could not be read.
    public static let invalidResponse = Self(rawValue: "INVALID_RESPONSE")
    /// The server closed the connection before the response was complete.
    public static let prematureClose = Self(rawValue: "PREMATURE_CLOSE")
    /// The server responded with a status other than success.
    public static let unsuccessfulStatus = Self(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// The attempt failed for another reason.
    public static let other = Self(rawValue: "OTHER")
}
