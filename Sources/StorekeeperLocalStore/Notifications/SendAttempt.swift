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
    /// The result.
    package let result: Result

    /// Creates an attempt.
    package init(at: Instant, result: Result) {
        self.at = at
        self.result = result
    }

    var json: JSONText {
        .object(["attemptDate": .integer(at.millisecondsSince1970), "sendAttemptResult": .string(result.rawValue)])
    }
}
