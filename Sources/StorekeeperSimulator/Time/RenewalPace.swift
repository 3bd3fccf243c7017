/// How long the grace period of an app is, as App Store Connect names it.
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

/// How fast the life of a subscription passes: at its own speed, or at one of the speeds that Apple tests with.
///
/// Every length is in milliseconds; calendars are Gregorian, in UTC.
///
/// - SeeAlso: Apple, "Testing an auto-renewable subscription"; "StoreKit Test: SKTestSession.TimeRate"; "App Store
///   Connect: Manage Sandbox Apple Account settings"; "TestFlight: Subscriptions and In-App Purchases".
public struct RenewalPace: Hashable, Sendable {
    /// Where the speed comes from.
    public enum Source: Hashable, Sendable {
        /// Customers: a month lasts a month.
        case realTime
        /// Xcode's test environment.
        case xcode(TimeRate)
        /// A tester of the sandbox.
        case sandbox(SandboxSpeed)
        /// A tester of TestFlight.
        case testFlight
    }

    /// How lengths follow from one another.
    enum Rule: Hashable, Sendable {
        /// By the calendar.
        case calendar
        /// In proportion to a month, but for the week, which Apple's tables give apart.
        case scaled(month: Int64, week: Int64)
        /// In proportion to a day.
        case days(day: Int64)
        /// All alike.
        case fixed(tick: Int64)
    }

    /// Where the speed comes from.
    public let source: Source
    /// How lengths follow from one another.
    let rule: Rule

    /// A month lasts a month.
    public static let realTime = RenewalPace(.realTime)
    /// Every period lasts 24 hours, and the sixth renewal is the last.
    public static let testFlight = RenewalPace(.testFlight)
    /// The speed of Xcode's test environment; a rate that is not assigned counts as real time.
    public static func xcode(_ rate: TimeRate) -> RenewalPace { RenewalPace(.xcode(rate)) }
    /// The speed of a tester of the sandbox; the twelfth renewal is the last.
    public static func sandbox(_ speed: SandboxSpeed) -> RenewalPace { RenewalPace(.sandbox(speed)) }

    /// Makes the pace of a source.
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

    /// How often a subscription renews before the environment turns its renewal off; `nil`: without limit.
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
