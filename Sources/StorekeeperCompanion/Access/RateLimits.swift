import Storekeeper
import Synchronization

/// Limits the requests of each key and each address.
///
/// After a pause, a burst is allowed. Buckets that are full again are forgotten.
final class RateLimits: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: Instant
        /// When the bucket is full again and can be forgotten.
        var fullAt: Instant
    }

    /// The number of buckets above which full ones are removed.
    private static let capacity = 10_000

    private let buckets = Mutex<[String: Bucket]>([:])
    private let clock: any StoreClock

    init(clock: any StoreClock) { self.clock = clock }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - name: The key or address.
    ///   - rate: The requests per second, above 0.
    ///   - burst: The number of requests allowed at once after a pause, at least 1.
    /// - Returns: The seconds after which to retry; `nil` if the request may be answered.
    func wait(ofKey name: String, perSecond rate: Double, burst: Double) -> Int? {
        wait(name, rate, burst, cost: 1)
    }

    /// Returns the seconds after which a request would be answered, without counting it; `nil` if it would be answered
    /// now.
    func wait(before name: String, perSecond rate: Double, burst: Double) -> Int? {
        wait(name, rate, burst, cost: 0)
    }

    private func wait(_ name: String, _ rate: Double, _ burst: Double, cost: Double) -> Int? {
        let now = clock.now
        let seconds = buckets.withLock { buckets -> Double? in
            var bucket = buckets[name] ?? Bucket(tokens: burst, at: now, fullAt: now)
            let passed = Double(max(now.milliseconds(since: bucket.at), 0)) / 1000
            bucket.tokens = min(burst, bucket.tokens + passed * rate)
            bucket.at = now
            defer {
                let rest = min((burst - bucket.tokens) / rate * 1000, 1e12)
                bucket.fullAt = now.adding(milliseconds: Int64(rest.rounded(.up)))
                if cost > 0 || buckets[name] != nil { buckets[name] = bucket }
                Self.forget(&buckets, at: now)
            }
            guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / rate }
            bucket.tokens -= cost
            return nil
        }
        return seconds.map { max(Int(min($0.rounded(.up), 3600)), 1) }
    }

    /// Removes full buckets; if there are still too many, removes all.
    private static func forget(_ buckets: inout [String: Bucket], at now: Instant) {
        guard buckets.count > capacity else { return }
        buckets = buckets.filter { $0.value.fullAt > now }
        if buckets.count > capacity { buckets = [:] }
    }
}
