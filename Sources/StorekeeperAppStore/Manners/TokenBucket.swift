import Storekeeper

/// How many requests may go out in a time, and when the next one may.
///
/// Pure arithmetic on whole numbers: a request costs one token, tokens grow evenly, and a request that may not go yet is
/// given its instant at once, so that those who wait go in the order in which they came.
///
/// In any span of time of `s` seconds at most `burst + s × rate` requests are let go. With a burst of 1 no second ever has
/// more than the rate.
struct TokenBucket: Hashable, Sendable {
    /// What came of asking.
    enum Answer: Hashable, Sendable {
        /// It may go at an instant, now or later.
        case granted(Instant)
        /// It could go no earlier than at an instant, which is too late; nothing was taken.
        case tooLate(Instant)
    }

    /// How many units one request costs: the milliseconds of an hour, so that a rate an hour fills whole units a
    /// millisecond.
    private static let cost: Int64 = 3_600_000

    /// How many requests an hour.
    let hourlyRate: Int64
    /// How many requests may go at once after a rest.
    let burst: Int64
    /// What is there, in units; less than nothing where requests wait.
    private var level: Int64
    private var measuredAt: Instant

    /// Makes a bucket that is full.
    ///
    /// - Parameters:
    ///   - hourlyRate: How many requests an hour, 1 to 1,000,000,000.
    ///   - burst: How many at once, 1 to 100,000.
    init(hourlyRate: Int64, burst: Int64 = 1, at now: Instant) {
        self.hourlyRate = min(max(hourlyRate, 1), 1_000_000_000)
        self.burst = min(max(burst, 1), 100_000)
        level = self.burst * Self.cost
        measuredAt = now
    }

    /// Asks for one request.
    ///
    /// - Parameter latest: The last instant at which it is of any use.
    mutating func take(at now: Instant, notAfter latest: Instant = .distantFuture) -> Answer {
        fill(until: now)
        let left = level - Self.cost
        if left >= 0 {
            level = left
            return .granted(now)
        }
        // Rounded up: a millisecond early would be one request too many.
        let wait = (-left + hourlyRate - 1) / hourlyRate
        let at = now.adding(milliseconds: wait)
        guard at <= latest, left > -(Int64.max / 8) else { return .tooLate(at) }
        // What has grown in the part of a millisecond that was added is given up: it would be too much for the next.
        level = -wait * hourlyRate
        return .granted(at)
    }

    /// Adds what has grown since the bucket was last looked at.
    private mutating func fill(until now: Instant) {
        let elapsed = now.milliseconds(since: measuredAt)
        // A clock that was set back begins anew from there; what was granted stays granted.
        measuredAt = now
        guard elapsed > 0 else { return }
        let room = burst * Self.cost - level
        // Enough to fill it: the product could be greater than any number.
        if elapsed >= room / hourlyRate + 1 {
            level = burst * Self.cost
        } else {
            level += elapsed * hourlyRate
        }
    }
}
