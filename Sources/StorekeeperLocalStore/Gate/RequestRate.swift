package import Storekeeper
import Synchronization

/// Limits the requests per second by endpoint, as the App Store Server API does.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits".
package final class RequestRate: Sendable {
    /// The rate limit of an endpoint in production, in requests per second.
    enum Limit: Int, Hashable, Sendable { case fifty = 50, twenty = 20, ten = 10, one = 1 }

    private struct Key: Hashable {
        let app: String
        let limit: Limit
    }

    private let factor: Double
    private let clock: any StoreClock
    private let buckets = Mutex<[Key: TokenBucket]>([:])

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
        let (now, key) = (clock.now, Key(app: app, limit: limit))
        return buckets.withLock { buckets in
            var bucket = buckets[key] ?? TokenBucket(.init(perSecond: rate, burst: rate), at: now)
            defer { buckets[key] = bucket }
            guard case .tooLate(let at) = bucket.take(at: now, notAfter: now) else { return nil }
            return at
        }
    }
}
