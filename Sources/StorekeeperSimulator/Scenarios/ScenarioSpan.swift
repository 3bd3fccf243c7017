package import Storekeeper

/// A duration as people write it, such as `31 days`, `2 months` or `1 day 6 hours`.
package struct ScenarioSpan: Hashable, Sendable {
    /// The number of calendar months, which are added first.
    package var months: Int
    /// The number of milliseconds, which are added after the months.
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

    /// Parses numbers with units, such as `1 day 6 hours`, in any order; each number has at most nine digits.
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

    /// The longest span of one step.
    ///
    /// A longer span is a mistake, because the step would run for a long time.
    private static let longestStep = ScenarioSpan(months: 1200)

    /// Whether the span is short enough for one step.
    var isStep: Bool {
        let origin = Instant(clamped: 0)
        return after(origin) <= Self.longestStep.after(origin)
    }

    /// Checks that an instant is at most 100 years after the current time, so that one step can advance to it.
    ///
    /// - Throws: ``SimulatorError`` with `invalidValue` if the instant is later.
    package static func checkStep(from now: Instant, to instant: Instant) throws(SimulatorError) {
        guard instant <= longestStep.after(now) else {
            throw SimulatorError(
                .invalidValue,
                "\(instant) is more than 100 years after \(now); write at most '100 years' in one step")
        }
    }

    /// Returns the instant that lies this span after another instant.
    package func after(_ instant: Instant) -> Instant {
        instant.adding(months: months).adding(milliseconds: milliseconds)
    }
}
