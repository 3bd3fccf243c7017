public import Storekeeper

/// Why a notification is refused permanently: sending it again would not help.
public struct NotificationRefusal: Error, Sendable, CustomStringConvertible {
    /// What is wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The body exceeds the size limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The body is not a JSON object with a `signedPayload`.
        public static let malformedBody = Code(rawValue: "malformedBody")
        /// The signed payload is not trusted, or is not a notification for this app.
        public static let untrusted = Code(rawValue: "untrusted")
        /// A part inside is not trusted, or is about something other than the notification.
        public static let untrustedPart = Code(rawValue: "untrustedPart")
        /// Parts inside are about two subscriptions.
        public static let partsDisagree = Code(rawValue: "partsDisagree")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in words; holds no part of a signature or account.
    public let message: String
    /// The verifier's error, if it was asked.
    public let cause: VerificationError?

    /// Makes a refusal.
    public init(_ code: Code, _ message: String, cause: VerificationError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

/// Why a notification could not be stored now: it should be redelivered.
public struct NotificationFailure: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The notification could not be written.
        public static let vault = Code(rawValue: "vault")
        /// It is not known whether the signing certificates were revoked.
        public static let revocationUnknown = Code(rawValue: "revocationUnknown")
        /// The app's handler failed, or took too long.
        public static let handler = Code(rawValue: "handler")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Makes a failure.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
