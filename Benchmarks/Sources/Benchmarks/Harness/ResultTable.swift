import Foundation

/// Prints the figures of groups, and collects the lines that miss their targets.
struct ResultTable {
    private var misses: [String] = []

    /// The last lines of a run.
    var conclusion: String {
        let lines = misses.isEmpty ? ["Every line meets its target."] : ["Lines that miss their targets"] + misses
        return "\n" + lines.joined(separator: "\n  ")
    }

    /// Prints a group whose cases have the given samples.
    mutating func add(_ group: BenchmarkGroup, _ samples: [[Double]]) {
        print("\n\(group.title)")
        for (benchmark, own) in zip(group.cases, samples) {
            let spread = "\(Self.duration(own.min() ?? .nan)) … \(Self.duration(own.max() ?? .nan))"
            let line =
                "  " + Self.padded(benchmark.name, 50) + Self.padded(Self.duration(Self.median(own)), -10)
                + Self.padded(spread, -24)
            if benchmark.comparisons.isEmpty { print(line) }
            for (number, comparison) in benchmark.comparisons.enumerated() {
                let verdict = verdict(on: comparison, own, group, samples)
                print((number == 0 ? line : Self.padded("", line.count)) + "   " + verdict.text)
                if !verdict.isMet { misses.append("\(group.title): \(benchmark.name) is \(verdict.text)") }
            }
        }
    }

    private func verdict(
        on comparison: BenchmarkCase.Comparison, _ own: [Double], _ group: BenchmarkGroup, _ samples: [[Double]]
    ) -> (text: String, isMet: Bool) {
        guard let other = group.cases.firstIndex(where: { $0.name == comparison.other }) else {
            return ("(no case “\(comparison.other)”)", false)
        }
        let ratio = Self.median(zip(own, samples[other]).map { comparison.isSpeed ? $1 / $0 : $0 / $1 })
        let text = "\(Self.two(ratio)) × \(comparison.isSpeed ? "speed" : "time") of \(comparison.other)"
        guard let limit = comparison.limit else { return (text, true) }
        let isMet = comparison.isSpeed ? ratio >= limit : ratio <= limit
        return ("\(text) (\(comparison.isSpeed ? "≥" : "≤") \(Self.two(limit)): \(isMet ? "yes" : "NO"))", isMet)
    }

    /// The middle value; of an even number of values, the larger of the two.
    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// A text at the left of a column, or for a negative width at its right.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? blanks + text : text + blanks
    }

    private static func two(_ value: Double) -> String { String(format: "%.2f", value) }

    /// A duration with three digits, as `71.2 µs`.
    private static func duration(_ seconds: Double) -> String {
        let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")]
        let (scale, unit) = units.first { seconds < 999.5 * $0.0 } ?? (1, "s")
        let value = seconds / scale
        return String(format: "%.\(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)f", value) + " " + unit
    }
}
