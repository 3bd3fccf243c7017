public import FoundationEssentials

/// A point in time, exact to the millisecond.
///
/// The engine computes only with instants, which count whole milliseconds since 1970-01-01T00:00:00Z in UTC, without
/// leap seconds. `Date` is used only in API with StoreKit's names, because the binary fraction of seconds in a `Date`
/// cannot represent every millisecond exactly.
public struct Instant: InstantProtocol, Sendable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z; negative for an earlier instant.
    public let millisecondsSince1970: Int64

    /// The greatest distance of an instant from 1970, in milliseconds; it is about 273,000 years.
    ///
    /// The limit keeps every sum of an instant and a period within `Int64`.
    package static let limit: Int64 = 8_640_000_000_000_000

    /// The earliest representable instant, which is used for a range without a beginning.
    public static let distantPast = Instant(clamped: -limit)

    /// The latest representable instant, which is used for a range without an end.
    public static let distantFuture = Instant(clamped: limit)

    /// Creates an instant from milliseconds since 1970.
    ///
    /// - Parameter millisecondsSince1970: A number in the range from ``distantPast`` to ``distantFuture``. The result
    ///   is `nil` for any other number.
    public init?(millisecondsSince1970: Int64) {
        guard (-Self.limit...Self.limit).contains(millisecondsSince1970) else { return nil }
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Creates an instant from milliseconds since 1970, clamped to the limits.
    package init(clamped milliseconds: Int64) {
        millisecondsSince1970 = min(max(milliseconds, -Self.limit), Self.limit)
    }

    /// Creates an instant from a date, rounded to the nearest millisecond and clamped to the limits.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        if milliseconds.isNaN {
            self.init(clamped: 0)
        } else if milliseconds >= Double(Self.limit) {
            self = .distantFuture
        } else if milliseconds <= -Double(Self.limit) {
            self = .distantPast
        } else {
            self.init(clamped: Int64(milliseconds))
        }
    }

    /// The same point in time as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// Returns the instant that is later by a duration, or earlier if the duration is negative, clamped to the limits.
    ///
    /// Fractions of a millisecond in the duration are ignored.
    public func advanced(by duration: Duration) -> Instant { adding(milliseconds: duration.milliseconds) }

    /// Returns the time from this instant to another; negative if the other instant is earlier.
    public func duration(to other: Instant) -> Duration { .milliseconds(other.milliseconds(since: self)) }

    /// Returns the instant that is later by a number of milliseconds, or earlier if the number is negative, clamped to
    /// the limits.
    package func adding(milliseconds: Int64) -> Instant {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        if overflow { return milliseconds < 0 ? .distantPast : .distantFuture }
        return Instant(clamped: sum)
    }

    /// Returns the instant that is a number of days, each of 24 hours, later, clamped to the limits.
    package func adding(days: Int) -> Instant {
        let (milliseconds, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
        if overflow { return days < 0 ? .distantPast : .distantFuture }
        return adding(milliseconds: milliseconds)
    }

    /// Returns the instant that is a number of months later in the Gregorian calendar in UTC, clamped to the limits.
    ///
    /// The day of the month stays the same. If the new month is too short, the last day of the new month is used.
    package func adding(months: Int) -> Instant {
        guard months.magnitude <= Self.limit / 86_400_000 else { return months < 0 ? .distantPast : .distantFuture }
        let days = CivilDate.floor(millisecondsSince1970, by: 86_400_000)
        let timeOfDay = millisecondsSince1970 - days * 86_400_000
        let day = CivilDate(daysSince1970: days).adding(months: Int64(months))
        return Instant(clamped: day.daysSince1970 * 86_400_000 + timeOfDay)
    }

    /// Returns the number of milliseconds from another instant to this instant; negative if the other instant is later.
    package func milliseconds(since other: Instant) -> Int64 {
        millisecondsSince1970 - other.millisecondsSince1970
    }

    /// Returns whether an instant is before another.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}
