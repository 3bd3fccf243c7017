import Storekeeper
import Synchronization

/// How often somebody may ask, by whoever it is: a key by its name, or an address.
///
/// A rest lets a number come at once. What has not asked for so long that all of it has come back is forgotten.
final class RateLimits: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: Instant
        /// When it is full again, so that nothing is lost with it.
        var fullAt: Instant
    }

    /// How many are remembered before those that are full again leave.
    private static let capacity = 10_000

    private let buckets = Mutex<[String: Bucket]>([:])
    private let clock: any StoreClock

    init(clock: any StoreClock) { self.clock = clock }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - name: Whose.
    ///   - rate: How many a second, above 0.
    ///   - burst: How many at once after a rest, at least 1.
    /// - Returns: After how many seconds to come again; `nil` where it may be answered.
    func wait(ofKey name: String, perSecond rate: Double, burst: Double) -> Int? {
        wait(name, rate, burst, cost: 1)
    }

    /// Whether a request would be answered, without counting it: after how many seconds to come again; `nil` where it
    /// would.
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

    /// Lets those go that say nothing any more; where there are too many others, all of them.
    private static func forget(_ buckets: inout [String: Bucket], at now: Instant) {
        guard buckets.count > capacity else { return }
        buckets = buckets.filter { $0.value.fullAt > now }
        if buckets.count > capacity { buckets = [:] }
    }
}
