public import StorekeeperEngine

/// Why it is not known whether a certificate was revoked.
public struct OCSPError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody has asked yet: call ``JWSVerifier/learnRevocation(of:)`` first, or run the checker.
        public static let notAsked = Code(rawValue: "notAsked")
        /// The certificate names nobody who would answer.
        public static let noResponder = Code(rawValue: "noResponder")
        /// The certificate, or that of its issuer, cannot be read.
        public static let unreadableCertificate = Code(rawValue: "unreadableCertificate")
        /// The responder could not be reached, or answered with something else than a response.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The responder took longer than it may.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The response has more bytes than it may.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The response is not DER of an OCSP response.
        public static let malformed = Code(rawValue: "malformed")
        /// The responder answered that it does not answer.
        public static let refused = Code(rawValue: "refused")
        /// The response is not signed by the issuer, nor by whom the issuer has named for that.
        public static let notAuthentic = Code(rawValue: "notAuthentic")
        /// The response is about other certificates.
        public static let otherCertificate = Code(rawValue: "otherCertificate")
        /// The response is from the future: look at the clocks.
        public static let notYetValid = Code(rawValue: "notYetValid")
        /// The response is too old, older than one that is known, or does not say how long it may be used.
        public static let stale = Code(rawValue: "stale")
        /// The responder does not know the certificate.
        public static let unknownCertificate = Code(rawValue: "unknownCertificate")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words.
    public let message: String
    /// The error underneath, where there is one.
    public let cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
