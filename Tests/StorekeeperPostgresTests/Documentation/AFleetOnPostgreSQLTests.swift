import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Testing

@Suite(
    "The article 'A fleet on PostgreSQL'", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"),
    .timeLimit(.minutes(20)))
struct AFleetOnPostgreSQLTests {
    private static let player: CustomerID = "player-7"

    /// Runs one server of the article, which reads the App Store's evidence and answers one question.
    private func server(
        _ nodeName: String, _ address: String, _ verifier: DraftVerifier, _ appStore: ReplayBackend
    ) async throws -> Bool {
        let catalog = Catalog(products: [Product(id: "remove.ads", type: .nonConsumable)], groups: [], features: [])
        let grantItems: Store.DeliveryHandler = { _ in }

        var options = PostgresVault.Options()
        options.makesSchema = false  // the service's role may not
        let vault = try await PostgresVault(address, options: options)

        var configuration = StorePool.Configuration()
        configuration.store.catalog = catalog
        configuration.wakeLease = WakeLease(node: nodeName)  // another name on each server
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: verifier, backend: appStore, deliver: grantItems)

        defer { vault.close() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            let isEntitled = try await pool.withStore(Self.player) { store in
                if store.snapshot.freshness.syncedAt == nil { try await store.sync() }
                return store.isEntitled("remove.ads")
            }
            group.cancelAll()
            return isEntitled
        }
    }

    @Test("Three servers of the article give the same answer")
    func servers() async throws {
        let address = try await TestDatabase.make()
        try await PostgresVault(address).close()
        let verifier = DraftVerifier()
        let evidence = TransactionDraft.purchase(of: "remove.ads", at: .day(0)).fakeJWS

        // Only the first server has a backend with evidence. The other servers answer from the vault.
        #expect(try await server("node-1", address, verifier, ReplayBackend(evidence: ["player-7": [evidence]])))
        for node in ["node-2", "node-3"] {
            #expect(try await server(node, address, verifier, ReplayBackend(evidence: [:])))
        }
    }
}
