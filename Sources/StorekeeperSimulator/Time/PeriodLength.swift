import Storekeeper

/// The length of a period as two numbers, for fast arithmetic.
///
/// Lengths are compared in common units: seven days equal a week, twelve months a year.
struct PeriodLength: Hashable, Sendable {
    /// The unit.
    enum Unit: UInt8, Sendable {
        /// Days of 24 hours.
        case day
        /// Months of the calendar.
        case month
    }

    /// The unit.
    let unit: Unit
    /// The number of units, at least 1.
    let count: Int32

    /// 24 hours.
    static let day = PeriodLength(unit: .day, count: 1)
    /// Seven days.
    static let week = PeriodLength(unit: .day, count: 7)
    /// A month of the calendar.
    static let month = PeriodLength(unit: .month, count: 1)
    /// Twelve months of the calendar.
    static let year = PeriodLength(unit: .month, count: 12)

    /// Reads the length of a period.
    ///
    /// - Returns: `nil` if the text of the period is not a duration of one unit.
    init?(_ period: SubscriptionPeriod) {
        guard let unit = period.unit, let value = period.value, let value = Int32(exactly: value) else { return nil }
        let (count, overflow) = value.multipliedReportingOverflow(by: Self.factor(of: unit))
        guard !overflow, count > 0 else { return nil }
        self.unit = unit == .day || unit == .week ? .day : .month
        self.count = count
    }

    private init(unit: Unit, count: Int32) {
        self.unit = unit
        self.count = count
    }

    /// Returns a multiple of the length.
    func times(_ number: Int32) -> PeriodLength {
        let (product, overflow) = count.multipliedReportingOverflow(by: max(1, number))
        return PeriodLength(unit: unit, count: overflow ? count : product)
    }

    /// Whether the length is at most a week; subscriptions of this length have a shorter grace period.
    var isAtMostAWeek: Bool { unit == .day && count <= 7 }

    private static func factor(of unit: SubscriptionPeriod.Unit) -> Int32 {
        switch unit {
        case .day, .month: 1
        case .week: 7
        case .year: 12
        }
    }
}
