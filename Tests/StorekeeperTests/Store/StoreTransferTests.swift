import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of moving purchases between customers.
struct StoreTransferTests {
    private let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000")

    private static func chain(_ draft: TransactionDraft) -> BindingSubject {
        .chain(ChainID(bundleID: draft.bundleID, environment: draft.environment, originalID: draft.originalID))
    }

    @Test("A moved purchase gives access to its new owner only, and both customers get events")
    func access() async throws {
        let bench = StoreBench(.day(1))
        let (anna, bert) = (try await bench.open(), try await bench.open(customer: "bert"))
        try await anna.ingest([gold.jws, coins.jws])
        // What bert presents is parked, and taken in with the transfer.
        try await bert.ingest([gold.signed(at: .day(1)).jws])
        let receipt = try await bert.transfer(Self.chain(gold), because: "a new account")
        #expect(receipt.previousOwner == "anna")
        #expect(receipt.chains.map(\.originalID) == ["1000"])
        #expect(receipt.adopted.new == 1)
        #expect(bert.isEntitled(TestShop.gold.id))
        try await anna.refresh()
        #expect(!anna.isEntitled(TestShop.gold.id))
        #expect(anna.balance(of: "coins").amount == 500)
        #expect(try await bench.events(of: "anna").last { $0.hasPrefix("gold.monthly") } != nil)
        #expect(
            try await bench.events(of: "bert").contains { $0.hasPrefix("gold.monthly") && $0.hasSuffix("entitled") })
        // Repeating the request moves nothing.
        #expect(try await bert.transfer(Self.chain(gold), because: "a new account").previousOwner == nil)
        #expect(try await bert.ingest([gold.signed(at: .day(2)).jws]).conflicts.isEmpty)
    }

    @Test("Units move with their purchase, and a purchase without an owner is claimed")
    func units() async throws {
        let bench = StoreBench(.day(1))
        let (anna, bert) = (try await bench.open(), try await bench.open(customer: "bert"))
        try await anna.ingest([coins.jws])
        try await bert.transfer(Self.chain(coins), because: "shared by two accounts", recordedBy: "desk")
        try await anna.refresh()
        #expect(anna.balance(of: "coins").amount == 0)
        #expect(bert.balance(of: "coins").amount == 500)
        #expect(try await bench.vault.account(of: "bert").last?.recordedBy == "desk")
        // The content was delivered to anna; it is not delivered again.
        #expect(bench.deliveries == ["2000"])
        let free = try await bert.transfer(Self.chain(gold), because: "nobody's")
        #expect(free.previousOwner == nil)
        #expect(try await bench.vault.holders(of: [Self.chain(gold)]) == [Self.chain(gold): "bert"])
        await #expect(throws: VaultError.self) { try await anna.transfer(Self.chain(coins), because: "") }
    }
}
