import Storekeeper

/// The length of an app's grace period, as in App Store Connect.
///
/// - SeeAlso: Apple, "App Store Connect: Enable billing grace period for auto-renewable subscriptions".
public enum GracePeriodLength: Int, Sendable, CaseIterable {
    /// Three days.
    case days3 = 3
    /// Sixteen days; six for a weekly subscription.
    case days16 = 16
    /// Twenty-eight days; six for a weekly subscription.
    case days28 = 28
}

/// The speed at which subscriptions renew: real time, or one of Apple's test speeds.
///
/// Every length is in milliseconds; calendars are Gregorian, in UTC.
///
/// - SeeAlso: Apple, "Testing an auto-renewable subscription"; "StoreKit Test: SKTestSession.TimeRate"; "App Store
///   Connect: Manage Sandbox Apple Account settings"; "TestFlight: Subscriptions and In-App Purchases".
public struct RenewalPace: Hashable, Sendable {
    /// The environment that determines the speed.
    public enum Source: Hashable, Sendable {
        /// Production, in which a month lasts a calendar month.
        case realTime
        /// Xcode's test environment.
        case xcode(TimeRate)
        /// Apple's sandbox, at the speed that is set for the tester.
        case sandbox(SandboxSpeed)
        /// TestFlight.
        case testFlight
    }

    /// The rule by which lengths are computed.
    enum Rule: Hashable, Sendable {
        /// Lengths follow the calendar.
        case calendar
        /// Lengths are proportional to a month, except for the week, which Apple's tables list separately.
        case scaled(month: Int64, week: Int64)
        /// Lengths are proportional to a day.
        case days(day: Int64)
        /// All periods are equally long.
        case fixed(tick: Int64)
    }

    /// The environment that determines the speed.
    public let source: Source
    /// The rule by which lengths are computed.
    let rule: Rule

    /// Real time: periods last as long as in production.
    public static let realTime = RenewalPace(.realTime)
    /// Every period lasts 24 hours, and the sixth renewal is the last.
    public static let testFlight = RenewalPace(.testFlight)
    /// Returns the speed of Xcode's test environment; a number that Apple has not assigned counts as real time.
    public static func xcode(_ rate: TimeRate) -> RenewalPace { RenewalPace(.xcode(rate)) }
    /// Returns the speed of a sandbox tester; the twelfth renewal is the last.
    public static func sandbox(_ speed: SandboxSpeed) -> RenewalPace { RenewalPace(.sandbox(speed)) }

    /// Creates the pace of an environment.
    private init(_ source: Source) {
        self.source = source
        rule =
            switch source {
            case .realTime: .calendar
            case .xcode(let rate): Self.rule(of: rate)
            case .sandbox(let speed): Self.rule(of: speed)
            case .testFlight: .fixed(tick: 24 * Self.hour)
            }
    }

    /// The number of renewals before the environment turns renewal off; `nil` for no limit.
    var maximumRenewals: Int? {
        switch source {
        case .realTime, .xcode: nil
        case .sandbox: 12
        case .testFlight: 6
        }
    }

    static let second: Int64 = 1000
    static let minute: Int64 = 60_000
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 86_400_000

    private static func rule(of rate: TimeRate) -> Rule {
        switch rate {
        case .monthlyRenewalEveryHour: .scaled(month: hour, week: 15 * minute)
        case .monthlyRenewalEveryThirtyMinutes: .scaled(month: 30 * minute, week: 10 * minute)
        case .monthlyRenewalEveryFifteenMinutes: .scaled(month: 15 * minute, week: 5 * minute)
        case .monthlyRenewalEveryFiveMinutes: .scaled(month: 5 * minute, week: 3 * minute)
        case .monthlyRenewalEveryThirtySeconds: .scaled(month: 30 * second, week: 10 * second)
        case .oneRenewalEveryFifteenMinutes: .fixed(tick: 15 * minute)
        case .oneRenewalEveryFiveMinutes: .fixed(tick: 5 * minute)
        case .oneRenewalEveryMinute: .fixed(tick: minute)
        case .oneRenewalEveryThirtySeconds: .fixed(tick: 30 * second)
        case .oneRenewalEveryTenSeconds: .fixed(tick: 10 * second)
        case .oneRenewalEveryTwoSeconds: .fixed(tick: 2 * second)
        case .oneHourIsOneDay: .days(day: hour)
        case .thirtyMinutesIsOneDay: .days(day: 30 * minute)
        case .fiveMinutesIsOneDay: .days(day: 5 * minute)
        case .oneMinuteIsOneDay: .days(day: minute)
        case .thirtySecondsIsOneDay: .days(day: 30 * second)
        case .oneSecondIsOneDay: .days(day: second)
        default: .calendar
        }
    }

    private static func rule(of speed: SandboxSpeed) -> Rule {
        switch speed {
        case .threeMinutes: .scaled(month: 3 * minute, week: 3 * minute)
        case .fiveMinutes: .scaled(month: 5 * minute, week: 3 * minute)
        case .fifteenMinutes: .scaled(month: 15 * minute, week: 5 * minute)
        case .thirtyMinutes: .scaled(month: 30 * minute, week: 10 * minute)
        case .sixtyMinutes: .scaled(month: hour, week: 15 * minute)
        }
    }
}

extension RenewalPace {
    /// Returns the end of the period with a given number after an anchor.
    ///
    /// The end is counted from the anchor and not from the previous period. For example, a monthly subscription begun
    /// on 31 January ends a period on 28 February and the next period on 31 March.
    ///
    /// - Parameters:
    ///   - length: The length of each period.
    ///   - anchor: The instant at which the first period began.
    ///   - count: The number of the period. Period 1 begins at the anchor.
    func periodEnd(of length: PeriodLength, anchor: Instant, count: Int) -> Instant {
        switch rule {
        case .calendar:
            let (units, overflow) = Int(length.count).multipliedReportingOverflow(by: count)
            guard !overflow else { return count < 0 ? .distantPast : .distantFuture }
            return length.unit == .month ? anchor.adding(months: units) : anchor.adding(days: units)
        case .fixed(let tick): return Self.end(of: count, lasting: tick, anchor: anchor)
        case .scaled(let month, let week):
            return Self.end(of: count, lasting: Self.scaled(length, month: month, week: week), anchor: anchor)
        case .days(let day): return Self.end(of: count, lasting: Self.days(in: length) * day, anchor: anchor)
        }
    }

    private static func end(of count: Int, lasting length: Int64, anchor: Instant) -> Instant {
        let (milliseconds, overflow) = length.multipliedReportingOverflow(by: Int64(count))
        guard !overflow else { return count < 0 ? .distantPast : .distantFuture }
        return anchor.adding(milliseconds: milliseconds)
    }

    /// Returns a length in milliseconds at a test speed with a given length of a month and of a week.
    ///
    /// Each day of another length, such as a trial of three days, lasts a thirtieth of a month.
    private static func scaled(_ length: PeriodLength, month: Int64, week: Int64) -> Int64 {
        let count = Int64(length.count)
        if length.unit == .month { return count * month }
        return count == 7 ? week : count * month / 30
    }

    /// Returns the number of days in a length; a month has 30 days, a year 365.
    private static func days(in length: PeriodLength) -> Int64 {
        let count = Int64(length.count)
        return length.unit == .month ? count / 12 * 365 + count % 12 * 30 : count
    }

    /// Returns the length of a subscription's grace period, in milliseconds.
    ///
    /// Apple's tables of accelerated speeds list a grace period of 16 days, and of 6 days for weekly subscriptions; the
    /// other lengths are proportional, rounded to the second. At a speed that makes all periods equally long, the grace
    /// period is as long as one period.
    ///
    /// - Parameters:
    ///   - length: The period of the subscription. A subscription of at most a week gets at most 6 days.
    ///   - setting: The app's setting in App Store Connect.
    func graceLength(of length: PeriodLength, setting: GracePeriodLength) -> Int64 {
        let days = length.isAtMostAWeek ? min(Int64(setting.rawValue), 6) : Int64(setting.rawValue)
        switch rule {
        case .calendar: return days * Self.day
        case .fixed(let tick): return tick
        case .days(let day): return days * day
        case .scaled(let month, let week):
            // A grace period of 6 days lasts 6 of the 7 days of a week. A grace period of 16 days lasts half a month.
            let milliseconds = length.isAtMostAWeek ? days * week / 7 : days * month / 32
            return (milliseconds + Self.second / 2) / Self.second * Self.second
        }
    }

    /// Returns how long the App Store retries a failed payment, in milliseconds from the end of the period.
    ///
    /// - Parameter isCommitment: Whether the subscription is billed monthly with a commitment of twelve months. If so,
    ///   the App Store retries for 90 days instead of 60. At test speeds, both times are proportionally shorter.
    func retryLength(isCommitment: Bool) -> Int64 {
        let ordinary: Int64 =
            switch rule {
            case .calendar: 60 * Self.day
            case .scaled(let month, _): 2 * month
            case .days(let day): 60 * day
            case .fixed(let tick): 2 * tick
            }
        return isCommitment ? ordinary / 2 * 3 : ordinary
    }

    /// Scales a wait to this speed, for example the day in which a guardian may answer.
    ///
    /// The wait keeps its proportion to a month of 30 days. At a speed that makes all periods equally long, a month
    /// counts as one period.
    ///
    /// - Parameter milliseconds: The wait at real-time speed; a negative wait counts as zero.
    /// - Returns: The wait in milliseconds: 0 for a wait of zero, otherwise at least 1.
    func scaled(_ milliseconds: Int64) -> Int64 {
        guard milliseconds > 0 else { return 0 }
        let month: Int64
        switch rule {
        case .calendar: return milliseconds
        case .scaled(let length, _): month = length
        case .days(let day): month = 30 * day
        case .fixed(let tick): month = tick
        }
        // Whole months are scaled separately, so that no product overflows.
        let (months, rest) = milliseconds.quotientAndRemainder(dividingBy: 30 * Self.day)
        return max(1, months * month + rest * month / (30 * Self.day))
    }
}
