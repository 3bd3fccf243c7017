public import StorekeeperEngine

/// The treatment of a certificate whose revocation status is unknown.
public enum RevocationPolicy: String, Hashable, Sendable, CaseIterable {
    /// No responder is asked, and every certificate passes.
    case off
    /// A certificate of unknown status passes with a report; a revoked one does not.
    case soft
    /// A certificate of unknown status fails with `revocationUnknown` until the responder answers.
    case hard
}

/// The clock that a checker uses.
///
/// `RevocationTime(clock)` in `StorekeeperAppStore` makes one from a store's clock.
public struct RevocationTime: Sendable {
    /// The current time.
    public let now: @Sendable () -> Instant
    /// Waits until an instant; throws when the task is cancelled.
    public let sleep: @Sendable (Instant) async throws -> Void

    /// Creates a clock.
    public init(now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }
}

extension OCSPChecker {
    /// The settings of a checker.
    public struct Configuration: Hashable, Sendable {
        /// The treatment of a certificate whose status is unknown.
        public var policy: RevocationPolicy
        /// The time limit of one request.
        public var timeLimit: Duration
        /// The maximum size of a response in bytes, at least 1.
        public var sizeLimit: Int
        /// The largest number of remembered certificates, at least 4; the least recently requested are forgotten first.
        public var capacity: Int
        /// The longest use of a response, even if the responder allows longer.
        public var longestUse: Duration
        /// How long to wait after a failed request before the certificate is asked about again.
        public var pause: Duration
        /// The tolerated difference between the responder's clock and ours.
        public var tolerance: Duration

        /// Creates a configuration.
        public init(
            policy: RevocationPolicy, timeLimit: Duration = .seconds(10), sizeLimit: Int = 65_536,
            capacity: Int = 256, longestUse: Duration = .seconds(86_400), pause: Duration = .seconds(60),
            tolerance: Duration = .seconds(60)
        ) {
            self.policy = policy
            self.timeLimit = max(timeLimit, .milliseconds(1))
            self.sizeLimit = max(sizeLimit, 1)
            self.capacity = max(capacity, 4)
            self.longestUse = max(longestUse, .zero)
            self.pause = max(pause, .milliseconds(1))
            self.tolerance = max(tolerance, .zero)
        }
    }
}

/// Reports that the status of a certificate is not known.
public struct RevocationReport: Sendable, CustomStringConvertible {
    /// The position of a certificate in a chain.
    public enum Place: String, Hashable, Sendable {
        /// The certificate that signs items.
        case leaf
        /// The certificate that signed the leaf.
        case intermediate
    }

    /// The time, in UTC.
    public let at: Instant
    /// The position of the certificate.
    public let place: Place
    /// Why the status is not known.
    public let error: OCSPError
    /// Whether items pass although the status is not known.
    public let isAllowed: Bool

    /// A one-line description.
    public var description: String {
        "it is not known whether the \(place.rawValue) certificate was revoked"
            + " (\(isAllowed ? "items pass" : "items are refused")): \(error)"
    }
}
