public import Storekeeper

/// Detects when notifications of a type stop coming: a changed address, an expired certificate, a new firewall.
///
/// A pure rule over the last time of each type and its usual gap. If notifications are independent of each other, a gap
/// of 12 times the usual one occurs once in 160000 gaps; a shop with nights and quiet days should wait longer.
public struct NotificationSilence: Hashable, Sendable {
    /// When a type counts as silent.
    public struct Rule: Hashable, Sendable {
        /// The number of usual gaps, at least 1.
        public var factor: Int
        /// The minimum silence.
        public var shortest: Duration
        /// The number of gaps needed to compute a usual one, at least 1.
        public var gaps: Int

        /// Creates a rule.
        public init(factor: Int = 12, shortest: Duration = .seconds(6 * 3_600), gaps: Int = 8) {
            self.factor = max(factor, 1)
            self.shortest = max(shortest, .milliseconds(1))
            self.gaps = max(gaps, 1)
        }
    }

    /// The observed rhythm of a type; store it if alarms should survive the process.
    public struct Rhythm: Hashable, Sendable {
        /// The last time it came, in UTC.
        public internal(set) var lastSeen: Instant
        /// The number of observed gaps, up to ``NotificationSilence/memory``.
        public internal(set) var gaps: Int
        /// The usual gap, in milliseconds.
        public internal(set) var usualGap: Int64

        /// Creates a rhythm.
        public init(lastSeen: Instant, gaps: Int = 0, usualGap: Int64 = 0) {
            self.lastSeen = lastSeen
            self.gaps = max(gaps, 0)
            self.usualGap = max(usualGap, 0)
        }
    }

    /// An alarm that a type is silent.
    public struct Alarm: Hashable, Sendable, CustomStringConvertible {
        /// The type.
        public let type: NotificationType
        /// The last time it came, in UTC.
        public let lastSeen: Instant
        /// The usual gap.
        public let usualGap: Duration
        /// The silence after which the alarm is raised.
        public let limit: Duration

        /// A one-line description.
        public var description: String {
            "no \(type.rawValue) since \(lastSeen), usually one every \(usualGap.milliseconds / 1_000) s"
        }
    }

    /// The number of gaps in the running mean.
    public static let memory = 64
    /// The number of remembered types; those seen longest ago are forgotten first.
    public static let capacity = 256

    /// When a type counts as silent.
    public var rule: Rule
    /// The observed rhythms, by type.
    public private(set) var rhythms: [NotificationType: Rhythm]

    /// Creates a detector with stored rhythms.
    public init(rule: Rule = Rule(), rhythms: [NotificationType: Rhythm] = [:]) {
        self.rule = rule
        self.rhythms = rhythms
    }

    /// Records that a notification came.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - instant: When it came, by the receiver's clock; an instant before the last one has no effect.
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
        // This is the plain mean of the first gaps, and later a moving mean.
        rhythm.usualGap += (gap - rhythm.usualGap) / Int64(rhythm.gaps)
        rhythm.lastSeen = instant
        rhythms[type] = rhythm
    }

    /// Returns the types that are silent, in order of their words.
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
