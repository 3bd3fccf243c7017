import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Diagnostics about subscriptions") struct SubscriptionDiagnosticsTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private func found(_ transactions: [TransactionDraft], at instant: Instant = .day(12)) throws -> [String] {
        let history = try TestShop.history(transactions)
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        return EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: instant, now: instant)
            .filter { $0.code != .staleEvidence }.map { "\($0.code.rawValue) \($0.subject ?? "")" }
    }

    @Test("An upgraded transaction without a successor is reported a day after its signing")
    func successorMissing() throws {
        let upgraded = Self.gold.upgraded(signedAt: .day(10))
        #expect(try found([upgraded], at: .day(11)) == ["successorMissing 1000"])
        #expect(try found([upgraded], at: .day(11).adding(milliseconds: -1)).isEmpty)
        let successor = TransactionDraft.change(
            of: Self.gold, to: TestShop.goldYearly.id, at: .day(10), expires: .day(375))
        #expect(try found([upgraded, successor]).isEmpty)
    }

    @Test("A move at once to a product of a lower level is reported")
    func levelsDiffer() throws {
        func move(to product: Product, at day: Int) -> TransactionDraft {
            .change(of: Self.gold, to: product.id, at: .day(day), expires: .day(day + 31))
        }
        #expect(try found([Self.gold, move(to: TestShop.silver, at: 10)]) == ["levelsDiffer silver.monthly"])
        #expect(try found([Self.gold, move(to: TestShop.silver, at: 31)], at: .day(40)).isEmpty)
        #expect(try found([Self.gold, move(to: TestShop.goldYearly, at: 10)]).isEmpty)
        #expect(try found([Self.gold.revoked(at: .day(5)), move(to: TestShop.silver, at: 10)]).isEmpty)
    }

    @Test("A subscription without an expiry is reported, and not as an unknown value")
    func noExpiry() throws {
        #expect(try found([with(Self.gold) { $0.expiresAt = nil }]) == ["noExpiry 1000"])
    }

    @Test("An expiry before the purchase and times in seconds are reported")
    func impossibleTimes() throws {
        #expect(try found([with(Self.gold) { $0.expiresAt = .day(-1) }]) == ["unknownValue 1000"])
        let seconds = Instant(clamped: Self.gold.purchasedAt.millisecondsSince1970 / 1000)
        #expect(try found([with(Self.gold) { $0.purchasedAt = seconds }]) == ["unknownValue 1000"])
        #expect(try found([with(Self.gold) { $0.signedAt = seconds }]) == ["unknownValue 1000"])
        #expect(try found([Self.gold]).isEmpty)
    }
}
