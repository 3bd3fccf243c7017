/// The measurement of a case.
struct Measurement {
    let benchmark: BenchmarkCase
    /// Why there is no result; `nil` if there is.
    var failure: String?
    /// The seconds per operation, one sample per round.
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

    /// The median seconds per operation; of an even number of samples, the larger middle one.
    var median: Double { Self.median(samples) }

    /// The median ratio, over the rounds, of the time of an operation to that of another.
    func time(comparedTo other: Measurement) -> Double {
        Self.median(zip(samples, other.samples).map { $0 / $1 })
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
