public import Storekeeper

/// Detects that notifications of a type no longer arrive, for example because the notification URL is wrong.
///
/// The usual gap of a type is the usual time between two of its notifications. A type counts as silent if the time
/// since its last notification exceeds a multiple of the usual gap. If notifications are independent of each other, a
/// gap of more than 12 usual gaps occurs once in 160000 gaps. An app with few notifications at night or on some days
/// should choose a larger factor.
public struct NotificationSilence: Hashable, Sendable {
    /// The rule by which a type counts as silent.
    public struct Rule: Hashable, Sendable {
        /// The number of usual gaps without a notification after which a type counts as silent, at least 1.
        public var factor: Int
        /// The minimum time without a notification before a type counts as silent.
        public var shortest: Duration
        /// The number of gaps that must be observed before a type can count as silent, at least 1.
        public var gaps: Int

        /// Creates a rule.
        public init(factor: Int = 12, shortest: Duration = .seconds(6 * 3_600), gaps: Int = 8) {
            self.factor = max(factor, 1)
            self.shortest = max(shortest, .milliseconds(1))
            self.gaps = max(gaps, 1)
        }
    }

    /// The observations about a type's notifications: the last time, and the usual gap.
    ///
    /// Store the rhythms, so that an alarm is not delayed by a restart of the process.
    public struct Rhythm: Hashable, Sendable {
        /// The time of the last notification of the type, in UTC.
        public internal(set) var lastSeen: Instant
        /// The number of observed gaps, up to ``NotificationSilence/memory``.
        public internal(set) var gaps: Int
        /// The usual gap between two notifications, which is a running mean, in milliseconds.
        public internal(set) var usualGap: Int64

        /// Creates a rhythm.
        public init(lastSeen: Instant, gaps: Int = 0, usualGap: Int64 = 0) {
            self.lastSeen = lastSeen
            self.gaps = max(gaps, 0)
            self.usualGap = max(usualGap, 0)
        }
    }

    /// An alarm about a type that is silent.
    public struct Alarm: Hashable, Sendable, CustomStringConvertible {
        /// The type.
        public let type: NotificationType
        /// The time of the last notification of the type, in UTC.
        public let lastSeen: Instant
        /// The usual gap between two notifications.
        public let usualGap: Duration
        /// The time without a notification after which the alarm is raised.
        public let limit: Duration

        /// A one-line description.
        public var description: String {
            "no \(type.rawValue) since \(lastSeen), usually one every \(usualGap.milliseconds / 1_000) s"
        }
    }

    /// The number of recent gaps that determine the usual gap.
    public static let memory = 64
    /// The maximum number of observed types; beyond it, a new type replaces the type whose last notification is the
    /// oldest.
    public static let capacity = 256

    /// The rule by which a type counts as silent.
    public var rule: Rule
    /// The observed rhythms, by type.
    public private(set) var rhythms: [NotificationType: Rhythm]

    /// Creates a detector with stored rhythms.
    public init(rule: Rule = Rule(), rhythms: [NotificationType: Rhythm] = [:]) {
        self.rule = rule
        self.rhythms = rhythms
    }

    /// Records that a notification arrived.
    ///
    /// - Parameters:
    ///   - type: The type of the notification.
    ///   - instant: The time of its arrival by the receiver's clock. A time before the last recorded time has no
    ///     effect.
    public mutating func record(_ type: NotificationType, at instant: Instant) {
        guard var rhythm = rhythms[type] else {
            if rhythms.count >= Self.capacity, let oldest = rhythms.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
                rhythms[oldest.key] = nil
            }
            rhythms[type] = Rhythm(lastSeen: instant)
            return
        }
        guard instant >= rhythm.lastSeen else { return }
        let gap = instant.milliseconds(since: rhythm.lastSeen)
        rhythm.gaps = min(rhythm.gaps + 1, Self.memory)
        // The usual gap is the arithmetic mean of the first `memory` gaps, and a moving mean from then on.
        rhythm.usualGap += (gap - rhythm.usualGap) / Int64(rhythm.gaps)
        rhythm.lastSeen = instant
        rhythms[type] = rhythm
    }

    /// Returns an alarm for each type that is silent, sorted by the raw values of the types.
    public func alarms(at now: Instant) -> [Alarm] {
        rhythms.compactMap { type, rhythm -> Alarm? in
            guard rhythm.gaps >= rule.gaps else { return nil }
            let usual = rhythm.usualGap.multipliedReportingOverflow(by: Int64(rule.factor))
            let limit = max(usual.overflow ? .max : usual.partialValue, rule.shortest.milliseconds)
            guard now.milliseconds(since: rhythm.lastSeen) > limit else { return nil }
            return Alarm(
                type: type, lastSeen: rhythm.lastSeen, usualGap: .milliseconds(rhythm.usualGap),
                limit: .milliseconds(limit))
        }.sorted { $0.type.rawValue < $1.type.rawValue }
    }
}
