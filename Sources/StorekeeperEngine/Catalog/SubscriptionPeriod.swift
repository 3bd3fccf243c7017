/// A length of time by the calendar, such as a month.
///
/// The type is used for the period of a subscription or an offer, and for the access that a non-renewing product gives.
///
/// - SeeAlso: ISO 8601:2004, 4.4.3.2, "Format with designators"; Apple,
///   "StoreKit: Product.SubscriptionPeriod".
public struct SubscriptionPeriod: Hashable, Sendable, CustomStringConvertible {
    /// A unit of the calendar.
    public enum Unit: String, Sendable, CaseIterable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// The text as it was written, such as `P1M`.
    package let text: String
    /// The unit; `nil` if the text is not a duration of one unit.
    public let unit: Unit?
    /// The number of units; `nil` if the text is not a duration of one unit.
    public let value: Int?

    /// The maximum number of units of a period, so that adding a period to an instant cannot overflow.
    static let maximumValue = 100_000

    /// Creates a period from a duration of one unit; any other text is stored without a unit and a value.
    public init(_ text: String) {
        self.text = text
        let body = text.utf8.dropFirst().dropLast()
        if text.utf8.first == UInt8(ascii: "P"), let last = text.last, let unit = Unit(rawValue: String(last)),
            (1...6).contains(body.count), body.allSatisfy({ (48...57).contains($0) }),
            let value = Int(String(decoding: Array(body), as: UTF8.self)), (1...Self.maximumValue).contains(value)
        {
            self.unit = unit
            self.value = value
        } else {
            unit = nil
            value = nil
        }
    }

    /// Whether the text is a duration of one unit.
    package var isValid: Bool { unit != nil }

    /// The text.
    public var description: String { text }

    /// Returns whether two periods have the same length; seven days equal a week, and twelve months equal a year.
    public static func == (left: SubscriptionPeriod, right: SubscriptionPeriod) -> Bool {
        left.normalized == right.normalized
    }

    /// Hashes the length.
    public func hash(into hasher: inout Hasher) { hasher.combine(normalized) }

    private var normalized: String {
        guard let unit, let value else { return text }
        switch unit {
        case .day: return "\(value)D"
        case .week: return "\(value * 7)D"
        case .month: return "\(value)M"
        case .year: return "\(value * 12)M"
        }
    }

    /// Returns the instant that is a number of periods after another instant, by the Gregorian calendar in UTC.
    ///
    /// After months and years, the day of the month stays the same. If the new month is too short, its last day is
    /// used.
    ///
    /// - Parameters:
    ///   - start: The beginning of the first period.
    ///   - count: The number of periods. Each end is computed from the same beginning, so that a short month does not
    ///     change the day of later ends, such as the 31st.
    /// - Returns: The instant; `nil` if the period is not valid.
    package func end(from start: Instant, count: Int = 1) -> Instant? {
        guard let unit, let value else { return nil }
        let (units, overflow) = Int64(value).multipliedReportingOverflow(by: Int64(count))
        guard !overflow, abs(units) <= Int64(Self.maximumValue) * 1000 else {
            return count < 0 ? .distantPast : .distantFuture
        }
        switch unit {
        case .day: return start.adding(milliseconds: units * 86_400_000)
        case .week: return start.adding(milliseconds: units * 7 * 86_400_000)
        case .month: return start.adding(months: Int(units))
        case .year: return start.adding(months: Int(units * 12))
        }
    }
}
