/// Why the App Store refuses a request, by its own number.
///
/// What this version does not know is kept as it came.
///
/// - SeeAlso: Apple, "App Store Server API: Error codes".
public struct AppStoreErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that the App Store uses: seven digits, of which the first three are the HTTP status.
    public let rawValue: Int64
    /// Makes a code of a number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status that goes with it; `nil` where the number is none of the App Store's kind.
    public var httpStatus: Int? { (1_000_000..<10_000_000).contains(rawValue) ? Int(rawValue / 10_000) : nil }

    /// Whether the App Store says that the same request may succeed later.
    public var isRetryable: Bool { Self.retryable.contains(self) }

    /// The codes after which the same request may succeed later.
    static let retryable: Set<AppStoreErrorCode> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIDNotFoundRetryable, .rateLimitExceeded,
        .generalInternalRetryable,
    ]

    /// The number and, where it is known, the name.
    public var description: String { name.map { "\(rawValue) (\($0))" } ?? String(rawValue) }
}
