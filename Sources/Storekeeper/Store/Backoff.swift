/// How long a store waits before it asks again what has failed.
///
/// Each failure in a row makes the wait longer, up to a limit; a part of it is left to chance, so that many stores
/// that failed together do not come back together.
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, in milliseconds.
    public var first: Int64
    /// The longest wait, in milliseconds.
    public var longest: Int64
    /// The part of a wait that is left to chance, in percent, 0 to 100.
    public var jitter: Int64
    /// Where chance begins; equal seeds give equal waits.
    public var seed: UInt64

    /// Makes a rule: one second, doubled up to five minutes, of which half is left to chance.
    public init(
        first: Int64 = 1_000, longest: Int64 = 300_000, jitter: Int64 = 50,
        seed: UInt64 = UInt64.random(in: .min ... .max)
    ) {
        self.first = max(first, 1)
        self.longest = max(longest, 1)
        self.jitter = min(max(jitter, 0), 100)
        self.seed = seed
    }
}

/// The waits of one thing that is tried again and again.
struct BackoffSchedule: Sendable {
    private let rule: Backoff
    private var random: UInt64
    /// How often it has failed in a row.
    private(set) var failures = 0

    /// - Parameter lane: Tells schedules of one rule apart, so that they do not wait in step.
    init(_ rule: Backoff, lane: UInt64) {
        self.rule = rule
        random = rule.seed &+ lane &* 0x9E37_79B9_7F4A_7C15
    }

    /// Notes a failure.
    ///
    /// - Returns: How long to wait before the next try, in milliseconds; at least 1.
    mutating func fail() -> Int64 {
        failures += 1
        var wait = rule.first
        for _ in 1..<max(min(failures, 63), 1) where wait < rule.longest {
            wait = wait > rule.longest / 2 ? rule.longest : wait * 2
        }
        wait = min(wait, rule.longest)
        let share = wait.multipliedReportingOverflow(by: rule.jitter)
        let chance = (share.overflow ? wait : share.partialValue) / 100
        guard chance > 0 else { return max(wait, 1) }
        return max(wait - Int64(nextNumber() % UInt64(chance + 1)), 1)
    }

    /// Notes a success.
    mutating func succeed() { failures = 0 }

    /// The next number of the sequence SplitMix64.
    private mutating func nextNumber() -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var number = random
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
