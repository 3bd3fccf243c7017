package import Storekeeper

/// The outcome of one attempt to send a request.
enum AttemptOutcome: Sendable {
    /// The server has performed the request; the bytes are the body of its response.
    case answered([UInt8])
    /// The server has not performed the request, or it is unknown whether the server has performed it.
    ///
    /// A failure with `serverIsWell: false` is counted by the circuit breaker.
    case failed(AppStoreServerError, serverIsWell: Bool)

    /// Interprets a response.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the request.
    ///   - expectsBody: Whether the response must have a JSON body; if `false`, the body is ignored.
    ///   - now: The current time, to which a waiting time from the server is added.
    init(_ response: TransportResponse, to endpoint: AppStoreServerEndpoint, expectsBody: Bool, at now: Instant) {
        let status = response.status
        switch status {
        case 200..<300:
            if expectsBody, !Self.isJSON(response) {
                self = .failed(
                    AppStoreServerError(
                        .malformedResponse, "the response is not of the type application/json; is there a proxy?",
                        httpStatus: status, mayHaveBeenDone: true), serverIsWell: true)
            } else {
                self = .answered(response.body)
            }
        case 300..<400:
            self = .failed(
                AppStoreServerError(
                    .malformedResponse,
                    "the server redirects, but tokens are not sent to other servers; check the base URL",
                    httpStatus: status), serverIsWell: true)
        case 401:
            self = .failed(
                AppStoreServerError(
                    .unauthorized,
                    "the App Store refuses the token\(Self.reason(in: response)); check the key id, issuer id, bundle id "
                        + "and this machine's clock",
                    httpStatus: status), serverIsWell: true)
        default:
            self = Self.refusal(response, endpoint, at: now)
        }
    }

    /// Interprets a transport error.
    init(_ error: TransportError) {
        switch error.code {
        case .timedOut:
            self = .failed(
                AppStoreServerError(
                    .deadlineExceeded, "the server did not answer in time", isRetryable: true, mayHaveBeenDone: true,
                    cause: error), serverIsWell: false)
        case .responseTooLarge:
            self = .failed(
                AppStoreServerError(
                    .malformedResponse, "the response is longer than 1 MiB", mayHaveBeenDone: true, cause: error),
                serverIsWell: true)
        default:
            self = .failed(
                AppStoreServerError(
                    .unreachable, "the server cannot be reached: \(error.message)", isRetryable: true,
                    mayHaveBeenDone: error.mayHaveBeenSent, cause: error), serverIsWell: false)
        }
    }

    private static func refusal(
        _ response: TransportResponse, _ endpoint: AppStoreServerEndpoint, at now: Instant
    ) -> AttemptOutcome {
        let status = response.status
        let retryAt = response.value(of: "Retry-After").flatMap { RetryAfter.instant($0, at: now) }
        if let (code, message) = apiError(response.body) {
            let isLimited = code == .rateLimitExceeded || status == 429
            let error = AppStoreServerError(
                isLimited ? .rateLimited : .refused, "the App Store refuses the request with error \(code): \(message)",
                apiCode: code,
                httpStatus: status, retryAt: retryAt, isRetryable: code.isRetryable || isLimited,
                // A retryable error code of the App Store means that the request was not performed.
                mayHaveBeenDone: status >= 500 && !code.isRetryable)
            return .failed(error, serverIsWell: status < 500)
        }
        if status == 429 {
            return .failed(
                AppStoreServerError(
                    .rateLimited, "the server received too many requests\(reason(in: response))", httpStatus: status,
                    retryAt: retryAt, isRetryable: true), serverIsWell: true)
        }
        if status >= 500 {
            return .failed(
                AppStoreServerError(
                    .serverFailure, "the server failed with status \(status)\(reason(in: response))",
                    httpStatus: status, retryAt: retryAt, isRetryable: true, mayHaveBeenDone: true), serverIsWell: false
            )
        }
        return .failed(
            AppStoreServerError(
                .malformedResponse,
                "the server refuses the request with status \(status) and no error code\(reason(in: response)); check "
                    + "the base URL",
                httpStatus: status), serverIsWell: true)
    }

    /// Returns the code and the message of an error object; `nil` if the body is not an error object.
    private static func apiError(_ body: [UInt8]) -> (AppStoreErrorCode, String)? {
        guard let document = try? JSONReader(maximumDepth: 8, maximumSize: 65_536).read(body),
            let code = document.root.object?["errorCode"]?.int64, code != 0
        else { return nil }
        let message = document.root.object?["errorMessage"]?.string ?? "no message"
        return (AppStoreErrorCode(rawValue: code), line(message, maximum: 300))
    }

    /// Returns an untrusted text without line breaks and of a limited length.
    private static func line(_ text: String, maximum: Int) -> String {
        let scalars = text.unicodeScalars.prefix(maximum).map { $0.properties.generalCategory == .control ? " " : $0 }
        var line = ""
        line.unicodeScalars.append(contentsOf: scalars)
        return line.split(separator: " ").joined(separator: " ")
    }

    /// Returns the reason that the body of a response contains as text, such as ` ("Unauthenticated")`.
    ///
    /// A page in HTML, as proxies send it, is left out.
    private static func reason(in response: TransportResponse) -> String {
        guard let text = String(validating: response.body.prefix(4096), as: UTF8.self) else { return "" }
        let line = line(text, maximum: 200)
        return line.isEmpty || line.hasPrefix("<") ? "" : " (\"\(line)\")"
    }

    private static func isJSON(_ response: TransportResponse) -> Bool {
        guard let type = response.value(of: "Content-Type") else { return false }
        let media = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        return media == "application/json"
    }
}

/// The header field `Retry-After` as the App Store uses it.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits"; RFC 9110, "HTTP Semantics".
package enum RetryAfter {
    /// The longest waiting time that a server can request, in milliseconds: one hour.
    ///
    /// The App Store's longest rate limit counts requests per hour. A longer wait is a mistake of a server, and must
    /// not stop requests for days.
    static let longestWait: Int64 = 3_600_000

    /// Returns the instant that a value of the field denotes, at most an hour from now; `nil` if the value is not a
    /// number.
    ///
    /// The App Store sends milliseconds since 1970, although HTTP specifies seconds from now; some proxies send seconds
    /// since 1970. A number of at least 100 billion is read as milliseconds since 1970; as seconds, it would be after
    /// the year 5000. A smaller number of at least a billion is read as seconds since 1970; as a wait, it would be 31
    /// years. Any other number is read as seconds from now.
    package static func instant(_ value: String, at now: Instant) -> Instant? {
        let digits = value.filter { $0 != " " }
        guard let number = Int64(digits), number >= 0 else { return nil }
        let latest = now.adding(milliseconds: longestWait)
        if number >= 100_000_000_000 { return Instant(millisecondsSince1970: number).map { min($0, latest) } }
        if number >= 1_000_000_000 { return Instant(millisecondsSince1970: number * 1000).map { min($0, latest) } }
        return min(now.adding(milliseconds: number * 1000), latest)
    }
}
