/// What was measured of a case.
struct Measurement {
    let benchmark: BenchmarkCase
    /// Why there is nothing; `nil` where there is.
    var failure: String?
    /// Seconds per operation, one sample a round.
    private(set) var samples: [Double] = []
    private let calls: Int

    init(_ benchmark: BenchmarkCase, calls: Int) {
        self.benchmark = benchmark
        self.calls = calls
    }

    init(_ benchmark: BenchmarkCase, failure: String) {
        self.benchmark = benchmark
        self.failure = failure
        calls = 0
    }

    mutating func takeSample() async throws {
        samples.append(try await benchmark.measure(calls) / Double(calls * benchmark.operations))
    }

    /// Seconds per operation; of an even number of samples the later of the two in the middle.
    var median: Double { Self.median(samples) }

    /// How many times longer than another an operation takes, as the median over the rounds.
    func time(comparedTo other: Measurement) -> Double {
        Self.median(zip(samples, other.samples).map { $0 / $1 })
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
