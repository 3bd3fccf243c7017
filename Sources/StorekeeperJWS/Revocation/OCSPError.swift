public import StorekeeperEngine

/// The reason why it is not known whether a certificate was revoked.
public struct OCSPError: Error, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The responder has not been asked yet: call ``JWSVerifier/learnRevocation(of:)`` first, or run the checker.
        ///
        /// Remedy: Run the checker, or learn the status before verifying.
        public static let notAsked = Code(rawValue: "notAsked")
        /// The certificate does not name an OCSP responder.
        ///
        /// Remedy: Use `--revocation soft`, or no check, for certificates of this authority.
        public static let noResponder = Code(rawValue: "noResponder")
        /// The certificate, or the certificate of its issuer, cannot be read.
        ///
        /// Remedy: Use evidence of the App Store.
        public static let unreadableCertificate = Code(rawValue: "unreadableCertificate")
        /// The responder could not be reached, or sent something other than an OCSP response.
        ///
        /// Remedy: Check the network and the proxy, and try again.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The responder exceeded the time limit.
        ///
        /// Remedy: Try again.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The response exceeds the size limit.
        ///
        /// Remedy: Check a proxy that changes responses.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The response is not DER of an OCSP response.
        ///
        /// Remedy: Check a proxy that changes responses.
        public static let malformed = Code(rawValue: "malformed")
        /// The responder refused to answer.
        ///
        /// Remedy: Try again later.
        public static let refused = Code(rawValue: "refused")
        /// The response is signed neither by the issuer nor by a responder that the issuer has authorized.
        ///
        /// Remedy: Check a proxy that changes responses.
        public static let notAuthentic = Code(rawValue: "notAuthentic")
        /// The response is about other certificates.
        ///
        /// Remedy: Check a proxy that changes responses.
        public static let otherCertificate = Code(rawValue: "otherCertificate")
        /// The time of the response is in the future; check the clocks.
        ///
        /// Remedy: Check the clocks.
        public static let notYetValid = Code(rawValue: "notYetValid")
        /// The response has expired, has no expiration time, or is older than a response that the checker already has.
        ///
        /// Remedy: Check the clocks, and try again.
        public static let stale = Code(rawValue: "stale")
        /// The responder does not know the certificate.
        ///
        /// Remedy: Do not trust the evidence.
        public static let unknownCertificate = Code(rawValue: "unknownCertificate")
    }

    /// The code of the error.
    public let code: Code
    /// A description of the error.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
