import Storekeeper

/// The speed at which subscriptions renew in Xcode's test environment.
///
/// The raw value is the number `_timeRate` in a `.storekit` file. A number that Apple has not assigned counts as
/// ``realTime``.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession.TimeRate".
public struct TimeRate: RawRepresentable, Hashable, Sendable {
    /// The number in `.storekit` files.
    public let rawValue: Int

    /// Creates a rate from a number, even if Apple has not assigned the number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Real time: periods last as long as in production.
    public static let realTime = TimeRate(rawValue: 0)

    /// A month lasts an hour, a week 15 minutes.
    public static let monthlyRenewalEveryHour = TimeRate(rawValue: 10)
    /// A month lasts 30 minutes, a week 10.
    public static let monthlyRenewalEveryThirtyMinutes = TimeRate(rawValue: 11)
    /// A month lasts 15 minutes, a week 5.
    public static let monthlyRenewalEveryFifteenMinutes = TimeRate(rawValue: 12)
    /// A month lasts 5 minutes, a week 3.
    public static let monthlyRenewalEveryFiveMinutes = TimeRate(rawValue: 13)
    /// A month lasts 30 seconds, a week 10.
    public static let monthlyRenewalEveryThirtySeconds = TimeRate(rawValue: 15)

    /// Every period lasts 15 minutes.
    public static let oneRenewalEveryFifteenMinutes = TimeRate(rawValue: 1000)
    /// Every period lasts 5 minutes.
    public static let oneRenewalEveryFiveMinutes = TimeRate(rawValue: 1001)
    /// Every period lasts a minute.
    public static let oneRenewalEveryMinute = TimeRate(rawValue: 1002)
    /// Every period lasts 30 seconds.
    public static let oneRenewalEveryThirtySeconds = TimeRate(rawValue: 1003)
    /// Every period lasts 10 seconds.
    public static let oneRenewalEveryTenSeconds = TimeRate(rawValue: 1004)
    /// Every period lasts 2 seconds.
    public static let oneRenewalEveryTwoSeconds = TimeRate(rawValue: 1005)

    /// A day lasts an hour; Apple has advised against this rate since iOS 15.2.
    public static let oneHourIsOneDay = TimeRate(rawValue: 1)
    /// A day lasts 30 minutes; Apple has advised against this rate since iOS 15.2.
    public static let thirtyMinutesIsOneDay = TimeRate(rawValue: 2)
    /// A day lasts 5 minutes; Apple has advised against this rate since iOS 15.2.
    public static let fiveMinutesIsOneDay = TimeRate(rawValue: 3)
    /// A day lasts a minute; Apple has advised against this rate since iOS 15.2.
    public static let oneMinuteIsOneDay = TimeRate(rawValue: 4)
    /// A day lasts 30 seconds; Apple has advised against this rate since iOS 15.2.
    public static let thirtySecondsIsOneDay = TimeRate(rawValue: 5)
    /// A day lasts a second; Apple has advised against this rate since iOS 15.2.
    public static let oneSecondIsOneDay = TimeRate(rawValue: 6)

    /// Every rate to which Apple has assigned a number, in the order of the numbers.
    static let known: [TimeRate] = [
        realTime, oneHourIsOneDay, thirtyMinutesIsOneDay, fiveMinutesIsOneDay, oneMinuteIsOneDay,
        thirtySecondsIsOneDay, oneSecondIsOneDay, monthlyRenewalEveryHour, monthlyRenewalEveryThirtyMinutes,
        monthlyRenewalEveryFifteenMinutes, monthlyRenewalEveryFiveMinutes, monthlyRenewalEveryThirtySeconds,
        oneRenewalEveryFifteenMinutes, oneRenewalEveryFiveMinutes, oneRenewalEveryMinute,
        oneRenewalEveryThirtySeconds, oneRenewalEveryTenSeconds, oneRenewalEveryTwoSeconds,
    ]

    /// Reads the rate that a file states as a number.
    ///
    /// - Parameter code: The file's `_timeRate`.
    /// - Returns: The rate; if the number is not assigned, ``realTime`` with a warning.
    static func read(code: Int) -> (rate: TimeRate, warning: Diagnostic?) {
        let rate = TimeRate(rawValue: code)
        guard !known.contains(rate) else { return (rate, nil) }
        let warning = Diagnostic(
            .unknownValue, subject: String(code),
            message: "the time rate \(code) is unknown; real time is used",
            location: "settings._timeRate")
        return (.realTime, warning)
    }

    /// Reads the rate of a file's settings.
    ///
    /// - Returns: The rate. If its number is not assigned, returns the file's rate for older versions, with a warning.
    ///   If that number is not assigned either, returns ``realTime`` with a warning.
    static func read(_ settings: StoreKitSettings) -> (rate: TimeRate, warning: Diagnostic?) {
        let stated = read(code: settings.timeRateCode)
        guard var warning = stated.warning, let code = settings.compatibilityTimeRateCode,
            known.contains(TimeRate(rawValue: code))
        else { return stated }
        warning.message =
            "the time rate \(settings.timeRateCode) is unknown; \(code), its value for older versions, is used instead"
        return (TimeRate(rawValue: code), warning)
    }
}

/// The speed at which subscriptions renew for a sandbox tester, as the minutes that a month lasts.
///
/// - SeeAlso: Apple, "App Store Connect: Manage Sandbox Apple Account settings", subscription renewal rate.
public enum SandboxSpeed: Int, Sendable, CaseIterable {
    /// A month lasts 3 minutes, and so does a week.
    case threeMinutes = 3
    /// A month lasts 5 minutes, a week 3; the default for testers.
    case fiveMinutes = 5
    /// A month lasts 15 minutes, a week 5.
    case fifteenMinutes = 15
    /// A month lasts 30 minutes, a week 10.
    case thirtyMinutes = 30
    /// A month lasts an hour, a week 15 minutes.
    case sixtyMinutes = 60
}
