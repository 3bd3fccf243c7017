/// The App Store's error code for a refused request.
///
/// A code for which no constant exists is returned unchanged.
///
/// - SeeAlso: Apple, "App Store Server API: Error codes".
public struct AppStoreErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that the App Store uses; it has seven digits, and the first three digits are the HTTP status.
    public let rawValue: Int64
    /// Creates a code from a number, even if no constant exists for it.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status of the code; `nil` if the number is not in the App Store's range.
    public var httpStatus: Int? { (1_000_000..<10_000_000).contains(rawValue) ? Int(rawValue / 10_000) : nil }

    /// Whether the App Store documents that the same request may succeed later.
    public var isRetryable: Bool { Self.retryable.contains(self) }

    /// The codes for which the App Store documents that the same request may succeed later.
    static let retryable: Set<AppStoreErrorCode> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIDNotFoundRetryable, .rateLimitExceeded,
        .generalInternalRetryable,
    ]

    /// The number and, if it is known, the name.
    public var description: String { name.map { "\(rawValue) (\($0))" } ?? String(rawValue) }
}
