import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Balances") struct BalanceTests {
    static let three = with(TransactionDraft.purchase(of: TestShop.coins, at: .day(0))) { $0.quantity = 3 }

    /// The arguments are refunds of three packs of 500 coins, and the units that are clawed back.
    @Test(
        "A refund claws back whole units if its percentage is a rounded count of units, otherwise its share, rounded down",
        arguments: [
            (nil, 1500), (100_000, 1500), (33_333, 500), (66_667, 1000), (66_666, 999), (0, 0), (67_932, 1018),
            (33_334, 500), (33_332, 499), (99_999, 1499), (99_998, 1499), (1, 0),
        ] as [(Int64?, Int64)])
    func refund(percentage: Int64?, clawedBack: Int64) throws {
        let resolution = try TestShop.resolution([Self.three.revoked(at: .day(2), percentage: percentage)])
        let coins = try #require(resolution.balance("coins"))
        #expect(coins.totals(at: .day(1)) == .init(credited: 1500, clawedBack: 0))
        #expect(coins.totals(at: .day(2)) == .init(credited: 1500, clawedBack: clawedBack))
        #expect(coins.nextChange(after: .day(0)) == (clawedBack == 0 ? nil : .day(2)))
    }

    @Test("A copy counts once, however often it arrives")
    func once() throws {
        let resolution = try TestShop.resolution([Self.three, Self.three, Self.three.signed(at: .day(9))])
        #expect(resolution.balance("coins")?.totals(at: .day(9)).balance == 1500)
    }

    @Test("A consumable without grants credits a balance of the same name")
    func ownName() throws {
        let resolution = try TestShop.resolution([.purchase(of: "gem", type: .consumable, at: .day(0))])
        #expect(resolution.balance("gem")?.totals(at: .day(0)).balance == 1)
        #expect(resolution.product("gem") == nil)
        #expect(resolution.balance("coins")?.totals(at: .day(0)).balance == 0)
    }
}
