/// How long a store waits before it asks again what has failed.
///
/// Each failure in a row makes the wait longer, up to a limit; a part of it is left to chance, so that many stores
/// that failed together do not come back together.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, a millisecond at least.
    public var first: Duration
    /// The longest wait.
    public var longest: Duration
    /// The part of a wait that is left to chance, in percent, 0 to 100.
    public var jitter: Int
    /// Where chance begins; equal seeds give equal waits.
    package var seed: UInt64

    /// Makes a rule: one second, doubled up to five minutes, of which half is left to chance.
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

/// What is tried again, so that two things that failed together do not wait in step.
package enum RetrySalt: UInt64 {
    /// The stream of updates.
    case stream = 1
    /// One item of it that could not be written.
    case item
    /// What was owed when the process began.
    case beginning
    /// The watch over the time.
    case time
    /// Changes that could not be announced to a customer.
    case announcement
    /// Work for a customer that stands in a queue.
    case queue
    /// Listening to what other processes write.
    case news
    /// A request to a server.
    case request
}

/// The waits of one thing that is tried again and again.
package struct BackoffSchedule: Sendable {
    private let rule: Backoff
    private var random: UInt64
    /// How often it has failed in a row.
    package private(set) var failures = 0

    /// Makes the schedule of something that has not failed yet.
    ///
    /// - Parameter number: Tells several schedules of one salt apart.
    package init(_ rule: Backoff, salt: RetrySalt, number: UInt64 = 0) {
        self.rule = rule
        random = rule.seed &+ (salt.rawValue &+ number) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Counts a failure.
    ///
    /// - Returns: How long to wait before the next try, in milliseconds; at least 1.
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

    /// Begins anew after a success.
    mutating func succeed() { failures = 0 }
}

/// Tries something until it succeeds, with longer and longer waits in between.
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

    /// Begins anew after a success.
    mutating func succeed() { schedule.succeed() }

    /// Tries until it succeeds.
    ///
    /// - Parameters:
    ///   - failed: Is told each failure.
    ///   - work: What to try.
    /// - Returns: `nil` when the task was cancelled before it succeeded.
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
