import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

/// Tests of the signed data after an early charge, and of an engine that reads this data in the next period.
@Suite("A renewal that is charged early") struct EarlyChargeRuleTests {
    /// Returns a session on the last day of a month that began on 31 January, after the next month was charged early.
    private static func lastDay() async throws -> (session: SimulatedSession, running: Transaction) {
        let session = try SimulatedSession.sample()
        try session.perform(.setSetting(.chargesEarly(true)))
        let running = try await session.subscribe()
        try session.advance(to: try #require(running.expiresAt).adding(milliseconds: -3_600_000))
        return (session, running)
    }

    /// Returns the answers of an engine that reads the evidence now, with a renewal leeway of an hour.
    private static func resolution(_ session: SimulatedSession) throws -> Resolution {
        var history = PurchaseHistory()
        for text in try session.store.evidence(of: session.customer) { history.merge(session.verifier.verify(text)) }
        let policy = EntitlementPolicy(renewalLeeway: .seconds(3_600), environments: [.sandbox: .grant])
        return EntitlementResolver(catalog: session.catalog, policy: policy).resolve(history)
    }

    @Test("The renewal info has the end of the next period, and the engine knows that it renews")
    func visible() async throws {
        let (session, running) = try await Self.lastDay()
        let next = try session.newest()
        #expect(next.purchasedAt == running.expiresAt && next.id != running.id)
        #expect(try session.renewalInfo().renewsAt == next.expiresAt)
        let later = next.purchasedAt.adding(days: 10)
        let status = try #require(try Self.resolution(session).groups.first?.highest(at: later))
        #expect(status.transaction.id == next.id && status.renewalInfo?.willAutoRenew == true)
        let engine = try await session.synced()
        try session.advance(byDays: 2)
        let own = engine.store.highestStatus(group: "21400001")
        #expect(own?.transaction.id == next.id && own?.renewalInfo?.willAutoRenew == true)
    }

    @Test("If it is cancelled on the last day, the next period is the last and no renewal is expected")
    func cancelled() async throws {
        let (session, _) = try await Self.lastDay()
        let next = try session.newest()
        let end = try #require(next.expiresAt)
        let reason = { (instant: Instant) in
            try Self.resolution(session).product("pro.monthly")?.timeline.value(at: instant).reasonWord
        }
        #expect(try reason(end) == "renewalLeeway")
        #expect(try reason(end.adding(milliseconds: 3_600_000)) == "expired")
        try session.disableAutoRenewForTransaction(identifier: next.id)
        #expect(try session.renewalInfo().renewsAt == end && session.renewalInfo().signedAt < next.purchasedAt)
        let status = try #require(
            try Self.resolution(session).groups.first?.highest(at: next.purchasedAt.adding(days: 10)))
        #expect(status.isEntitled && status.renewalInfo?.autoRenewStatus == .off)
        #expect(try reason(end.adding(milliseconds: -1)) == "active")
        #expect(try reason(end) == "expired")
    }
}
