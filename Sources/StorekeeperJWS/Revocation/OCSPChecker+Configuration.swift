public import StorekeeperEngine

/// What is done where it is not known whether a certificate was revoked.
public enum RevocationPolicy: String, Hashable, Sendable, CaseIterable {
    /// Nobody is asked, and everything passes.
    case off
    /// What is not known passes, and it is reported that it did; what is revoked does not.
    case soft
    /// What is not known does not pass: `revocationUnknown`, until the responder answers.
    case hard
}

/// The time, as far as a checker needs it.
///
/// `RevocationTime(clock)` in `StorekeeperAppStore` makes one of a store's clock.
public struct RevocationTime: Sendable {
    /// The instant it is now.
    public let now: @Sendable () -> Instant
    /// Waits until an instant; throws when the task is cancelled.
    public let sleep: @Sendable (Instant) async throws -> Void

    /// Makes a time.
    public init(now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }
}

extension OCSPChecker {
    /// How a checker is to behave.
    public struct Configuration: Hashable, Sendable {
        /// What is done where nothing is known.
        public var policy: RevocationPolicy
        /// How long one question may take.
        public var timeLimit: Duration
        /// How many bytes a response may have, at least 1.
        public var sizeLimit: Int
        /// How many certificates are remembered, at least 4; those asked about longest ago leave first.
        public var capacity: Int
        /// How long an answer is used at the longest, also where the responder says longer.
        public var longestUse: Duration
        /// How long nobody is asked about a certificate again after that has failed.
        public var pause: Duration
        /// How far the responder's clock and ours may differ.
        public var tolerance: Duration

        /// Makes a configuration.
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

/// That it is not known whether a certificate was revoked.
public struct RevocationReport: Sendable, CustomStringConvertible {
    /// Which certificate of a chain.
    public enum Place: String, Hashable, Sendable {
        /// The one that signs items.
        case leaf
        /// The one that signed the leaf.
        case intermediate
    }

    /// When, in UTC.
    public let at: Instant
    /// Which certificate.
    public let place: Place
    /// Why it is not known.
    public let error: OCSPError
    /// Whether items pass although it is not known.
    public let isAllowed: Bool

    /// What it says, in one line.
    public var description: String {
        "it is not known whether the \(place.rawValue) certificate was revoked"
            + " (\(isAllowed ? "items pass" : "items are refused")): \(error)"
    }
}
