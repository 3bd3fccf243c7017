public import Storekeeper

/// Tells when notifications of a type stop coming: the address was changed, a certificate ended, a firewall came.
///
/// A pure rule over when each type came last and how far apart it usually comes. Where things happen independently, a gap
/// of 12 times the usual one is met once in 160000 gaps; a shop with nights and quiet days should wait longer.
public struct NotificationSilence: Hashable, Sendable {
    /// When a type counts as silent.
    public struct Rule: Hashable, Sendable {
        /// After how many usual gaps, at least 1.
        public var factor: Int
        /// How long it has to be silent at least.
        public var shortest: Duration
        /// How many gaps have to be known before there is a usual one, at least 1.
        public var gaps: Int

        /// Makes a rule.
        public init(factor: Int = 12, shortest: Duration = .seconds(6 * 3_600), gaps: Int = 8) {
            self.factor = max(factor, 1)
            self.shortest = max(shortest, .milliseconds(1))
            self.gaps = max(gaps, 1)
        }
    }

    /// What is known of a type; to be kept, where alarms are to outlast the process.
    public struct Rhythm: Hashable, Sendable {
        /// When it came last, in UTC.
        public internal(set) var lastSeen: Instant
        /// How many gaps are known, up to ``NotificationSilence/memory``.
        public internal(set) var gaps: Int
        /// The usual gap, in milliseconds.
        public internal(set) var usualGap: Int64

        /// Makes a rhythm.
        public init(lastSeen: Instant, gaps: Int = 0, usualGap: Int64 = 0) {
            self.lastSeen = lastSeen
            self.gaps = max(gaps, 0)
            self.usualGap = max(usualGap, 0)
        }
    }

    /// That a type is silent.
    public struct Alarm: Hashable, Sendable, CustomStringConvertible {
        /// The type.
        public let type: NotificationType
        /// When it came last, in UTC.
        public let lastSeen: Instant
        /// How far apart it usually comes.
        public let usualGap: Duration
        /// How long it should not have been silent.
        public let limit: Duration

        /// What it says, in one line.
        public var description: String {
            "no \(type.rawValue) since \(lastSeen), usually one in \(usualGap.milliseconds / 1_000) s"
        }
    }

    /// Over how many gaps the usual one is taken.
    public static let memory = 64
    /// How many types are remembered; those that came longest ago leave first.
    public static let capacity = 256

    /// When a type counts as silent.
    public var rule: Rule
    /// What is known, by type.
    public private(set) var rhythms: [NotificationType: Rhythm]

    /// Makes a rule that knows what was kept.
    public init(rule: Rule = Rule(), rhythms: [NotificationType: Rhythm] = [:]) {
        self.rule = rule
        self.rhythms = rhythms
    }

    /// Records that a notification came.
    ///
    /// - Parameters:
    ///   - type: Its type.
    ///   - instant: When it came, by the receiver's clock; one from before the last changes nothing.
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
        // The mean of the first gaps, then one that forgets the oldest bit by bit.
        rhythm.usualGap += (gap - rhythm.usualGap) / Int64(rhythm.gaps)
        rhythm.lastSeen = instant
        rhythms[type] = rhythm
    }

    /// The types that are silent, in order of their words.
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
