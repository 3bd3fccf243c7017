/// A limit on the rate of requests; it computes the instant at which each request may be sent.
///
/// The computation uses only integers. A request costs one token, and tokens accrue evenly. A request that must wait is
/// immediately assigned the instant at which it may be sent, so that waiting requests are sent in order of arrival.
///
/// In any `s` seconds, at most `burst + s × rate` requests are granted, where `rate` is the limit per second. With a
/// burst of 1, any two requests are at least `1 / rate` seconds apart.
package struct TokenBucket: Hashable, Sendable {
    /// The decision about a request.
    package enum Answer: Hashable, Sendable {
        /// The request may be sent at the instant, which is now or later.
        case granted(Instant)
        /// The earliest possible instant, which is the associated value, is too late for the request; no token was
        /// taken.
        case tooLate(Instant)
    }

    /// The number of units that one request costs.
    ///
    /// The cost is the number of milliseconds in an hour, so that a rate per hour accrues a whole number of units in
    /// each millisecond.
    private static let cost: Int64 = 3_600_000

    /// A limit of requests.
    package struct Limit: Hashable, Sendable {
        /// The number of requests per hour.
        let hourlyRate: Int64
        /// The number of requests that may be sent without waiting after a pause.
        let burst: Int64

        /// Creates a limit.
        ///
        /// - Parameters:
        ///   - hourlyRate: The number of requests per hour, 1 to 10,000,000,000.
        ///   - burst: The number of requests that may be sent without waiting after a pause, 1 to 100,000,000.
        package init(hourlyRate: Int64, burst: Int64 = 1) {
            self.hourlyRate = min(max(hourlyRate, 1), 10_000_000_000)
            self.burst = min(max(burst, 1), 100_000_000)
        }

        /// Creates a limit of requests per second, rounded to whole requests per hour.
        package init(perSecond rate: Double, burst: Double) {
            self.init(
                hourlyRate: Int64(min(max(rate * 3600, 1), 1e10).rounded()), burst: Int64(min(max(burst, 1), 1e8)))
        }
    }

    /// The rate and the burst of the bucket.
    package let limit: Limit
    /// The available units; negative while requests wait.
    private var level: Int64
    private var measuredAt: Instant

    /// Creates a full bucket.
    package init(_ limit: Limit, at now: Instant) {
        self.limit = limit
        level = limit.burst * Self.cost
        measuredAt = now
    }

    /// The instant at which the bucket is full again.
    package var fullAt: Instant {
        measuredAt.adding(milliseconds: Self.quotient(limit.burst * Self.cost - level, limit.hourlyRate))
    }

    private static func quotient(_ units: Int64, _ rate: Int64) -> Int64 { units / rate + (units % rate > 0 ? 1 : 0) }

    /// Takes a token for one request.
    ///
    /// - Parameter latest: The last instant at which the request is still useful.
    package mutating func take(at now: Instant, notAfter latest: Instant = .distantFuture) -> Answer {
        refill(until: now)
        let left = level - Self.cost
        if left >= 0 {
            level = left
            return .granted(now)
        }
        // The wait is rounded up, because a request that is sent a part of a millisecond too early would exceed the
        // rate.
        let wait = Self.quotient(-left, limit.hourlyRate)
        let at = now.adding(milliseconds: wait)
        guard at <= latest, left > -(Int64.max / 8) else { return .tooLate(at) }
        // The units that accrue in the rounded-up part of a millisecond are dropped, because they would let the next
        // request be sent too early.
        level = -wait * limit.hourlyRate
        return .granted(at)
    }

    /// Takes tokens for a request that was answered, even if they are not available.
    ///
    /// The debt is at most the burst, so that the bucket has a token again after about `burst / rate`.
    package mutating func charge(_ requests: Int, at now: Instant) {
        refill(until: now)
        let full = limit.burst * Self.cost
        level = max(level - Int64(min(max(requests, 0), 1_000_000)) * Self.cost, -full)
    }

    /// Adds the units accrued since the last update.
    private mutating func refill(until now: Instant) {
        let elapsed = now.milliseconds(since: measuredAt)
        // If the clock was set back, accrual restarts at the new time. Granted requests stay granted.
        measuredAt = now
        guard elapsed > 0 else { return }
        let room = limit.burst * Self.cost - level
        // If the elapsed time fills the bucket, the units are not multiplied, because the product could overflow.
        if elapsed >= room / limit.hourlyRate + 1 {
            level = limit.burst * Self.cost
        } else {
            level += elapsed * limit.hourlyRate
        }
    }
}

/// A token bucket for each key, such as a client; full buckets are removed if the number of buckets exceeds a limit.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// The number of buckets above which full buckets are removed.
    private static var capacity: Int { 10_000 }

    private var buckets: [Key: TokenBucket] = [:]

    /// Creates an empty value; the bucket of a new key is full.
    package init() {}

    /// Checks a request against the limit of its key, and by default counts the request.
    ///
    /// - Parameters:
    ///   - key: The key; if its limit has changed since the last request, its bucket is full again.
    ///   - limit: The limit.
    ///   - now: The current instant.
    ///   - isCounted: Whether the request is counted.
    /// - Returns: The instant at which to retry; `nil` if the request may be answered.
    package mutating func retryAt(
        _ key: Key, _ limit: TokenBucket.Limit, at now: Instant, isCounted: Bool = true
    ) -> Instant? {
        var bucket = bucket(of: key, limit, at: now)
        let answer = bucket.take(at: now, notAfter: now)
        if isCounted { buckets[key] = bucket }
        forget(at: now)
        guard case .tooLate(let at) = answer else { return nil }
        return at
    }

    /// Counts requests that were answered toward the limit of their key, even if the limit is exceeded.
    package mutating func charge(_ requests: Int, to key: Key, _ limit: TokenBucket.Limit, at now: Instant) {
        var bucket = bucket(of: key, limit, at: now)
        bucket.charge(requests, at: now)
        buckets[key] = bucket
        forget(at: now)
    }

    private func bucket(of key: Key, _ limit: TokenBucket.Limit, at now: Instant) -> TokenBucket {
        buckets[key].flatMap { $0.limit == limit ? $0 : nil } ?? TokenBucket(limit, at: now)
    }

    /// Removes full buckets if the number of buckets exceeds the limit; if this does not suffice, removes all buckets.
    private mutating func forget(at now: Instant) {
        guard buckets.count > Self.capacity else { return }
        buckets = buckets.filter { $0.value.fullAt > now }
        if buckets.count > Self.capacity { buckets = [:] }
    }
}
