/// Shorter texts of an instant, for people to read.
extension Instant {
    /// The time to the second, such as `2026-03-01T09:30:00Z`.
    package var toSeconds: String { String(description.prefix { $0 != "." }) + "Z" }
    /// The time to the minute, such as `2026-03-01T09:30Z`.
    package var toMinutes: String { String(toSeconds.dropLast(4)) + "Z" }
    /// The day, such as `2026-03-01`.
    package var day: String { String(description.prefix { $0 != "T" }) }

    /// The day, and the time of day unless it is zero: `2026-03-01`, `2026-03-01 09:30`, `2026-03-01 09:30:15`.
    package var brief: String {
        let clock = toSeconds.dropFirst(day.utf8.count + 1).dropLast()
        if clock == "00:00:00" { return day }
        return "\(day) \(clock.hasSuffix(":00") ? clock.dropLast(3) : clock)"
    }
}
