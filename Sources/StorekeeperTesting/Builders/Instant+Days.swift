public import Storekeeper

extension Instant {
    /// The start of day 0 in tests, which is 2026-01-01T00:00:00Z.
    public static let testEpoch = Instant(clamped: 1_767_225_600_000)

    /// Returns the start of a day, counted from ``testEpoch``.
    ///
    /// The number may be negative.
    public static func day(_ number: Int) -> Instant { testEpoch.adding(days: number) }

    /// Returns the start of a month, counted from the month of ``testEpoch``.
    ///
    /// For example, month 1 starts at 2026-02-01T00:00:00Z.
    public static func month(_ number: Int) -> Instant {
        SubscriptionPeriod("P1M").end(from: testEpoch, count: number) ?? testEpoch
    }
}
