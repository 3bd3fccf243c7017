public import Storekeeper
import Synchronization

/// Delays requests, so that all clients of the limiter together stay within the App Store's rate limits.
///
/// Requests are counted separately for each app, server and endpoint. The production server has the App Store's
/// published rates, and the sandbox server has a tenth of the published rates. A custom server has no rate limit, even
/// if it answers for the production environment. Its requests are delayed only during a pause that the server has
/// requested.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits".
public final class RateLimiter: Sendable {
    /// Identifies the requests that are counted together.
    struct Bucket: Hashable, Sendable {
        let bundleID: String
        let host: AppStoreServerHost
        let endpoint: AppStoreServerEndpoint
    }

    private struct State {
        var bucket: TokenBucket
        /// The end of the pause that the server has requested.
        var pausedUntil = Instant.distantPast
    }

    private let clock: any StoreClock
    private let burst: Int64
    private let share: Int64
    private let buckets = Mutex<[Bucket: State]>([:])

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - burst: The number of requests that may be sent at once after a time without requests. With 1, the default,
    ///     no second has more requests than the rate permits.
    ///   - share: The share of the App Store's rates that this limiter may use, in percent, 1 to 100; for example 25 on
    ///     each of four nodes.
    public init(clock: any StoreClock, burst: Int64 = 1, share: Int64 = 100) {
        self.clock = clock
        self.burst = burst
        self.share = min(max(share, 1), 100)
    }

    /// Returns the number of requests per hour that this limiter permits for an endpoint on Apple's server of an
    /// environment; `nil` if Apple has no such server.
    public func hourlyRate(of endpoint: AppStoreServerEndpoint, in environment: AppStore.Environment) -> Int64? {
        Self.hourlyRate(of: endpoint, in: environment).map { max($0 * share / 100, 1) }
    }

    /// Returns the number of requests per hour that this limiter permits for a bucket; `nil` if the bucket has no
    /// limit.
    private func hourlyRate(of bucket: Bucket) -> Int64? {
        guard bucket.host == .production || bucket.host == .sandbox else { return nil }
        return hourlyRate(of: bucket.endpoint, in: bucket.host.environment)
    }

    /// Returns the number of requests per hour that the App Store permits for an endpoint; `nil` if Apple has no server
    /// for the environment.
    static func hourlyRate(of endpoint: AppStoreServerEndpoint, in environment: AppStore.Environment) -> Int64? {
        switch environment {
        case .production: endpoint.productionRate * 3600
        case .sandbox: endpoint.productionRate * 360
        default: nil
        }
    }

    /// Waits until a request may be sent.
    ///
    /// - Parameters:
    ///   - bucket: The app, the server and the endpoint of the request.
    ///   - latest: The last instant at which the request may be sent.
    /// - Throws: ``AppStoreServerError`` with `rateLimited`, without waiting, if the request cannot be sent by
    ///   `latest`; `CancellationError`.
    func wait(for bucket: Bucket, notAfter latest: Instant) async throws {
        let now = clock.now
        let hourlyRate = hourlyRate(of: bucket)
        let answer = buckets.withLock { buckets -> TokenBucket.Answer in
            guard let hourlyRate else {
                let paused = buckets[bucket]?.pausedUntil ?? .distantPast
                return paused <= latest ? .granted(max(paused, now)) : .tooLate(paused)
            }
            var state =
                buckets[bucket] ?? State(bucket: TokenBucket(.init(hourlyRate: hourlyRate, burst: burst), at: now))
            defer { buckets[bucket] = state }
            guard state.pausedUntil <= latest else { return .tooLate(state.pausedUntil) }
            return state.bucket.take(at: max(now, state.pausedUntil), notAfter: latest)
        }
        switch answer {
        case .granted(let at): try await clock.wait(until: at)
        case .tooLate(let at):
            throw AppStoreServerError(
                .rateLimited,
                "the rate limit of \(bucket.endpoint.rawValue) is exhausted until \(at); retry later, or send less",
                retryAt: at, isRetryable: true)
        }
    }

    /// Delays all requests of a bucket until an instant that the server has requested.
    func pause(_ bucket: Bucket, until instant: Instant) {
        let now = clock.now
        let hourlyRate = hourlyRate(of: bucket) ?? .max
        buckets.withLock { buckets in
            var state =
                buckets[bucket] ?? State(bucket: TokenBucket(.init(hourlyRate: hourlyRate, burst: burst), at: now))
            state.pausedUntil = max(state.pausedUntil, instant)
            buckets[bucket] = state
        }
    }
}
