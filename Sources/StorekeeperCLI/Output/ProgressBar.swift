import Storekeeper

/// The progress of a command, in one line on standard error that is redrawn in place.
///
/// Nothing is drawn if standard error is not a terminal.
///
/// The line appears only after the work has lasted ``patience``, and is erased at the end:
///
/// ```swift
/// let bar = ProgressBar("Playing stories", of: paths.count, unit: "stories", on: console)
/// defer { bar.end() }
/// for path in paths { play(path); bar.advance(by: 1) }
/// ```
final class ProgressBar {
    private let what: String
    private let total: Int?
    private let unit: String
    private let errors: TextOutput?
    private let width: Int
    private let now: () -> ContinuousClock.Instant

    private let start: ContinuousClock.Instant
    private var lastDrawn: ContinuousClock.Instant?
    /// The amount of work done.
    private(set) var done = 0

    /// The delay before the first drawing.
    static let patience = Duration.milliseconds(500)
    /// The interval between drawings.
    static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - what: The activity, such as `Verifying`.
    ///   - total: The total amount of work; `nil` if it is unknown, as for a pipe.
    ///   - unit: The unit in the plural, such as `items`; `bytes` are shown as MB.
    ///   - isShown: Whether the bar is drawn. Pass `false` if the command prints results to the same terminal during
    ///     the work.
    ///   - now: The clock.
    init(
        _ what: String, of total: Int?, unit: String, on console: Console, isShown: Bool = true,
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.what = what
        self.total = total
        self.unit = unit
        self.now = now
        errors = isShown && console.drawsProgress ? console.errors : nil
        width = console.errorWidth
        start = now()
    }

    deinit { end() }

    /// Adds to the amount of work done, and redraws the line if the interval has passed.
    func advance(by count: Int = 1) {
        let (sum, overflows) = done.addingReportingOverflow(count)
        advance(to: overflows ? .max : sum)
    }

    /// Sets the amount of work done, and redraws the line if the interval has passed.
    func advance(to count: Int) {
        done = max(done, count)
        guard let errors else { return }
        let instant = now()
        guard start.duration(to: instant) >= Self.patience else { return }
        if let lastDrawn, lastDrawn.duration(to: instant) < Self.interval { return }
        lastDrawn = instant
        errors.text("\r\u{1B}[K" + line(after: start.duration(to: instant)))
        errors.flush()
    }

    /// Erases the line, so that the next output begins at the left edge of the terminal.
    func end() {
        guard lastDrawn != nil else { return }
        lastDrawn = nil
        errors?.text("\r\u{1B}[K")
        errors?.flush()
    }

    /// Returns the line, such as `Verifying ━━━━━━━━────────  52%, 8 s left`.
    private func line(after elapsed: Duration) -> String {
        guard let total, total > 0 else { return "\(what): \(counted(done)) so far".cut(to: width - 1) }
        let share = min(max(Double(done) / Double(total), 0), 1)
        var rest = " \(Int(share * 100))%, \(counted(done, of: total))"
        // Estimate the remaining time only after a tenth of the work.
        if share > 0.1, share < 1 {
            rest += ", \(Int((elapsed / .seconds(1) * (1 - share) / share).rounded(.up))) s left"
        }
        let room = min(width - 1 - what.columns - rest.columns - 1, Self.longest)
        guard room >= Self.shortest else { return (what + rest).cut(to: width - 1) }
        let filled = Int(share * Double(room))
        return what + " " + String(repeating: "━", count: filled) + String(repeating: "─", count: room - filled) + rest
    }

    private static let shortest = 8
    private static let longest = 40

    private func counted(_ count: Int) -> String {
        unit == "bytes" ? Self.megabytes(count) + " MB" : "\(count) \(unit)"
    }

    private func counted(_ count: Int, of total: Int) -> String {
        unit == "bytes"
            ? "\(Self.megabytes(count)) of \(Self.megabytes(total)) MB" : "\(count) of \(total) \(unit)"
    }

    private static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000).\(bytes / 100_000 % 10)" }
}
