import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("The rate of requests") struct TokenBucketTests {
    /// Requests, with the gaps between their arrivals in milliseconds.
    struct Arrivals: Sendable {
        var hourlyRate: Int64
        var burst: Int64
        var gaps: [Int64]

        /// Returns the time at which each request may be sent, in milliseconds after the first request.
        func departures() -> [Int64] {
            var bucket = TokenBucket(.init(hourlyRate: hourlyRate, burst: burst), at: .testEpoch)
            var now = Instant.testEpoch
            return gaps.compactMap { gap in
                now = now.adding(milliseconds: gap)
                guard case .granted(let at) = bucket.take(at: now) else { return nil }
                return at.milliseconds(since: .testEpoch)
            }
        }

        static func some(_ random: inout SplitMix64) -> Arrivals {
            let rates: [Int64] = [360, 3_600, 7_777, 36_000, 72_000, 180_000]
            return Arrivals(
                hourlyRate: rates.randomElement(using: &random) ?? 3_600,
                burst: Bool.random(using: &random) ? 1 : Int64.random(in: 1...20, using: &random),
                gaps: (0..<Int.random(in: 1...120, using: &random)).map { _ in
                    Bool.random(using: &random) ? 0 : Int64.random(in: 0...3_000, using: &random)
                })
        }

        var smaller: [Arrivals] {
            var shorter = self
            shorter.gaps = Array(gaps.dropLast())
            return gaps.count > 1 ? [shorter] : []
        }
    }

    @Test("No window has more requests than the burst plus the rate") func windows() {
        checkProperty("the rate holds in every window", generate: Arrivals.some, shrink: \.smaller) { arrivals in
            let times = arrivals.departures()
            guard times.count == arrivals.gaps.count else { return false }
            for (first, start) in times.enumerated() {
                for (last, end) in times.enumerated().dropFirst(first) {
                    let allowed = arrivals.burst * 3_600_000 + (end - start) * arrivals.hourlyRate
                    if Int64(last - first + 1) * 3_600_000 > allowed { return false }
                }
            }
            return true
        }
    }

    @Test("Without a burst no second has more requests than the rate") func seconds() {
        checkProperty(
            "no second has more than the rate",
            generate: { random in
                var arrivals = Arrivals.some(&random)
                arrivals.burst = 1
                return arrivals
            }, shrink: \.smaller
        ) { arrivals in
            let times = arrivals.departures()
            return times.allSatisfy { start in
                let count = Int64(times.filter { $0 >= start && $0 < start + 1_000 }.count)
                return count <= max(1, (arrivals.hourlyRate + 3_599) / 3_600)
            }
        }
    }

    @Test("Requests depart in the order of arrival, and no later than needed") func order() {
        checkProperty(
            "in order, and not later than needed",
            generate: { random in
                var arrivals = Arrivals.some(&random)
                // Rounding loses nothing if the cost of a request is a whole number of milliseconds. At 180,000
                // requests an hour it is 20 milliseconds.
                if 3_600_000 % arrivals.hourlyRate != 0 { arrivals.hourlyRate = 180_000 }
                return arrivals
            }, shrink: \.smaller
        ) { arrivals in
            let times = arrivals.departures()
            guard times == times.sorted() else { return false }
            var now: Int64 = 0
            for (index, gap) in arrivals.gaps.enumerated() {
                now += gap
                // Either a request is sent on arrival, or sending it one millisecond earlier would exceed the rate in
                // some window.
                if times[index] == now { continue }
                let isNeeded = (0...index).contains { first -> Bool in
                    let sent = Int64(index - first + 1) * 3_600_000
                    let span: Int64 = times[index] - 1 - times[first]
                    // For each request that waited, the bucket loses less than the units that it gains in a
                    // millisecond.
                    let given = Int64(index - first) * arrivals.hourlyRate
                    let allowed: Int64 = arrivals.burst * 3_600_000 + span * arrivals.hourlyRate - given
                    return sent > allowed
                }
                if !isNeeded { return false }
            }
            return true
        }
    }

    @Test(
        "A limit per second is rounded to whole requests per hour, within bounds",
        arguments: [
            (0.5, 2.0, 1_800, 2), (1.5, 1.5, 5_400, 1), (1e-9, 0, 1, 1), (1e9, 1e12, 10_000_000_000, 100_000_000),
        ] as [(Double, Double, Int64, Int64)])
    func perSecond(_ rate: Double, _ burst: Double, _ hourlyRate: Int64, _ requests: Int64) {
        #expect(TokenBucket.Limit(perSecond: rate, burst: burst) == .init(hourlyRate: hourlyRate, burst: requests))
    }

    @Test("A bucket is full when the tokens of all requests have accrued again") func full() {
        var bucket = TokenBucket(.init(perSecond: 3, burst: 2), at: .testEpoch)
        #expect(bucket.fullAt == .testEpoch)
        _ = bucket.take(at: .testEpoch)
        #expect(bucket.fullAt == Instant.testEpoch.adding(milliseconds: 334))
        _ = bucket.take(at: .testEpoch)
        #expect(bucket.fullAt == Instant.testEpoch.adding(milliseconds: 667))
    }

    @Test("A request that would depart too late takes no token") func tooLate() {
        var bucket = TokenBucket(.init(hourlyRate: 3_600), at: .testEpoch)
        #expect(bucket.take(at: .testEpoch) == .granted(.testEpoch))
        let second = Instant.testEpoch.adding(milliseconds: 1_000)
        #expect(bucket.take(at: .testEpoch, notAfter: second.adding(milliseconds: -1)) == .tooLate(second))
        #expect(bucket.take(at: .testEpoch, notAfter: second) == .granted(second))
    }

    @Test("A clock that is set back does not refill the bucket") func setBack() {
        var bucket = TokenBucket(.init(hourlyRate: 3_600), at: .testEpoch)
        _ = bucket.take(at: .testEpoch)
        let earlier = Instant.testEpoch.adding(milliseconds: -86_400_000)
        #expect(bucket.take(at: earlier) == .granted(earlier.adding(milliseconds: 1_000)))
    }

    @Test(
        "The rates are those of the App Store",
        arguments: [
            (.history, 180_000), (.extend, 72_000), (.orderLookup, 36_000), (.massExtend, 3_600),
        ] as [(AppStoreServerEndpoint, Int64)])
    func rates(_ endpoint: AppStoreServerEndpoint, _ hourly: Int64) {
        let clock = VirtualClock(.testEpoch)
        #expect(RateLimiter(clock: clock).hourlyRate(of: endpoint, in: .production) == hourly)
        #expect(RateLimiter(clock: clock).hourlyRate(of: endpoint, in: .sandbox) == hourly / 10)
        #expect(RateLimiter(clock: clock, share: 25).hourlyRate(of: endpoint, in: .production) == hourly / 4)
        #expect(RateLimiter(clock: clock).hourlyRate(of: endpoint, in: .xcode) == nil)
    }

    @Test("Apps, environments and endpoints have separate rates") func buckets() async throws {
        let limiter = RateLimiter(clock: VirtualClock(.testEpoch))
        for bundleID in ["a", "b"] {
            for host in [AppStoreServerHost.production, .sandbox] {
                for endpoint in AppStoreServerEndpoint.allCases {
                    let bucket = RateLimiter.Bucket(bundleID: bundleID, host: host, endpoint: endpoint)
                    try await limiter.wait(for: bucket, notAfter: .testEpoch)
                    let error = await Fixture.failure { try await limiter.wait(for: bucket, notAfter: .testEpoch) }
                    #expect(error?.code == .rateLimited)
                }
            }
        }
    }

    @Test("Requests to a custom server are not limited until it asks for a pause") func ownServer() async throws {
        let limiter = RateLimiter(clock: VirtualClock(.testEpoch))
        let host = try AppStoreServerHost(baseURL: "http://127.0.0.1:8080", environment: .production)
        let bucket = RateLimiter.Bucket(bundleID: "a", host: host, endpoint: .massExtend)
        for _ in 1...1_000 { try await limiter.wait(for: bucket, notAfter: .testEpoch) }
        limiter.pause(bucket, until: Instant.testEpoch.adding(milliseconds: 1))
        let error = await Fixture.failure { try await limiter.wait(for: bucket, notAfter: .testEpoch) }
        #expect(error?.code == .rateLimited)
    }

    @Test("A plan gives the duration of reading all customers") func plan() {
        let limiter = RateLimiter(clock: VirtualClock(.testEpoch))
        func plan(_ load: CatchUpPlan.Load, _ environment: AppStore.Environment = .production) -> CatchUpPlan {
            CatchUpPlan(load, limiter: limiter, in: environment)
        }
        let wide = CatchUpPlan.Load(customers: 1_000_000, concurrency: 1_000)
        #expect(plan(wide).duration == .seconds(20_000))
        #expect(plan(wide, .sandbox).duration == .seconds(200_000))
        #expect(plan(wide, .xcode).limit == .concurrency)
        let paged = CatchUpPlan.Load(customers: 1_000_000, requests: [.history: 3, .statuses: 1], concurrency: 1_000)
        #expect(plan(paged).limit == .rate(.history))
        #expect(plan(paged).duration == .seconds(60_000))
        let narrow = CatchUpPlan.Load(customers: 1_000, concurrency: 2, latency: 200)
        #expect(plan(narrow).limit == .concurrency)
        #expect(plan(narrow).duration == .seconds(200))
        #expect(plan(.init(customers: 0)).limit == nil)
        #expect(plan(.init(customers: .max, requests: [.history: .max])).duration == .milliseconds(Int64.max))
        #expect(plan(.init(customers: -5)).duration == .zero)
    }
}
