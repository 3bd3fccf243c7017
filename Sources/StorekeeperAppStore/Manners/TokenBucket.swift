import Storekeeper

/// Limits how many requests may go out in a time, and computes when the next one may.
///
/// Pure integer arithmetic: a request costs one token, tokens accrue evenly, and a request that may not go yet is
/// assigned its instant at once, so that waiting requests go in order of arrival.
///
/// In any span of `s` seconds at most `burst + s × rate` requests are granted. With a burst of 1 no second exceeds the
/// rate.
struct TokenBucket: Hashable, Sendable {
    /// The decision about a request.
    enum Answer: Hashable, Sendable {
        /// The request may go at an instant, now or later.
        case granted(Instant)
        /// The earliest possible instant is too late; nothing was taken.
        case tooLate(Instant)
    }

    /// The units that one request costs: the milliseconds of an hour, so that an hourly rate accrues whole units per
    /// millisecond.
    private static let cost: Int64 = 3_600_000

    /// The number of requests per hour.
    let hourlyRate: Int64
    /// The number of requests that may go at once after a pause.
    let burst: Int64
    /// The available units; negative while requests wait.
    private var level: Int64
    private var measuredAt: Instant

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - hourlyRate: The number of requests per hour, 1 to 1,000,000,000.
    ///   - burst: The number of requests at once, 1 to 100,000.
    init(hourlyRate: Int64, burst: Int64 = 1, at now: Instant) {
        self.hourlyRate = min(max(hourlyRate, 1), 1_000_000_000)
        self.burst = min(max(burst, 1), 100_000)
        level = self.burst * Self.cost
        measuredAt = now
    }

    /// Takes a token for one request.
    ///
    /// - Parameter latest: The last instant at which the request is of use.
    mutating func take(at now: Instant, notAfter latest: Instant = .distantFuture) -> Answer {
        fill(until: now)
        let left = level - Self.cost
        if left >= 0 {
            level = left
            return .granted(now)
        }
        // Rounded up: a millisecond early would exceed the rate.
        let wait = (-left + hourlyRate - 1) / hourlyRate
        let at = now.adding(milliseconds: wait)
        guard at <= latest, left > -(Int64.max / 8) else { return .tooLate(at) }
        // The units accrued in the rounded-up part of a millisecond are dropped: they would let the next request go too
        // early.
        level = -wait * hourlyRate
        return .granted(at)
    }

    /// Adds the units accrued since the last update.
    private mutating func fill(until now: Instant) {
        let elapsed = now.milliseconds(since: measuredAt)
        // If the clock was set back, accrual restarts from there; granted requests stay granted.
        measuredAt = now
        guard elapsed > 0 else { return }
        let room = burst * Self.cost - level
        // Enough to fill the bucket; the product could overflow.
        if elapsed >= room / hourlyRate + 1 {
            level = burst * Self.cost
        } else {
            level += elapsed * hourlyRate
        }
    }
}
