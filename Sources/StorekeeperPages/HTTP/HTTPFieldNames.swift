package import HTTPTypes

extension HTTPField.Name {
    /// The request and response header with the id of the request.
    package static let requestID = constant("X-Request-Id")
    /// The header with the idempotency key of a ledger request.
    package static let idempotencyKey = constant("Idempotency-Key")
    /// The header with the cursor from which a client resumes server-sent events.
    package static let lastEventID = constant("Last-Event-ID")
    /// The header with which a browser reports whether a request comes from a page of the same site.
    package static let secFetchSite = constant("Sec-Fetch-Site")
    /// The header with which a proxy reports the scheme that a browser uses.
    package static let forwardedScheme = constant("X-Forwarded-Proto")
    /// The header that isolates a page from the windows of other sites.
    package static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
    /// The header that limits the information about a page that a browser sends when a user follows a link.
    package static let referrerPolicy = constant("Referrer-Policy")

    /// Creates a name from a literal, which must be a valid field name.
    ///
    /// For an invalid literal the result is `If-Match`; a test detects this mistake.
    private static func constant(_ literal: StaticString) -> HTTPField.Name {
        HTTPField.Name(literal.description) ?? .ifMatch
    }
}
