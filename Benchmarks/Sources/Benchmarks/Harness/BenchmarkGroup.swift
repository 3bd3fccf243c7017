/// Cases that are measured together.
///
/// Each round measures every case once, every other round in reverse, so that a temporarily busy machine slows all of
/// them; ratios are computed within a round, and the median counts.
struct BenchmarkGroup {
    let title: String
    /// The number of rounds; groups with long samples use fewer.
    var rounds = 15
    let cases: [BenchmarkCase]

    /// Returns the seconds per operation of each case, a sample for each round.
    func run(isQuick: Bool) async throws -> [[Double]] {
        var calls: [Int] = []
        // Determining the number of calls in a sample also warms up.
        for benchmark in cases { calls.append(try await Self.calls(of: benchmark, lasting: isQuick ? 0.005 : 0.04)) }
        var samples = cases.map { _ in [Double]() }
        for round in 0..<(isQuick ? 3 : rounds) {
            for index in round.isMultiple(of: 2) ? Array(cases.indices) : cases.indices.reversed() {
                let seconds = try await cases[index].measure(calls[index])
                samples[index].append(seconds / Double(calls[index] * cases[index].operations))
            }
        }
        return samples
    }

    private static func calls(of benchmark: BenchmarkCase, lasting sample: Double) async throws -> Int {
        var calls = 1
        while true {
            let seconds = try await benchmark.measure(calls)
            if seconds >= sample { return calls }
            calls = Int((Double(calls) * min(sample / max(seconds, 1e-9) * 1.2, 10)).rounded(.up))
        }
    }
}
