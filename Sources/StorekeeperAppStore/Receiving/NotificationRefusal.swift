public import Storekeeper

/// The reason why a notification is refused permanently, so that sending it again would not help.
public struct NotificationRefusal: Error, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The body exceeds the size limit, or has too many members.
        ///
        /// Remedy: Check the sender; notifications of the App Store are smaller.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The body is not a JSON object with a `signedPayload`.
        ///
        /// Remedy: Send `{"signedPayload": …}`, version 2 of the notifications.
        public static let malformedBody = Code(rawValue: "malformedBody")
        /// The signed payload is not trusted, or is not a notification for this app.
        ///
        /// Remedy: Check root, bundle id and environment; `cause` is the code of the verification.
        public static let untrusted = Code(rawValue: "untrusted")
        /// A signed transaction or renewal info in the notification is not trusted, or is about another app or
        /// environment.
        ///
        /// Remedy: Check root, bundle id and environment; `cause` is the code of the verification.
        public static let untrustedPart = Code(rawValue: "untrustedPart")
        /// The transaction and the renewal info in the notification are about different subscriptions.
        ///
        /// Remedy: Check the sender; the App Store does not send this.
        public static let partsDisagree = Code(rawValue: "partsDisagree")
    }

    /// The code of the error.
    public let code: Code
    /// A description of the error, without signatures and account data.
    public let message: String
    /// The verifier's error, if the notification or a signed text inside it could not be verified.
    public let cause: VerificationError?

    /// Creates a refusal.
    public init(_ code: Code, _ message: String, cause: VerificationError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

/// The reason why a notification could not be processed now, so that the App Store should redeliver it.
public typealias NotificationFailure = CodedError<NotificationFailureCode>

/// A machine-readable code of the error.
public struct NotificationFailureCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The notification could not be written.
    ///
    /// Remedy: Nothing; the App Store sends it again. The log contains the reason.
    public static let vault = Self(rawValue: "vault")
    /// The revocation status of the signing certificates is unknown.
    ///
    /// Remedy: Nothing; the App Store sends it again.
    public static let revocationUnknown = Self(rawValue: "revocationUnknown")
    /// The app's handler failed, or took too long.
    ///
    /// Remedy: Correct the handler; the App Store sends the notification again.
    public static let handler = Self(rawValue: "handler")
    /// The task was cancelled.
    ///
    /// Remedy: Nothing; the App Store sends it again.
    public static let cancelled = Self(rawValue: "cancelled")
}
