package import Storekeeper

/// The one format of times on pages: `1 Feb 2026 09:00`, in UTC, and the distance from now in words.
package enum PageTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the day of an instant: `1 Feb 2026`.
    package static func day(_ instant: Instant) -> String {
        let date = CivilDate(daysSince1970: CivilDate.floor(instant.millisecondsSince1970, by: 86_400_000))
        return "\(date.day) \(months[Int(date.month) - 1]) \(date.year)"
    }

    /// Returns the day and the time of day: `1 Feb 2026 09:00`, with seconds unless they are zero.
    package static func text(_ instant: Instant) -> String {
        let clock = instant.toSeconds.dropLast().suffix(8)
        return "\(day(instant)) \(clock.hasSuffix(":00") ? clock.dropLast(3) : clock)"
    }

    /// Returns the distance from now and the time: `in 12 days, 1 Feb 2026 09:00 UTC`.
    package static func text(_ instant: Instant, at now: Instant) -> String {
        "\(RelativeTime.words(for: instant, at: now)), \(text(instant)) UTC"
    }
}
