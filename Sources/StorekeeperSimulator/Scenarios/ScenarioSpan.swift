package import Storekeeper

/// A length of time as people write it: `31 days`, `2 months`, `1 day 6 hours`.
package struct ScenarioSpan: Hashable, Sendable {
    /// Calendar months, added first.
    package var months: Int
    /// Milliseconds, added after the months.
    package var milliseconds: Int64

    /// Creates a span.
    package init(months: Int = 0, milliseconds: Int64 = 0) {
        self.months = months
        self.milliseconds = milliseconds
    }

    private static let units: [(word: String, months: Int, milliseconds: Int64)] = [
        ("year", 12, 0), ("month", 1, 0), ("week", 0, 604_800_000), ("day", 0, 86_400_000), ("hour", 0, 3_600_000),
        ("minute", 0, 60_000), ("second", 0, 1000), ("millisecond", 0, 1),
    ]

    /// Reads numbers with units, in any order, each at most nine digits.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard !words.isEmpty, words.count.isMultiple(of: 2) else { return nil }
        var (months, milliseconds) = (0, Int64(0))
        for start in stride(from: 0, to: words.count, by: 2) {
            let word = words[start + 1].hasSuffix("s") ? words[start + 1].dropLast() : words[start + 1]
            guard words[start].utf8.count <= 9, let number = UInt32(words[start]),
                let unit = Self.units.first(where: { $0.word == word })
            else { return nil }
            months += Int(number) * unit.months
            milliseconds += Int64(number) * unit.milliseconds
        }
        self.init(months: months, milliseconds: milliseconds)
    }

    /// The instant after the span.
    package func after(_ instant: Instant) -> Instant {
        instant.adding(months: months).adding(milliseconds: milliseconds)
    }
}
