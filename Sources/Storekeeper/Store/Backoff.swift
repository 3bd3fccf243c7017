/// The waits of a store between retries.
///
/// Each consecutive failure makes the wait longer, up to a limit. A part of each wait is random, so that many stores
/// that failed together do not retry together.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure; at least a millisecond.
    public var first: Duration
    /// The longest wait.
    public var longest: Duration
    /// The random part of a wait, in percent, 0 to 100.
    public var jitter: Int
    /// The random seed; equal seeds give equal waits.
    package var seed: UInt64

    /// Creates a rule for the waits between retries.
    ///
    /// By default, waits begin at one second and double up to five minutes, and up to half of each wait is random.
    public init(
        first: Duration = .seconds(1), longest: Duration = .seconds(300), jitter: Int = 50,
        seed: UInt64 = UInt64.random(in: .min ... .max)
    ) {
        self.first = max(first, .milliseconds(1))
        self.longest = max(longest, .milliseconds(1))
        self.jitter = min(max(jitter, 0), 100)
        self.seed = seed
    }
}

/// The operation that is retried.
///
/// The raw value is a part of the random seed, so that two operations that failed together do not retry together.
package enum RetrySalt: UInt64 {
    /// The stream of updates.
    case stream = 1
    /// An item of the stream that could not be written.
    case item
    /// The deliveries that were outstanding when the process began.
    case beginning
    /// The loop that waits for the next change that time causes.
    case time
    /// The announcement of the changes that time has caused for a customer.
    case announcement
    /// Queued work for a customer.
    case queue
    /// The subscription to other processes' writes.
    case externalWrites
    /// A request to a server.
    case request
    /// A webhook.
    case webhook
}

/// The waits between the retries of one operation.
package struct BackoffSchedule: Sendable {
    private let rule: Backoff
    private var random: UInt64
    /// The number of consecutive failures.
    package private(set) var failures: Int

    /// Creates the schedule of an operation that has not failed yet.
    ///
    /// - Parameters:
    ///   - number: A number that distinguishes schedules with the same salt.
    ///   - failures: The number of failures so far, for an operation that continues after a restart.
    package init(_ rule: Backoff, salt: RetrySalt, number: UInt64 = 0, after failures: Int = 0) {
        self.rule = rule
        self.failures = failures
        random = rule.seed &+ (salt.rawValue &+ number &+ UInt64(clamping: failures)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Counts a failure.
    ///
    /// - Returns: The wait before the next retry, in milliseconds; at least 1.
    package mutating func fail() -> Int64 {
        failures += 1
        let longest = max(rule.longest.milliseconds, 1)
        var wait = max(rule.first.milliseconds, 1)
        for _ in 1..<max(min(failures, 63), 1) where wait < longest {
            wait = wait > longest / 2 ? longest : wait * 2
        }
        wait = min(wait, longest)
        let share = wait.multipliedReportingOverflow(by: Int64(min(max(rule.jitter, 0), 100)))
        let chance = (share.overflow ? wait : share.partialValue) / 100
        guard chance > 0 else { return max(wait, 1) }
        return max(wait - Int64(stepSplitMix64(&random) % UInt64(chance + 1)), 1)
    }

    /// Resets the schedule after a success.
    mutating func succeed() { failures = 0 }
}

/// Retries an operation until it succeeds, with growing waits.
struct Retry: Sendable {
    private let clock: any StoreClock
    private var schedule: BackoffSchedule

    init(_ rule: Backoff, salt: RetrySalt, clock: any StoreClock) {
        self.clock = clock
        schedule = BackoffSchedule(rule, salt: salt)
    }

    /// Waits after a failure; returns early when the task is cancelled.
    mutating func waitAfterFailure() async {
        try? await clock.wait(until: clock.now.adding(milliseconds: schedule.fail()))
    }

    /// Resets the schedule after a success.
    mutating func succeed() { schedule.succeed() }

    /// Retries until the operation succeeds.
    ///
    /// - Parameters:
    ///   - failed: The closure that receives each failure.
    ///   - work: The operation.
    /// - Returns: The operation's value; `nil` if the task was cancelled before the operation succeeded.
    mutating func untilDone<Value, Failure: Error>(
        reporting failed: (Failure) -> Void, _ work: () async throws(Failure) -> Value
    ) async -> Value? {
        while !Task.isCancelled {
            do throws(Failure) {
                let value = try await work()
                succeed()
                return value
            } catch {
                failed(error)
                await waitAfterFailure()
            }
        }
        return nil
    }
}
