/// Cases that are measured together.
///
/// Each round measures every case once, every other round in reverse, so that a temporarily busy machine slows all of
/// them; ratios are computed within a round, and the median counts.
struct BenchmarkGroup {
    let title: String
    private(set) var cases: [BenchmarkCase]
    /// The number of rounds; groups with long samples use fewer.
    var rounds = 15

    /// The precision of the measurement.
    struct Precision {
        /// The share of a group's rounds to run; at least three rounds.
        var share: Double
        /// The minimum duration of a sample in seconds.
        var sample: Double
        /// How often a group that misses a target takes as many rounds again; all rounds count.
        var repetitions: Int

        static let whole = Precision(share: 1, sample: 0.04, repetitions: 2)
        static let quick = Precision(share: 0.2, sample: 0.005, repetitions: 0)
    }

    /// Keeps the case with a name, or else those whose names contain it, and the cases with which they are compared.
    mutating func keepCases(named text: String, andCompared: Bool) {
        let named = cases.filter { $0.name == text }
        let kept = named.isEmpty ? cases.filter { $0.name.contains(text) } : named
        let others = Set(andCompared ? kept.flatMap { $0.targets.map(\.otherName) } : [])
        let names = others.union(kept.map(\.name))
        cases = cases.filter { names.contains($0.name) }
    }

    /// Runs all cases a number of times and measures nothing.
    func run(calls: Int) async throws {
        for benchmark in cases { _ = try await benchmark.measure(calls) }
    }

    /// Measures all cases.
    func run(_ effort: Precision) async -> [Measurement] {
        var measurements: [Measurement] = []
        for benchmark in cases {
            // Determining the number of calls in a sample also warms up.
            do {
                measurements.append(Measurement(benchmark, calls: try await Self.calls(benchmark, effort)))
            } catch {
                measurements.append(Measurement(benchmark, failure: "\(error)"))
            }
        }
        await takeSamples(of: &measurements, effort)
        // A machine that is busy for a minute can miss a target; more rounds tell this from a slower program.
        for _ in 0..<effort.repetitions where ResultTable.hasMiss(measurements) {
            await takeSamples(of: &measurements, effort)
        }
        return measurements
    }

    private func takeSamples(of measurements: inout [Measurement], _ effort: Precision) async {
        for round in 0..<max(3, Int(Double(rounds) * effort.share)) {
            let order = round.isMultiple(of: 2) ? Array(measurements.indices) : measurements.indices.reversed()
            for index in order where measurements[index].failure == nil {
                do {
                    try await measurements[index].takeSample()
                } catch {
                    measurements[index].failure = "\(error)"
                }
            }
        }
    }

    private static func calls(_ benchmark: BenchmarkCase, _ effort: Precision) async throws -> Int {
        var calls = 1
        while true {
            let seconds = try await benchmark.measure(calls)
            if seconds >= effort.sample { return calls }
            let factor = seconds > 0 ? min(effort.sample / seconds * 1.2, 10) : 10
            calls = Int((Double(calls) * factor).rounded(.up))
        }
    }
}
