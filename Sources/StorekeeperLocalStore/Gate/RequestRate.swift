package import Storekeeper
import Synchronization

/// Limits the requests per second of each app to each endpoint, as the App Store Server API does.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits".
package final class RequestRate: Sendable {
    /// The rate limit of an endpoint in production, in requests per second.
    enum Limit: Int, Sendable { case fifty = 50, twenty = 20, ten = 10, one = 1 }

    private struct Key: Hashable {
        let app: String
        let endpoint: String
    }

    private let factor: Double
    private let clock: any StoreClock
    private let buckets = Mutex(TokenBuckets<Key>())

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - factor: The fraction of the App Store's limits for production; 0.1 results in the limits of the sandbox.
    ///   - clock: The machine's clock, not the simulated clock.
    package init(factor: Double, clock: any StoreClock) {
        self.factor = factor
        self.clock = clock
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - limit: The rate limit of the endpoint.
    ///   - endpoint: The method and path of the endpoint.
    ///   - app: The bundle id of the app.
    /// - Returns: The instant from which the client may retry; `nil` if the request may be answered.
    func retryAt(_ limit: Limit, of endpoint: String, app: String) -> Instant? {
        let rate = Double(limit.rawValue) * factor
        guard rate > 0, rate.isFinite else { return nil }
        let now = clock.now
        return buckets.withLock {
            $0.retryAt(Key(app: app, endpoint: endpoint), .init(perSecond: rate, burst: rate), at: now)
        }
    }
}
