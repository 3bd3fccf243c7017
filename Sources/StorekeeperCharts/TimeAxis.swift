import StorekeeperEngine

/// The tick marks of a time axis: round instants, few enough to be legible.
struct TimeAxis {
    /// A tick mark and its label.
    struct Tick {
        let at: Instant
        let label: String
    }

    /// The tick marks between two instants, both included.
    let ticks: [Tick]

    /// Creates the axis with the smallest interval between tick marks that leads to at most `maximumCount` of them.
    init(from start: Instant, to end: Instant, maximumCount: Int) {
        for step in Step.all {
            let ticks = step.ticks(from: start, to: end, maximumCount: maximumCount)
            if let ticks {
                self.ticks = ticks
                return
            }
        }
        ticks = []
    }

    private enum Step {
        case milliseconds(Int64)
        case months(Int64)

        static let all: [Step] =
            [
                1000, 10_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 6 * 3_600_000, 86_400_000,
                7 * 86_400_000,
            ].map(Step.milliseconds)
            + [1, 3, 6, 12, 24, 60, 120, 1200, 12_000].map(Step.months)

        /// Returns the tick marks at this interval; `nil` if their number exceeds `maximumCount`.
        func ticks(from start: Instant, to end: Instant, maximumCount: Int) -> [Tick]? {
            var ticks: [Tick] = []
            var next = first(from: start)
            while next <= end {
                if ticks.count == maximumCount { return nil }
                ticks.append(Tick(at: next, label: label(next)))
                let following = after(next)
                guard following > next else { return ticks }
                next = following
            }
            return ticks
        }

        private func first(from start: Instant) -> Instant {
            switch self {
            case .milliseconds(let step):
                let floor = CivilDate.floor(start.millisecondsSince1970, by: step) * step
                return Instant(clamped: floor < start.millisecondsSince1970 ? floor + step : floor)
            case .months(let step):
                let date = CivilDate(daysSince1970: CivilDate.floor(start.millisecondsSince1970, by: 86_400_000))
                let month = CivilDate.floor(date.year * 12 + date.month - 1, by: step) * step
                let floor = Self.startOfMonth(month)
                return floor < start ? Self.startOfMonth(month + step) : floor
            }
        }

        private func after(_ instant: Instant) -> Instant {
            switch self {
            case .milliseconds(let step): return instant.adding(milliseconds: step)
            case .months(let step):
                let date = CivilDate(daysSince1970: CivilDate.floor(instant.millisecondsSince1970, by: 86_400_000))
                return Self.startOfMonth(date.year * 12 + date.month - 1 + step)
            }
        }

        private static func startOfMonth(_ month: Int64) -> Instant {
            let year = CivilDate.floor(month, by: 12)
            return Instant(
                clamped: CivilDate(year: year, month: month - year * 12 + 1, day: 1).daysSince1970 * 86_400_000)
        }

        private func label(_ instant: Instant) -> String {
            let text = instant.description
            switch self {
            case .milliseconds(let step) where step < 60_000: return String(text.dropFirst(11).prefix(8))
            case .milliseconds(let step) where step < 86_400_000:
                return String(text.dropFirst(5).prefix(5)) + " " + String(text.dropFirst(11).prefix(5))
            case .milliseconds: return String(text.prefix(10))
            case .months(let step) where step < 12: return String(text.prefix(7))
            case .months: return String(text.prefix(while: { $0 != "-" }))
            }
        }
    }
}
