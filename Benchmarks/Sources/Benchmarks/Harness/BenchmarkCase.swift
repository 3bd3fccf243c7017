/// A measurement.
struct BenchmarkCase {
    /// The name, by which other cases of the group are compared with it.
    let name: String
    /// The number of operations in a call; figures are per operation.
    let operations: Int
    let comparisons: [Comparison]
    /// Runs the work a number of times and returns the seconds that it took.
    let measure: (_ calls: Int) async throws -> Double

    init(
        _ name: String, operations: Int = 1, _ comparisons: [Comparison],
        measure: @escaping (_ calls: Int) async throws -> Double
    ) {
        (self.name, self.operations, self.comparisons, self.measure) = (name, operations, comparisons, measure)
    }

    /// A case of work that ends on the thread it begins on, unless the clock is another.
    init(
        _ name: String, operations: Int = 1, _ comparisons: Comparison..., clock: Stopwatch = .threadTime,
        work: @escaping () async throws -> Void
    ) {
        self.init(name, operations: operations, comparisons) { calls in
            let start = clock.seconds
            for _ in 0..<calls { try await work() }
            return clock.seconds - start
        }
    }

    /// A case of work that returns how many seconds it took, without what it prepared.
    static func timed(
        _ name: String, operations: Int, _ comparisons: Comparison..., work: @escaping () async throws -> Double
    ) -> BenchmarkCase {
        BenchmarkCase(name, operations: operations, comparisons) { calls in
            var seconds = 0.0
            for _ in 0..<calls { seconds += try await work() }
            return seconds
        }
    }

    /// A comparison with another case of the same run: ratios hardly depend on the machine.
    struct Comparison {
        let other: String
        let isSpeed: Bool
        let limit: Double?

        static func speed(of other: String, atLeast limit: Double? = nil) -> Comparison {
            Comparison(other: other, isSpeed: true, limit: limit)
        }

        static func time(of other: String, atMost limit: Double? = nil) -> Comparison {
            Comparison(other: other, isSpeed: false, limit: limit)
        }
    }
}

/// The error of a case that cannot be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
