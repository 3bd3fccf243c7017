/// Functions for a period that is the duration of the access to a non-renewing product.
///
/// Such a duration may have several parts, such as `P1Y2M3D`.
extension SubscriptionPeriod {
    /// A part of a duration, such as the two months of `P1Y2M`.
    typealias Part = (value: Int, unit: Unit)

    /// The parts of the duration: years, months, weeks and days, in this order; empty if the text is not a valid
    /// duration.
    var accessParts: [Part] {
        if let value, let unit { return [(value, unit)] }
        guard text.utf8.first == UInt8(ascii: "P") else { return [] }
        var units: ArraySlice<Unit> = [.year, .month, .week, .day]
        var rest = text.utf8.dropFirst()
        var parts: [Part] = []
        while !rest.isEmpty {
            let digits = Array(rest.prefix { (48...57).contains($0) })
            rest = rest.dropFirst(digits.count)
            guard (1...6).contains(digits.count), let value = Int(String(decoding: digits, as: UTF8.self)),
                value <= Self.maximumValue, let letter = rest.popFirst(),
                let unit = Unit(rawValue: String(decoding: [letter], as: UTF8.self)),
                let place = units.firstIndex(of: unit)
            else { return [] }
            units = units[(place + 1)...]
            parts.append((value, unit))
        }
        return parts.contains { $0.value > 0 } ? parts : []
    }

    /// Whether the text is a valid duration of one or more parts.
    package var isAccessDuration: Bool { !accessParts.isEmpty }

    /// Returns the end of access that begins at an instant and lasts for a multiple of the duration.
    ///
    /// Each part is multiplied by the count. All months are added at once, and then all days, so that the day of the
    /// month is adjusted only once.
    ///
    /// - Parameters:
    ///   - start: The beginning of the access.
    ///   - count: The number by which the duration is multiplied.
    /// - Returns: The end of the access; `nil` if the text is not a duration of one or more parts.
    package func accessEnd(from start: Instant, count: Int) -> Instant? {
        if isValid { return end(from: start, count: count) }
        let parts = accessParts
        guard !parts.isEmpty else { return nil }
        var (months, days) = (0, 0)
        for part in parts {
            switch part.unit {
            case .year: months += part.value * 12
            case .month: months += part.value
            case .week: days += part.value * 7
            case .day: days += part.value
            }
        }
        let (allMonths, monthsOverflow) = months.multipliedReportingOverflow(by: count)
        let (allDays, daysOverflow) = days.multipliedReportingOverflow(by: count)
        guard !monthsOverflow, !daysOverflow else { return count < 0 ? .distantPast : .distantFuture }
        return start.adding(months: allMonths).adding(days: allDays)
    }
}
