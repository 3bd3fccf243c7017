import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The article Access without a purchase") struct AccessWithoutAPurchaseTests {
    func compensate(_ player: CustomerID, ticket: String, until end: Instant, in pool: StorePool) async throws -> Bool {
        try await pool.withStore(player) { store in
            try await store.grantAccess(
                to: .feature("pro"), until: end, because: "an outage", key: "ticket-\(ticket)", recordedBy: "support")
            return store.hasFeature("pro")
        }
    }

    @Test("The article's code gives access once per ticket")
    func compensating() async throws {
        var configuration = StorePool.Configuration()
        configuration.store = StoreConfiguration(catalog: TestShop.catalog)
        let vault = InMemoryVault()
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: TestVerifier(), clock: VirtualClock(.day(1)))
        #expect(try await compensate("anna", ticket: "1", until: .day(9), in: pool))
        #expect(try await compensate("anna", ticket: "1", until: .day(9), in: pool))
        let entries = try await vault.entries(after: .start, of: "anna", limit: 9)
        #expect(entries.map(\.kind) == [.grantAccess])
        #expect(entries.map(\.recordedBy) == ["support"])
    }
}
