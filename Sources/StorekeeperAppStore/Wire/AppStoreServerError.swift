public import Storekeeper

/// Why a request to the App Store has no answer that counts.
public struct AppStoreServerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The App Store refuses the request, and says why in ``AppStoreServerError/apiCode``.
        public static let refused = Code(rawValue: "refused")
        /// The App Store does not accept the key, the issuer id, or the time of this machine.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// There were too many requests; ``AppStoreServerError/retryAt`` says when to go on.
        public static let rateLimited = Code(rawValue: "rateLimited")
        /// The server cannot be reached, or the connection broke.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server, or the time that the caller gave, took too long.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The server failed without saying why.
        public static let serverFailure = Code(rawValue: "serverFailure")
        /// So many requests failed in a row that none is sent for a while.
        public static let suspended = Code(rawValue: "suspended")
        /// The answer is no answer of the App Store: another status, another type, no JSON, a member missing, too long.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The answer is about another app, environment or transaction than was asked for.
        public static let mismatchedResponse = Code(rawValue: "mismatchedResponse")
        /// A history says without end that it has more.
        public static let endlessHistory = Code(rawValue: "endlessHistory")
        /// What the answer holds is not signed by whom the verifier believes.
        public static let unverifiedResponse = Code(rawValue: "unverifiedResponse")
        /// The request cannot be right, and was not sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The customer has not agreed to what would be sent, and it was not.
        public static let consentMissing = Code(rawValue: "consentMissing")
        /// No server is set for the environment.
        public static let noHost = Code(rawValue: "noHost")
        /// The base URL of a server is none that is accepted.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// The key is no P-256 private key in PKCS #8, or its ids are missing.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// A token or an offer could not be signed.
        public static let signingFailed = Code(rawValue: "signingFailed")
        /// Updates were lost before they were read; the customers' histories still have what they told.
        public static let updatesLost = Code(rawValue: "updatesLost")
    }

    /// What went wrong.
    public var code: Code
    /// What went wrong and what to do, in words; names no customer and quotes no signature, key or token.
    public var message: String
    /// The App Store's own code, where it answered with one.
    public var apiCode: AppStoreErrorCode?
    /// The HTTP status, where there was an answer.
    public var httpStatus: Int?
    /// When the App Store says that the request may be made again.
    public var retryAt: Instant?
    /// Whether the same request may succeed later without anybody's doing.
    public var isRetryable: Bool
    /// Whether the App Store may have done what was asked for although there is no answer.
    public var mayHaveBeenDone: Bool
    /// What the layer below said.
    public var cause: (any Error)?

    /// Makes an error.
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
