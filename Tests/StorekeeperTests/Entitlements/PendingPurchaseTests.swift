import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Pending purchases") struct PendingPurchaseTests {
    private func texts(
        _ transactions: [TransactionDraft], _ pending: [PendingPurchase], of id: Product.ID, days: ClosedRange<Int>
    ) throws -> [String] {
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(
            try TestShop.history(transactions), pending: pending)
        return days.map { day in
            resolution.product(id)?.timeline.value(at: .day(day)).word ?? "none"
        }
    }

    private static func pending(
        _ id: Product.ID, _ days: Range<Int>, _ reason: EntitlementAnswer.PendingReason = .askToBuy
    ) -> PendingPurchase {
        PendingPurchase(
            productID: id, reason: reason, startedAt: .day(days.lowerBound), endsAt: .day(days.upperBound))
    }

    @Test("A pending purchase is pending from its first millisecond up to, not including, its end")
    func halfOpen() throws {
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(
            PurchaseHistory(), pending: [Self.pending("remove.ads", 1..<2)])
        let timeline = try #require(resolution.product("remove.ads")?.timeline)
        #expect(timeline.value(at: Instant.day(1).adding(milliseconds: -1)) == .never)
        #expect(timeline.value(at: .day(1)) == .pending(.askToBuy))
        #expect(timeline.value(at: Instant.day(2).adding(milliseconds: -1)) == .pending(.askToBuy))
        #expect(timeline.value(at: .day(2)) == .never)
    }

    @Test("Pending ranks below access and above lapsed")
    func order() throws {
        let bought = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1)).revoked(at: .day(3))
        #expect(
            try texts([bought], [Self.pending("remove.ads", 0..<5)], of: "remove.ads", days: 0...5)
                == ["pending", "entitled", "entitled", "pending", "pending", "lapsed"])
    }

    @Test("Pending takes precedence over unknown")
    func doubt() throws {
        var history = PurchaseHistory()
        history.markDoubtful("remove.ads")
        let resolution = EntitlementResolver().resolve(history, pending: [Self.pending("remove.ads", 1..<2)])
        #expect(
            (0...2).map { resolution.text("remove.ads", at: .day($0)) } == [
                "unknown unverified", "pending askToBuy", "unknown unverified",
            ])
    }

    @Test("A pending purchase makes a feature pending, too")
    func feature() throws {
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(
            PurchaseHistory(), pending: [Self.pending("gold.monthly", 1..<3, .bankApproval)])
        let pro = try #require(resolution.feature("pro"))
        #expect(pro.timeline.value(at: .day(1)).answer == .pending(.bankApproval))
        #expect(pro.timeline.value(at: .day(1)).productID == "gold.monthly")
        #expect(pro.timeline.value(at: .day(3)).answer == .never)
    }

    @Test("The pending purchase of a product that began last gives the reason")
    func several() throws {
        let pending = [Self.pending("remove.ads", 0..<9), Self.pending("remove.ads", 3..<5, .bankApproval)]
        for pending in [pending, pending.reversed()] {
            let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(
                PurchaseHistory(), pending: pending)
            #expect(
                [2, 3, 5, 9].map { resolution.text("remove.ads", at: .day($0)) } == [
                    "pending askToBuy", "pending bankApproval", "pending askToBuy", "never noPurchase",
                ])
        }
    }

    @Test(
        "A pending purchase of a consumable, or one outside its interval, shows in no answer",
        arguments: [pending("coins.500", 0..<9), pending("remove.ads", 3..<3), pending("remove.ads", 5..<6)])
    func nothing(_ pending: PendingPurchase) throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let resolution = resolver.resolve(PurchaseHistory(), pending: [pending])
        #expect(resolution.product("coins.500") == nil)
        #expect((0...4).allSatisfy { resolution.text("remove.ads", at: .day($0)) == "never noPurchase" })
    }

    @Test("A pending purchase makes an unknown product known")
    func unknownProduct() {
        let resolution = EntitlementResolver().resolve(PurchaseHistory(), pending: [Self.pending("new", 0..<9)])
        #expect(resolution.text("new", at: .day(0)) == "pending askToBuy")
    }
}
