public import Storekeeper

/// The error of a request to the App Store that has failed or could not be sent.
public struct AppStoreServerError: Error, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The App Store refuses the request, for the reason in ``AppStoreServerError/apiCode``.
        ///
        /// Remedy: Look up the number in the message in Apple's list of error codes.
        public static let refused = Code(rawValue: "refused")
        /// The App Store does not accept the key, the issuer id, or the time of this machine.
        ///
        /// Remedy: Check the key, its id, the issuer id, and the clock; a new key works after a few minutes.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The rate limit is exhausted; ``AppStoreServerError/retryAt`` is the time of the next permitted request.
        ///
        /// Remedy: Wait until the time in the message.
        public static let rateLimited = Code(rawValue: "rateLimited")
        /// The server cannot be reached, or the connection broke.
        ///
        /// Remedy: Check the network and the proxy, and try again.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The response was not received within the time limit of a request, or before the deadline of the call.
        ///
        /// Remedy: Try again, or permit more time.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The server failed without stating a reason.
        ///
        /// Remedy: Try again later.
        public static let serverFailure = Code(rawValue: "serverFailure")
        /// Requests are paused after too many consecutive failures.
        ///
        /// Remedy: Wait; requests continue by themselves.
        public static let suspended = Code(rawValue: "suspended")
        /// The response is not a valid response of the App Store: its status or type is unexpected, its JSON is
        /// invalid, a member is missing, or the response is too long.
        ///
        /// Remedy: Try again; check a proxy that changes responses.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The response is about another app, environment or transaction than the request.
        ///
        /// Remedy: Check the id, the bundle id and the environment.
        public static let mismatchedResponse = Code(rawValue: "mismatchedResponse")
        /// A history repeats a page or has too many pages.
        ///
        /// Remedy: Try again; report it if it remains.
        public static let endlessHistory = Code(rawValue: "endlessHistory")
        /// The response contains evidence that the verifier does not trust.
        ///
        /// Remedy: Check the root; a local App Store needs its own.
        public static let unverifiedResponse = Code(rawValue: "unverifiedResponse")
        /// The request is invalid, and was not sent.
        ///
        /// Remedy: Correct the request as the message says.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The customer has not consented to sending the data, so the data was not sent.
        ///
        /// Remedy: Ask the customer for consent first.
        public static let consentMissing = Code(rawValue: "consentMissing")
        /// No server is set for the environment.
        ///
        /// Remedy: Accept only environments that have a server, or name one.
        public static let noHost = Code(rawValue: "noHost")
        /// The base URL of a server is not accepted, or a trusted certificate is not valid.
        ///
        /// Remedy: Use https, or http on this machine.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// The key is not a P-256 private key in PKCS #8, or the key id or the issuer id is missing.
        ///
        /// Remedy: Use the `.p8` file of an in-app purchase key, with its key id and issuer id.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// A token or an offer could not be signed.
        ///
        /// Remedy: Check the key.
        public static let signingFailed = Code(rawValue: "signingFailed")
        /// Updates were dropped before they were read; read the customers' histories instead.
        ///
        /// Remedy: Synchronise the customers; their histories are complete.
        public static let updatesLost = Code(rawValue: "updatesLost")
    }

    /// The code of the error.
    public var code: Code
    /// A description of the error with a remedy; the text contains no customer id, signature, key or token.
    public var message: String
    /// The App Store's error code, if the response contains one.
    public var apiCode: AppStoreErrorCode?
    /// The HTTP status, if the server has responded.
    public var httpStatus: Int?
    /// The earliest time of a retry, if the App Store or the client has set one.
    public var retryAt: Instant?
    /// Whether the same request may succeed later without a change.
    public var isRetryable: Bool
    /// Whether the App Store may have performed the request, although the client has received no valid response.
    public var mayHaveBeenDone: Bool
    /// The underlying error.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, apiCode: AppStoreErrorCode? = nil, httpStatus: Int? = nil,
        retryAt: Instant? = nil, isRetryable: Bool = false, mayHaveBeenDone: Bool = false, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.apiCode = apiCode
        self.httpStatus = httpStatus
        self.retryAt = retryAt
        self.isRetryable = isRetryable
        self.mayHaveBeenDone = mayHaveBeenDone
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
