import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of signing dates.
///
/// Each request signs again, and later events have later dates, even if the clock stands still.
@Suite struct ServedInstantsTests {
    @Test("A transaction requested before and after a refund and its reversal has three dates in order")
    func order() async throws {
        let served = try await ServedStore()
        let id = try #require(try await served.step("buy coins.100 by anna")).rawValue
        var dates: [Int64] = []
        for step in ["refund coins.100 by anna", "reverse refund coins.100 by anna", nil] {
            let answer = await served.ask("GET", "inApps/v1/transactions/\(id)")
            dates.append(try #require(answer.signed("signedTransactionInfo")?["signedDate"]?.int64))
            if let step { try await served.step(step) }
        }
        #expect(dates[0] < dates[1] && dates[1] < dates[2], "\(dates)")
    }

    @Test("The signing date is the store's clock, and the content is unchanged")
    func signedAnew() async throws {
        let served = try await ServedStore()
        let id = try #require(try await served.step("buy silver.monthly by anna")).rawValue
        let first = await served.ask("GET", "inApps/v1/transactions/\(id)").signed("signedTransactionInfo")
        try await served.step("advance 3 days")
        let second = await served.ask("GET", "inApps/v1/transactions/\(id)").signed("signedTransactionInfo")
        let now = served.store.now.millisecondsSince1970
        #expect(second?["signedDate"]?.int64 == now)
        #expect(try #require(first?["signedDate"]?.int64) == now - 3 * 86_400_000)
        let name = "expiresDate"
        #expect(first?[name]?.int64 == second?[name]?.int64)
    }

    @Test("Requests are part of the story: a replay gives the same signing dates")
    func replayed() async throws {
        let served = try await ServedStore()
        let id = try #require(try await served.step("buy coins.100 by anna")).rawValue
        _ = await served.ask("GET", "inApps/v1/transactions/\(id)")
        try await served.step("refund coins.100 by anna")
        _ = await served.ask("GET", "inApps/v2/history/\(id)")
        try await served.step("reverse refund coins.100 by anna")
        let again = try served.store.replayed()
        #expect(again.now == served.store.now)
        func payloads(_ store: SimulatedAppStore) throws -> [[UInt8]] {
            try store.evidence(.all).compactMap { CompactJWS($0)?.payloadContent }
        }
        #expect(try payloads(again) == payloads(served.store))
    }
}
