/// A day of the Gregorian calendar, extended to all years, without a time zone.
///
/// - SeeAlso: ISO 8601:2004, 3.2.1, "The Gregorian calendar" (proleptic, with a year zero).
package struct CivilDate: Hashable, Sendable {
    /// The year; the year 0 is 1 BC.
    package var year: Int64
    /// The month, from 1 to 12.
    package var month: Int64
    /// The day of the month, from 1.
    package var day: Int64

    /// Returns the number of days of a month.
    static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int64) -> Bool {
        (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400)
    }

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the day that is a number of days after 1970-01-01.
    ///
    /// The computation uses eras of 400 years, and years that begin on 1 March, so that a leap day is the last day of a
    /// year.
    package init(daysSince1970: Int64) {
        let shifted = daysSince1970 + 719_468
        let era = Self.floor(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to this day.
    package var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = Self.floor(shiftedYear, by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the date that is a number of months later.
    ///
    /// The day of the month stays the same. If the new month is too short, the result is the last day of the new month.
    func adding(months: Int64) -> CivilDate {
        let total = year * 12 + (month - 1) + months
        let newYear = Self.floor(total, by: 12)
        let newMonth = total - newYear * 12 + 1
        return CivilDate(
            year: newYear, month: newMonth, day: min(day, Self.length(ofMonth: newMonth, in: newYear)))
    }

    /// Returns a quotient rounded towards minus infinity.
    package static func floor(_ value: Int64, by divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }
}
