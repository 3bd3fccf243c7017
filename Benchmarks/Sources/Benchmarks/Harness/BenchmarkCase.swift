/// One thing to measure.
struct BenchmarkCase {
    /// What is measured; other cases of its group name it when they compare themselves with it.
    let name: String
    /// How many operations one call does; figures are per operation.
    let operations: Int
    /// What the figures ought to be.
    let targets: [Target]
    /// What is measured.
    var unit = Unit.seconds
    /// Does the work a number of times and says how many seconds, or bytes, it took.
    let measure: (_ calls: Int) async throws -> Double

    /// What figures are given in.
    enum Unit {
        case seconds
        /// Of memory.
        case bytes
    }

    /// What a figure ought to be beside another of the same run: machines differ, ratios hardly do.
    enum Target {
        /// At least so many times the speed of another case of the group.
        case speed(of: String, atLeast: Double)
        /// At most so many times the time of another case of the group.
        case time(of: String, atMost: Double)
        /// At most so many seconds, where what takes the time is made to take it.
        case seconds(atMost: Double)
        /// The speed beside another case, with nothing asked of it.
        case comparedSpeed(of: String)
        /// The time beside another case, with nothing asked of it.
        case comparedTime(of: String)

        /// The name of the other case, if there is one.
        var otherName: String? {
            switch self {
            case .speed(let name, _), .time(let name, _), .comparedSpeed(let name), .comparedTime(let name): name
            case .seconds: nil
            }
        }
    }

    /// Work on the calling thread, measured in its processor time.
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

    /// Work on several threads.
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

    /// Work that says itself how many seconds it took.
    static func timed(
        _ name: String, operations: Int, targets: [Target] = [], _ work: @escaping () throws -> Double
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: operations, targets: targets) { calls in
            var seconds = 0.0
            for _ in 0..<calls { seconds += try work() }
            return seconds
        }
    }

    /// Memory that was measured before.
    static func memory(_ name: String, bytes: Double) -> BenchmarkCase {
        BenchmarkCase(name: name, operations: 1, targets: [], unit: .bytes) { calls in
            guard bytes > 0 else { throw BenchmarkError("it took memory that others had freed; run the group alone") }
            return bytes * Double(calls)
        }
    }
}

/// Why a case cannot be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
