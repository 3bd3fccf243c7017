import Foundation

/// The clocks for measurements.
enum Stopwatch {
    /// Processor time of the calling thread, which other processes hardly affect.
    case threadTime
    /// Processor time of all threads of this process.
    case processTime
    /// Wall-clock time, for work on several threads or in another process.
    case wallTime

    /// Seconds since a fixed point.
    var seconds: Double {
        var time = timespec()
        switch self {
        case .threadTime: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        case .processTime: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        case .wallTime: clock_gettime(CLOCK_MONOTONIC, &time)
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Does work for each number below a count, by a number of concurrent tasks.
///
/// - Returns: The seconds on the wall.
@discardableResult
func concurrently(
    _ count: Int, tasks: Int = 64, _ work: @escaping @Sendable (Int) async throws -> Void
) async throws -> Double {
    let start = Stopwatch.wallTime.seconds
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
            group.addTask {
                for number in stride(from: task, to: count, by: tasks) { try await work(number) }
            }
        }
        try await group.waitForAll()
    }
    return Stopwatch.wallTime.seconds - start
}

/// False in every run, but not to the optimiser.
private let isWatched = CommandLine.arguments.count == .max

/// Consumes a value, so that its computation is not optimised away.
@inline(never)
func blackHole(_ value: some Any) {
    if isWatched { print(value) }
}
