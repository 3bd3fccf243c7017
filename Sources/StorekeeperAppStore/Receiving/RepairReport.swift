public import Storekeeper

/// What a repair has found.
public struct RepairReport: Sendable {
    /// How many pages were read.
    public internal(set) var pages = 0
    /// How many notifications were on them.
    public internal(set) var read = 0
    /// How many of them had come before.
    public internal(set) var known = 0
    /// How many had not, and were taken in.
    public internal(set) var repaired = 0
    /// What came of the App Store's attempts to send those that had not come, by its words, such as `TLS_ISSUE`: why they
    /// were missing.
    public internal(set) var attempts: [String: Int] = [:]
    /// How many are not believed, which reading them again will not change.
    public internal(set) var refused = 0
    /// Why; the first hundred of them.
    public internal(set) var refusals: [NotificationRefusal] = []
}

/// Why a repair ended before its plan was carried out.
public struct NotificationRepairError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The history could not be read.
        public static let source = Code(rawValue: "source")
        /// The history says that it has more and does not say where, or gives the same place again.
        public static let endlessHistory = Code(rawValue: "endlessHistory")
        /// The vault could not read or write.
        public static let vault = Code(rawValue: "vault")
        /// A notification could not be taken in now.
        public static let notTakenIn = Code(rawValue: "notTakenIn")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
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
