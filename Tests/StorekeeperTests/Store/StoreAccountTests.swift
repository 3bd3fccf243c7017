import Storekeeper
import StorekeeperTesting
import Testing

struct StoreAccountTests {
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000")

    @Test("A spend is in the snapshot when the call returns, and the same key spends nothing more")
    func spends() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([coins.jws])
        let receipt = try await store.spend(120, of: "coins", key: "sword")
        #expect(store.balance(of: "coins").amount == 380)
        let again = try await store.spend(120, of: "coins", key: "sword")
        #expect(again.isReplay && again.receipt == receipt.receipt)
        #expect(store.balance(of: "coins").amount == 380)
        await #expect(throws: LedgerRefusal.keyReused) { try await store.spend(1, of: "coins", key: "sword") }
        await #expect(throws: LedgerRefusal.insufficient(balance: 380)) {
            try await store.spend(381, of: "coins", key: "castle")
        }
        try await store.grant(20, of: "coins", because: "an apology", key: "sorry")
        #expect(store.balance(of: "coins").amount == 400)
        // The balance `coins` is in the catalog and in the account, and the message names it only once.
        let error = await #expect(throws: VaultError.self) { try await store.spend(1, of: "gems", key: "gem") }
        #expect(error?.message.hasSuffix("use one of coins") == true, "\(error?.message ?? "")")
    }

    @Test("A spend from an empty balance changes nothing, and invalid requests are refused")
    func nonsense() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        await #expect(throws: LedgerRefusal.insufficient(balance: 0)) {
            try await store.spend(1, of: "coins", key: "a")
        }
        // Neither the catalog nor the account has these balances.
        let error = await #expect(throws: VaultError.self) { try await store.spend(1, of: "coin", key: "a") }
        #expect(error?.code == .unknownBalance && error?.message.contains("did you mean 'coins'?") == true)
        await #expect(throws: VaultError.self) {
            try await store.grant(1, of: "gems", because: "a gift", key: "a")
        }
        let refused: [(Int64, Balance.ID, LedgerRequest.Key)] = [
            (0, "coins", "a"), (-5, "coins", "a"), (1, "", "a"), (1, "coins", ""),
        ]
        for (quantity, balance, key) in refused {
            await #expect(throws: VaultError.self) { try await store.spend(quantity, of: balance, key: key) }
        }
        await #expect(throws: VaultError.self) {
            try await store.move([.spend(1, of: "coins", by: "bert", key: "a", at: .day(1))])
        }
        #expect(store.snapshot.balances.isEmpty)
    }

    @Test("64 concurrent spenders never overdraw a balance and share durable steps")
    func concurrentSpenders() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([coins.jws])
        let before = bench.vault.writeCount
        let done = await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    (try? await store.spend(10, of: "coins", key: "k\(number)")) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 50)
        #expect(store.balance(of: "coins").amount == 0)
        #expect(bench.vault.writeCount - before < 64)
        let record = try await bench.vault.load("anna")
        #expect(record.balances.map(\.amount) == [0])
    }

    @Test("A failed spend has no effect, and one that was written although the call failed is found again")
    func failedSpending() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([coins.jws])
        bench.vault.failWrites()
        await #expect(throws: VaultError.self) { try await store.spend(10, of: "coins", key: "a") }
        #expect(store.balance(of: "coins").amount == 500)
        bench.vault.failAcknowledgements()
        await #expect(throws: VaultError.self) { try await store.spend(10, of: "coins", key: "b") }
        #expect(try await store.spend(10, of: "coins", key: "b").isReplay)
        #expect(store.balance(of: "coins").amount == 490)
    }

    @Test("A request that would overflow a balance does not affect other requests of its step")
    func overflowingRequest() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let results = await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    let quantity = number == 3 ? Int64.max : 1
                    return (try? await store.grant(quantity, of: "coins", because: "test", key: "k\(number)")) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(results == 7)
        #expect(store.balance(of: "coins").amount == 7)
    }

    @Test("A refund claws back the credit, and its reversal restores it")
    func refund() async throws {
        let bench = StoreBench(.day(5))
        let store = try await bench.open()
        try await store.ingest([coins.jws])
        try await store.spend(400, of: "coins", key: "a")
        let refund = coins.revoked(at: .day(2))
        try await store.ingest([refund.jws])
        #expect(store.balance(of: "coins").amount == -400)
        try await store.ingest([coins.reversed(signedAt: .day(3)).jws])
        #expect(store.balance(of: "coins").amount == 100)
        #expect(bench.deliveries == ["2000"])
    }

    @Test("The used share of a purchase counts older credits as spent first")
    func consumption() async throws {
        let bench = StoreBench(.day(5))
        let store = try await bench.open()
        var second = coins
        second.id = "2001"
        second.originalID = "2001"
        try await store.ingest([coins.jws])
        try await store.ingest([second.jws])
        try await store.grant(100, of: "coins", because: "gift", key: "g")
        try await store.spend(700, of: "coins", key: "a")
        let first = try await store.consumption(of: coins.key)
        #expect(first == [Consumption(id: "coins", credited: 500, used: 500, takenBack: 0)])
        #expect(try await store.consumption(of: second.key).map(\.share) == [40_000])
        // The first purchase is refunded although its coins are spent, so the debt reduces the coins of the second
        // purchase.
        try await store.ingest([coins.revoked(at: .day(4)).jws])
        #expect(try await store.consumption(of: coins.key).map(\.takenBack) == [500])
        #expect(try await store.consumption(of: second.key).map(\.share) == [100_000])
        #expect(store.balance(of: "coins").amount == -100)
        #expect(try await store.consumption(of: TransactionDraft(productID: "x").key).isEmpty)
    }

    @Test("Changes by another process are read, even if this process has changed another balance since")
    func movedElsewhere() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        // A writer without a catalog can grant balances that are in no catalog.
        _ = try await bench.vault.move(
            [.grant(5, of: "gems", to: bench.customer, because: "a gift", key: "gift", at: .day(1))], policy: .debt)
        try await store.grant(7, of: "coins", because: "a gift", key: "another gift")
        try await store.refresh()
        #expect(store.balance(of: "coins").amount == 7)
        #expect(store.balance(of: "gems").amount == 5)
    }
}
