/// Texts that describe the distance between two instants, to be shown in addition to the exact time.
package enum RelativeTime {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("year", 365 * 86_400_000), ("month", 30 * 86_400_000), ("day", 86_400_000), ("hour", 3_600_000),
        ("minute", 60_000), ("second", 1000),
    ]

    /// Returns a text such as `in 3 days`, `2 hours ago`, `now`, rounded towards the present.
    ///
    /// A day has 24 hours, a month has 30 days, and a year has 365 days. A distance of less than two months is given in
    /// days, so that 31 days do not become "1 month".
    package static func words(for instant: Instant, at now: Instant) -> String {
        let distance = instant.milliseconds(since: now)
        let amount = distance.magnitude
        for (name, length) in units {
            let least = name == "month" ? length * 2 : length
            guard amount >= UInt64(least) else { continue }
            let count = amount / UInt64(length)
            let words = "\(count) \(name)\(count == 1 ? "" : "s")"
            return distance > 0 ? "in \(words)" : "\(words) ago"
        }
        return "now"
    }

    /// Returns the exact time, followed by the distance in parentheses.
    package static func text(_ instant: Instant, at now: Instant) -> String {
        "\(instant) (\(words(for: instant, at: now)))"
    }
}
