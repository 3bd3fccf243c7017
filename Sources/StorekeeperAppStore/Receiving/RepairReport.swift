/// The results of a repair.
public struct RepairReport: Sendable {
    /// The number of pages read.
    public internal(set) var pages = 0
    /// The number of notifications on them.
    public internal(set) var read = 0
    /// The number of notifications received before.
    public internal(set) var known = 0
    /// The number of missing notifications that were processed.
    public internal(set) var repaired = 0
    /// The results of the App Store's attempts to send the missing notifications, counted by word, such as `TLS_ISSUE`:
    /// why they were missing.
    public internal(set) var attempts: [String: Int] = [:]
    /// The number of untrusted notifications, which reading them again will not change.
    public internal(set) var refused = 0
    /// The reasons of the first hundred refusals.
    public internal(set) var refusals: [NotificationRefusal] = []
}

/// Why a repair ended before its plan was complete.
public struct NotificationRepairError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The word, which stays the same from release to release.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The history could not be read.
        public static let source = Code(rawValue: "source")
        /// The history claims to have more pages but names no next token, or repeats one.
        public static let endlessHistory = Code(rawValue: "endlessHistory")
        /// The vault could not read or write.
        public static let vault = Code(rawValue: "vault")
        /// A notification could not be processed now.
        public static let notTakenIn = Code(rawValue: "notTakenIn")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words.
    public let message: String
    /// The underlying error, if any.
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
