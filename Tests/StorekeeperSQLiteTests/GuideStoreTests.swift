import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of the code about stores in the guide for Swift.
@Suite("The guide on stores", .timeLimit(.minutes(20))) struct GuideStoreTests {
    private let handedOut = DeliveredItems()

    private func grantItems(_ transaction: Transaction) async throws { handedOut.add(transaction.id) }

    func serve(path: String, appStore: some StoreBackend, verifier: JWSVerifier, catalog: Catalog) async throws {
        var configuration = StorePool.Configuration()
        configuration.store.catalog = catalog
        let pool = StorePool(
            configuration: configuration, vault: try SQLiteVault(path: path), verifier: verifier, backend: appStore,
            deliver: { delivery in try await grantItems(delivery.transaction) })

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }  // listens, counts, announces lapses, until cancelled

            let player = try await pool.lease("player-7")  // in memory to the end of the scope
            let store = player.store
            try await store.sync()
            print("ad-free:", store.hasFeature("ad-free"))  // no await: from the published snapshot
            if store.entitlement(for: "gold.monthly").reason == .gracePeriod { print("their card was declined") }
            let body = try JSONEncoder().encode(store.snapshot.answers(at: Instant(.now)))  // the command line's JSON
            print(String(decoding: body, as: UTF8.self))
            try await store.spend(30, of: "coins", key: "lantern-42")  // once, however often it is asked for

            for try await event in pool.events() {  // answers that changed, from any cursor
                print(event)
                group.cancelAll()
                break
            }
        }
    }

    @Test("The guide's example works")
    func example() async throws {
        let authority = try LocalAuthority()
        let signer = authority.makeSigner()
        let gold = TransactionDraft.purchase(
            of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "21")
        let coins = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(0), id: "2000")
        let texts = try [gold, coins].map { try signer.sign(payload: $0.payload) }
        let catalog = Catalog(
            products: [Product(id: "coins.100", type: .consumable, grants: ["coins": 100])], groups: [],
            features: [Feature(id: "ad-free", productIDs: ["gold.monthly"])])
        let folder = try TemporaryFolder()
        let path = folder.file("customers.sqlite")
        let verifier = JWSVerifier(.init(roots: [authority.root], bundleID: nil))
        try await serve(
            path: path, appStore: ReplayBackend(evidence: ["player-7": texts]), verifier: verifier, catalog: catalog)
        #expect(handedOut.ids == ["1000", "2000"])
        let vault = try SQLiteVault(path: path)
        #expect(try await vault.balances(of: "player-7").map(\.amount) == [70])
        try vault.close()
    }

    @Test("The guide contains the code of this test")
    func quoted() throws {
        let story = try #require(try ExampleStory.all().first)
        let guide = String(decoding: try story.bytes(of: "Documentation/Guides/EmbedInSwift.md"), as: UTF8.self)
        let source = String(decoding: try Data(contentsOf: URL(filePath: #filePath)), as: UTF8.self)
        let lines = source.split(separator: "\n").drop { !$0.contains("func serve") }.prefix(23)
        #expect(lines.count == 23)
        for line in lines { #expect(guide.contains(line.drop { $0 == " " }), "\(line)") }
    }
}

private final class DeliveredItems: Sendable {
    private let transactions = Mutex<Set<Transaction.ID>>([])

    var ids: Set<Transaction.ID> { transactions.withLock { $0 } }

    func add(_ id: Transaction.ID) { _ = transactions.withLock { $0.insert(id) } }
}
