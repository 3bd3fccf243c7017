import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@Suite("The article Consumables without losing a coin") struct ConsumablesWithoutLosingACoinTests {
    func buyLantern(for player: CustomerID, order: String, in pool: StorePool) async throws -> String {
        try await pool.withStore(player) { store in
            do {
                let receipt = try await store.spend(120, of: "coins", key: "order-\(order)")
                return "a lantern; \(receipt.balance) coins are left"
            } catch LedgerRefusal.insufficient(let balance) {
                return "it costs 120 coins, and there are \(balance)"
            } catch LedgerRefusal.frozen {
                return "a purchase was refunded, and its coins are owed"
            }
        }
    }

    func account(of player: CustomerID, in vault: some Vault) async throws -> [String] {
        try await vault.entries(after: .start, of: player, limit: 100).map { entry in
            "\(entry.balance): \(entry.kind.rawValue) \(entry.change), \(entry.after) left"
        }
    }

    @Test(
        "The article's code spends once per order and lists every entry of the account",
        arguments: [RefundPolicy.debt, .freeze])
    func spending(refunds: RefundPolicy) async throws {
        let session = try SimulatedSession(catalog: SampleStore.catalog)
        var policy = session.policy
        policy.refundPolicy = refunds
        var configuration = StorePool.Configuration()
        configuration.store = StoreConfiguration(catalog: session.catalog, policy: policy)
        let vault = InMemoryVault()
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: session.verifier, clock: session.store.clock)
        let bought = try await session.buyProduct(identifier: "coins.100")
        try await session.buyProduct(identifier: "coins.100")
        try await pool.withStore("anna") { _ = try await $0.ingest(try session.store.evidence(.newest)) }

        #expect(try await buyLantern(for: "anna", order: "1", in: pool) == "a lantern; 80 coins are left")
        #expect(try await buyLantern(for: "anna", order: "1", in: pool) == "a lantern; 80 coins are left")
        #expect(try await buyLantern(for: "anna", order: "2", in: pool) == "it costs 120 coins, and there are 80")
        try session.refundTransaction(identifier: bought.id)
        try await pool.withStore("anna") { _ = try await $0.ingest(try session.store.evidence(.newest)) }
        #expect(
            try await buyLantern(for: "anna", order: "3", in: pool)
                == (refunds == .freeze
                    ? "a purchase was refunded, and its coins are owed" : "it costs 120 coins, and there are -20"))
        #expect(
            try await account(of: "anna", in: vault) == [
                "coins: credit 100, 100 left", "coins: credit 100, 200 left", "coins: spend -120, 80 left",
                "coins: clawBack -100, -20 left",
            ])
        #expect(try await vault.checkIntegrity().faults.isEmpty)
    }
}
