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
