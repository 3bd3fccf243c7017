import Storekeeper

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
