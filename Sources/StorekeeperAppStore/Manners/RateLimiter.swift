public import Storekeeper
import Synchronization

/// Keeps the requests of all clients that share it within what the App Store answers.
///
/// Counts by app, server and call. Production has the App Store's published rates, the sandbox a tenth of them, a server of
/// one's own none, whichever environment it answers for; it is given time where it asks for it.
///
/// - SeeAlso: Apple, "App Store Server API: Identifying rate limits".
public final class RateLimiter: Sendable {
    /// What is counted together.
    struct Lane: Hashable, Sendable {
        let bundleID: String
        let host: AppStoreServerHost
        let endpoint: AppStoreServerEndpoint
    }

    private struct State {
        var bucket: TokenBucket
        /// The App Store has said that nothing goes before.
        var pausedUntil = Instant.distantPast
    }

    private let clock: any StoreClock
    private let burst: Int64
    private let share: Int64
    private let lanes = Mutex<[Lane: State]>([:])

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - clock: The time.
    ///   - burst: How many requests may go at once after a rest. With 1, the default, no second has more than the rate.
    ///   - share: Which part of the App Store's rates is used, in percent, 1 to 100; a fleet of four nodes gives each 25.
    public init(clock: any StoreClock, burst: Int64 = 1, share: Int64 = 100) {
        self.clock = clock
        self.burst = burst
        self.share = min(max(share, 1), 100)
    }

    /// How many requests of a call an hour Apple's server of an environment is sent; `nil` where there is none.
    public func hourlyRate(of endpoint: AppStoreServerEndpoint, in environment: AppStore.Environment) -> Int64? {
        Self.hourlyRate(of: endpoint, in: environment).map { max($0 * share / 100, 1) }
    }

    /// How many requests an hour a lane has; `nil` where it has no limit.
    private func hourlyRate(of lane: Lane) -> Int64? {
        guard lane.host == .production || lane.host == .sandbox else { return nil }
        return hourlyRate(of: lane.endpoint, in: lane.host.environment)
    }

    /// The App Store's rate.
    static func hourlyRate(of endpoint: AppStoreServerEndpoint, in environment: AppStore.Environment) -> Int64? {
        switch environment {
        case .production: endpoint.productionRate * 3600
        case .sandbox: endpoint.productionRate * 360
        default: nil
        }
    }

    /// Waits until a request may go.
    ///
    /// - Parameter latest: The last instant at which it is of any use.
    /// - Throws: ``AppStoreServerError`` with `rateLimited`, at once, where it could not go in time; `CancellationError`.
    func wait(for lane: Lane, notAfter latest: Instant) async throws {
        let now = clock.now
        let hourlyRate = hourlyRate(of: lane)
        let answer = lanes.withLock { lanes -> TokenBucket.Answer in
            guard let hourlyRate else {
                let paused = lanes[lane]?.pausedUntil ?? .distantPast
                return paused <= latest ? .granted(max(paused, now)) : .tooLate(paused)
            }
            var state = lanes[lane] ?? State(bucket: TokenBucket(hourlyRate: hourlyRate, burst: burst, at: now))
            defer { lanes[lane] = state }
            guard state.pausedUntil <= latest else { return .tooLate(state.pausedUntil) }
            return state.bucket.take(at: max(now, state.pausedUntil), notAfter: latest)
        }
        switch answer {
        case .granted(let at): try await clock.wait(until: at)
        case .tooLate(let at):
            throw AppStoreServerError(
                .rateLimited, "the rate of \(lane.endpoint.rawValue) is used up until \(at); ask later, or for less",
                retryAt: at, isRetryable: true)
        }
    }

    /// Lets nothing go before an instant, because the App Store has said so.
    func pause(_ lane: Lane, until instant: Instant) {
        let now = clock.now
        let hourlyRate = hourlyRate(of: lane) ?? .max
        lanes.withLock { lanes in
            var state = lanes[lane] ?? State(bucket: TokenBucket(hourlyRate: hourlyRate, burst: burst, at: now))
            state.pausedUntil = max(state.pausedUntil, instant)
            lanes[lane] = state
        }
    }
}
