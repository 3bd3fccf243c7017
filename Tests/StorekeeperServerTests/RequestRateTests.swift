import HTTPTypes
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite struct RequestRateTests {
    @Test("Requests beyond the rate get 429 with the instant of the next allowed request, in milliseconds")
    func retryAfter() async throws {
        let served = try await ServedStore { $0.rateFactor = 0.1 }
        let id = try #require(try await served.step("buy coins.100 by anna")).rawValue
        // The rate is fifty requests a second in production, and five in the sandbox.
        for _ in 1...5 { #expect(await served.ask("GET", "inApps/v1/transactions/\(id)").status == 200) }
        let refused = await served.ask("GET", "inApps/v1/transactions/\(id)")
        #expect(refused.status == 429 && refused.code == 4_290_000)
        let header = try #require(refused.headers[.retryAfter])
        let retryAt = try #require(Int64(header))
        #expect(retryAt == served.wall.now.millisecondsSince1970 + 200)
        served.wall.advance(byMilliseconds: 199)
        #expect(await served.ask("GET", "inApps/v1/transactions/\(id)").status == 429)
        served.wall.advance(byMilliseconds: 1)
        #expect(await served.ask("GET", "inApps/v1/transactions/\(id)").status == 200)
        // Each endpoint has its own rate, even if the limits are equal.
        #expect(await served.ask("GET", "inApps/v1/subscriptions/\(id)").status != 429)
        #expect(await served.ask("GET", "inApps/v2/refund/lookup/\(id)").status == 200)
    }

    @Test("No second exceeds the rate plus the saved burst", arguments: 0..<20)
    func law(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let clock = VirtualClock(Instant(clamped: 0))
        let rate = RequestRate(factor: 0.2, clock: clock)
        var answered: [Int64] = []
        for _ in 1...500 {
            clock.advance(byMilliseconds: Int64(random.number(in: 0...150)))
            if rate.retryAt(.fifty, of: "history", app: "a") == nil { answered.append(clock.now.millisecondsSince1970) }
        }
        for (index, start) in answered.enumerated() {
            let inSecond = answered[index...].prefix { $0 < start + 1000 }.count
            #expect(inSecond <= 20, "seed \(seed): \(inSecond) in the second from \(start)")
        }
        #expect(answered.count > 100, "seed \(seed)")
    }

    @Test("A request at the announced instant is allowed", arguments: 0..<20)
    func patience(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let clock = VirtualClock(Instant(clamped: 0))
        let rate = RequestRate(factor: Double(random.number(in: 1...30)) / 10, clock: clock)
        for _ in 1...200 {
            guard let retryAt = rate.retryAt(.ten, of: "orders", app: "a") else { continue }
            clock.advance(byMilliseconds: retryAt.milliseconds(since: clock.now))
            #expect(rate.retryAt(.ten, of: "orders", app: "a") == nil, "seed \(seed)")
        }
    }
}
