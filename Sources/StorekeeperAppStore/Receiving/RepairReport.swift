public import Storekeeper

/// The result of a repair.
public struct RepairReport: Sendable {
    /// The number of pages read.
    public internal(set) var pages = 0
    /// The number of notifications on the pages that were read.
    public internal(set) var read = 0
    /// The number of read notifications that were received before.
    public internal(set) var known = 0
    /// The number of missing notifications that the repair has processed.
    public internal(set) var repaired = 0
    /// The number of the App Store's attempts to send the missing notifications, by result, such as `TLS_ISSUE`.
    ///
    /// The results show why the notifications were missing.
    public internal(set) var attempts: [String: Int] = [:]
    /// The number of permanently refused notifications.
    public internal(set) var refused = 0
    /// The first hundred refusals.
    public internal(set) var refusals: [NotificationRefusal] = []
}

/// The error of a repair that did not complete its plan.
public typealias NotificationRepairError = CodedError<NotificationRepairErrorCode>

/// A machine-readable code of the error.
public struct NotificationRepairErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The history could not be read.
    public static let source = Self(rawValue: "source")
    /// The history returned no token although more pages follow, repeated a token, or has too many pages.
    public static let endlessHistory = Self(rawValue: "endlessHistory")
    /// The vault could not read or write.
    public static let vault = Self(rawValue: "vault")
    /// A notification could not be processed now.
    public static let notTakenIn = Self(rawValue: "notTakenIn")
    /// The task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
}
