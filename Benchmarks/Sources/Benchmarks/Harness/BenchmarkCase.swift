/// A measurement.
struct BenchmarkCase {
    /// The name of the case, by which other cases of its group refer to it for comparison.
    let name: String
    /// The number of operations in a call; figures are per operation.
    let operations: Int
    /// The targets of the figures.
    let targets: [Target]
    /// The measured work.
    var unit = Unit.seconds
    /// Runs the work a number of times and returns the seconds, or bytes, that it took.
    let measure: (_ calls: Int) async throws -> Double

    /// The unit of the figures.
    enum Unit {
        case seconds
        /// Of memory.
        case bytes
    }

    /// A target for a figure compared with another of the same run: ratios hardly depend on the machine.
    enum Target {
        /// At least a multiple of the speed of another case of the group.
        case speed(of: String, atLeast: Double)
        /// At most a multiple of the time of another case of the group.
        case time(of: String, atMost: Double)
        /// The speed compared with another case, without a target.
        case comparedSpeed(of: String)
        /// The time compared with another case, without a target.
        case comparedTime(of: String)

        /// The name of the other case.
        var otherName: String {
            switch self {
            case .speed(let name, _), .time(let name, _), .comparedSpeed(let name), .comparedTime(let name): name
            }
        }
    }

    /// Returns a case for work on the calling thread, measured in processor time.
    static func serial(
        _ name: String, operations: Int, targets: [Target] = [], clock: Stopwatch = .threadTime,
        _ work: @escaping () throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: operations, targets: targets) { calls in
            let start = clock.seconds
            for _ in 0..<calls { try work() }
            return clock.seconds - start
        }
    }

    /// Returns a case for work on several threads.
    static func parallel(
        _ name: String, operations: Int, targets: [Target] = [], clock: Stopwatch = .wallTime,
        _ work: @escaping () async throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: operations, targets: targets) { calls in
            let start = clock.seconds
            for _ in 0..<calls { try await work() }
            return clock.seconds - start
        }
    }

    /// Returns a case for work that measures its duration in seconds itself.
    static func timed(
        _ name: String, operations: Int, targets: [Target] = [], _ work: @escaping () throws -> Double
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: operations, targets: targets) { calls in
            var seconds = 0.0
            for _ in 0..<calls { seconds += try work() }
            return seconds
        }
    }

    /// Returns a case for memory that was measured before.
    static func memory(_ name: String, bytes: Double) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: 1, targets: [], unit: .bytes) { calls in
            guard bytes > 0 else { throw BenchmarkError("it took memory that others had freed; run the group alone") }
            return bytes * Double(calls)
        }
    }
}

/// The error of a case that cannot be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
