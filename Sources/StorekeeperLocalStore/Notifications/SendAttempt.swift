package import Storekeeper

/// An attempt to send a notification.
///
/// - SeeAlso: Apple, "App Store Server API: sendAttemptItem".
package struct SendAttempt: Hashable, Sendable {
    /// The result of an attempt, as Apple's API names it.
    package enum Result: String, Hashable, Sendable, CaseIterable {
        case success = "SUCCESS"
        case timedOut = "TIMED_OUT"
        case tlsIssue = "TLS_ISSUE"
        case circularRedirect = "CIRCULAR_REDIRECT"
        case noResponse = "NO_RESPONSE"
        case socketIssue = "SOCKET_ISSUE"
        case unsupportedCharset = "UNSUPPORTED_CHARSET"
        case invalidResponse = "INVALID_RESPONSE"
        case prematureClose = "PREMATURE_CLOSE"
        case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case other = "OTHER"
    }

    /// The instant of the attempt, on the simulated clock.
    package let at: Instant
    /// The result, with the response of the app's server.
    package let response: WebhookResponse
    /// The result.
    package var result: Result { response.result }

    /// Creates an attempt.
    package init(at: Instant, response: WebhookResponse) {
        self.at = at
        self.response = response
    }
}

extension SendAttempt: JSONShaped {
    package static let shape = JSONShape<SendAttempt>([
        .member("attemptDate", "Milliseconds since 1970.") { $0.at.millisecondsSince1970 },
        .member("sendAttemptResult") { $0.result.rawValue },
    ])
}

/// The result of an attempt to send a notification, with the response of the app's server.
package struct WebhookResponse: Hashable, Sendable {
    /// The result.
    package let result: SendAttempt.Result
    /// The status of the response; `nil` if no complete response arrived.
    package var status: Int?
    /// The time until the response was complete, in milliseconds.
    package var milliseconds: Int?
    /// The beginning of the response's body; `nil` if no complete response arrived in this process.
    package var body: String?

    /// Creates the result of an attempt to which no complete response arrived.
    package init(_ result: SendAttempt.Result) { self.result = result }
}
