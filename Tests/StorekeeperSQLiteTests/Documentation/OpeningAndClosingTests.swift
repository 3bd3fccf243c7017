import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperTesting
import Testing

final class PlayerConnection: Sendable {
    let lease: StorePool.Lease

    init(of player: CustomerID, in pool: StorePool) async throws {
        lease = try await pool.lease(player)
    }

    var mayBuild: Bool { lease.store.hasFeature("editor") }
}

@Suite("The article 'Opening and closing'", .timeLimit(.minutes(20))) struct OpeningAndClosingTests {
    private let player: CustomerID = "player-7"

    private func answerRequests(with pool: StorePool) async throws {
        let lease = try await pool.lease(player)
        let snapshot = lease.store.snapshot
        let isFree = snapshot.hasFeature("ad-free", at: WallClock().now)
        lease.release()

        let answer = try await pool.withStore(player) { store in
            if store.snapshot.freshness.syncedAt == nil { try await store.sync() }
            return store.entitlement(for: "gold.monthly")
        }

        let mayPlay = try await pool.withStore(player) { $0.isEntitled("gold.monthly") }

        #expect(isFree == false && !mayPlay)
        #expect(try await !PlayerConnection(of: player, in: pool).mayBuild)
        #expect(answer.isEquivalent(to: .never))
    }

    @Test("The server of the article serves requests from its start to its end")
    func serving() async throws {
        let authority = try LocalAuthority()
        let ads = TransactionDraft.purchase(of: "remove.ads", at: .day(0))
        let appStore = ReplayBackend(evidence: ["player-7": [try authority.makeSigner().sign(payload: ads.payload)]])
        let verifier = JWSVerifier(.init(roots: [authority.root], bundleID: nil))
        let folder = try TemporaryFolder()
        let path = folder.file("customers.sqlite")
        let configuration = StorePool.Configuration()
        let grantItems: Store.DeliveryHandler = { _ in }
        let log: @Sendable (String) -> Void = { Issue.record("\($0)") }

        let vault = try SQLiteVault(path: path)
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: verifier, backend: appStore, deliver: grantItems,
            report: { log($0.description) })

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            try await answerRequests(with: pool)
            group.cancelAll()
        }
        try vault.close()

        let again = try SQLiteVault(path: path)
        #expect(try await again.load(player).facts.count == 1)
        try again.close()
    }
}
