import Storekeeper
import Synchronization

/// Limits the requests of each key and each address.
///
/// After a pause, a burst is allowed. Buckets that are full again are forgotten.
final class RateLimits: Sendable {
    /// The number of buckets above which full ones are removed.
    private static let capacity = 10_000

    private let buckets = Mutex<[String: TokenBucket]>([:])
    private let clock: any StoreClock

    init(clock: any StoreClock) { self.clock = clock }

    /// Checks a request against its limit, and by default counts it.
    ///
    /// - Parameters:
    ///   - name: The key or address.
    ///   - rate: The requests per second, above 0.
    ///   - burst: The number of requests allowed at once after a pause, at least 1.
    ///   - isCounted: Whether the request is counted.
    /// - Returns: The seconds after which to retry; `nil` if the request may be answered.
    func wait(ofKey name: String, perSecond rate: Double, burst: Double, isCounted: Bool = true) -> Int? {
        let (now, limit) = (clock.now, TokenBucket.Limit(perSecond: rate, burst: burst))
        return buckets.withLock { buckets in
            var bucket = buckets[name].flatMap { $0.limit == limit ? $0 : nil } ?? TokenBucket(limit, at: now)
            let answer = bucket.take(at: now, notAfter: now)
            if isCounted { buckets[name] = bucket }
            Self.forget(&buckets, at: now)
            guard case .tooLate(let at) = answer else { return nil }
            return Int(min((at.milliseconds(since: now) + 999) / 1000, 3600))
        }
    }

    /// Removes full buckets; if there are still too many, removes all.
    private static func forget(_ buckets: inout [String: TokenBucket], at now: Instant) {
        guard buckets.count > capacity else { return }
        buckets = buckets.filter { $0.value.fullAt > now }
        if buckets.count > capacity { buckets = [:] }
    }
}
