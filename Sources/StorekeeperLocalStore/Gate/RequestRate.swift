package import Storekeeper
import Synchronization

/// Limits the requests per second by endpoint, as the App Store Server API does.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits".
package final class RequestRate: Sendable {
    /// The rate limit of an endpoint in production, in requests per second.
    enum Limit: Int, Hashable, Sendable { case fifty = 50, twenty = 20, ten = 10, one = 1 }

    private struct Bucket {
        var tokens: Double
        var filledAt: Instant
    }

    private struct Key: Hashable {
        let app: String
        let limit: Limit
    }

    private let factor: Double
    private let clock: any StoreClock
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - factor: The fraction of the App Store's limits for production; 0.1 gives those of the sandbox.
    ///   - clock: The machine's clock, not the simulated one.
    package init(factor: Double, clock: any StoreClock) {
        self.factor = factor
        self.clock = clock
    }

    /// Counts a request.
    ///
    /// - Returns: When to retry; `nil` if the request may be answered.
    func retryAt(_ limit: Limit, app: String) -> Instant? {
        let rate = Double(limit.rawValue) * factor
        guard rate > 0, rate.isFinite else { return nil }
        let now = clock.now
        return buckets.withLock { buckets in
            let key = Key(app: app, limit: limit)
            // At least one token, or no request would ever be answered.
            let room = max(1, rate)
            var bucket = buckets[key] ?? Bucket(tokens: room, filledAt: now)
            let passed = Double(max(0, now.milliseconds(since: bucket.filledAt))) / 1000
            bucket.tokens = min(room, bucket.tokens + passed * rate)
            bucket.filledAt = now
            defer { buckets[key] = bucket }
            guard bucket.tokens < 1 else {
                bucket.tokens -= 1
                return nil
            }
            let wait = ((1 - bucket.tokens) / rate * 1000).rounded(.up)
            return now.adding(milliseconds: Int64(min(wait, 1e12)))
        }
    }
}
