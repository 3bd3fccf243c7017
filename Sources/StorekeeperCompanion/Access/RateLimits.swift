import Storekeeper
import Synchronization

/// Limits the requests of each key and each IP address.
///
/// After a pause, several requests are allowed at once.
final class RateLimits: Sendable {
    private let buckets = Mutex(TokenBuckets<String>())
    private let clock: any StoreClock

    init(clock: any StoreClock) { self.clock = clock }

    /// Checks a request against its limit, and by default counts the request.
    ///
    /// - Parameters:
    ///   - name: The name of the key, or the IP address.
    ///   - rate: The requests per second, above 0.
    ///   - burst: The number of requests allowed at once after a pause, at least 1.
    ///   - isCounted: Whether the request is counted.
    /// - Returns: The seconds after which to retry; `nil` if the request may be answered.
    func wait(ofKey name: String, perSecond rate: Double, burst: Double, isCounted: Bool = true) -> Int? {
        let (now, limit) = (clock.now, TokenBucket.Limit(perSecond: rate, burst: burst))
        let retryAt = buckets.withLock { $0.retryAt(name, limit, at: now, isCounted: isCounted) }
        return retryAt.map { Int(min(($0.milliseconds(since: now) + 999) / 1000, 3600)) }
    }

    /// Counts requests toward their limit, even if the limit is exceeded.
    func charge(_ requests: Int, toKey name: String, perSecond rate: Double, burst: Double) {
        let (now, limit) = (clock.now, TokenBucket.Limit(perSecond: rate, burst: burst))
        buckets.withLock { $0.charge(requests, to: name, limit, at: now) }
    }
}
