public import StorekeeperEngine

/// The treatment of a certificate whose revocation status is unknown.
public enum RevocationPolicy: String, Hashable, Sendable, CaseIterable {
    /// The checker does not ask responders, and every certificate passes.
    case off
    /// A certificate of unknown status passes, and the unknown status is reported; a revoked certificate fails.
    case soft
    /// A certificate of unknown status fails with `revocationUnknown` until the responder answers.
    case hard
}

/// The clock that a checker uses.
///
/// `RevocationTime(clock)` in `StorekeeperAppStore` creates this value from a store's clock.
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
        /// The maximum number of remembered certificates, at least 4.
        ///
        /// The least recently requested certificate is forgotten first; revoked certificates are forgotten only after
        /// all others.
        public var capacity: Int
        /// The maximum time for which a response is used, even if the responder allows a longer time.
        public var longestUse: Duration
        /// The time after a failed request until the responder is asked about the same certificate again.
        public var pause: Duration
        /// The tolerated difference between the responder's clock and the checker's clock.
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

/// A report that the status of a certificate is not known.
public struct RevocationReport: Sendable, CustomStringConvertible {
    /// The position of a certificate in its certificate chain.
    public enum Place: String, Hashable, Sendable {
        /// The certificate that signs items.
        case leaf
        /// The certificate that signed the leaf.
        case intermediate
    }

    /// The time of the report, in UTC.
    public let at: Instant
    /// The position of the certificate.
    public let place: Place
    /// The reason why the status is not known.
    public let error: OCSPError
    /// Whether items pass although the status is not known.
    public let isAllowed: Bool

    /// A one-line description.
    public var description: String {
        "it is not known whether the \(place.rawValue) certificate was revoked"
            + " (\(isAllowed ? "items pass" : "items are refused")): \(error)"
    }
}
