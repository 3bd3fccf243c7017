import Storekeeper
import StorekeeperTesting
import Testing

struct StoreQuestionTests {
    private let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "2000")
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "3000")

    @Test("Every question has an answer for every kind of product, known or not")
    func totality() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        configuration.requestedProductIDs = [TestShop.gold.id, "misspelt"]
        let store = try await bench.open(configuration)
        try await store.ingest([gold.jws, ads.jws, coins.jws], isComplete: true)
        #expect(store.isPurchased(coins.productID) && store.isPurchased(ads.productID))
        #expect(store.isPurchased(gold.productID) && !store.isPurchased("misspelt"))
        #expect(store.entitlement(for: gold.productID).basis?.accessEndsAt == gold.expiresAt)
        #expect(store.highestStatus(group: "Membership")?.groupLevel == 1)
        #expect(store.highestStatus(group: "misspelt") == nil)
        #expect(store.feature("misspelt") == .unknown(.notInCatalog))
        #expect(store.entitlement(for: "misspelt") == .unknown(.notInCatalog))
        #expect(store.hasFeature("pro"))
        #expect(store.invalidProductIDs == ["misspelt"])
        #expect(try await store.latestTransaction(for: gold.productID)?.id == "1000")
        #expect(try await store.latestTransaction(for: "misspelt") == nil)
        #expect(try await store.explain("misspelt").answer == .unknown(.notInCatalog))
        #expect(try await store.explain(gold.productID).answer.isEntitled)
        #expect(try await store.allTransactions.map(\.id) == ["3000", "2000", "1000"])
        #expect(store.currentEntitlements.map(\.id) == ["1000", "2000"])
        #expect(store.snapshot.hasFeature("pro", at: bench.clock.now))
        #expect(store.snapshot.balance(of: "coins").amount == 500)
    }

    @Test("All statuses of a group count, not only the first")
    func families() async throws {
        let bench = StoreBench(.day(40))
        let store = try await bench.open()
        let shared = TransactionDraft.purchase(of: TestShop.silver, at: .day(30), id: "9000").owned(as: .familyShared)
        try await store.ingest([gold.jws, shared.jws])
        #expect(store.subscriptionStatuses(group: "membership").map(\.state) == [.subscribed, .expired])
        #expect(store.highestStatus(group: "membership")?.transaction.id == "9000")
    }

    @Test("Two transactions of one order line are one period of access")
    func orderLine() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        var (first, second) = (gold, gold)
        first.webOrderLineItemID = "77"
        second.webOrderLineItemID = "77"
        second.id = "1001"
        try await store.ingest([first.jws, second.jws])
        #expect(store.subscriptionStatuses(group: "membership").count == 1)
        #expect(store.currentEntitlements.count == 1)
    }

    @Test("An unreadable item does not affect other answers")
    func oneBadItem() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        bench.backend[\.pages] = [[gold.jws, "nonsense", coins.forged]]
        try await store.sync()
        #expect(store.isEntitled(gold.productID))
        #expect(store.snapshot.freshness.failingSince == nil)
    }

    @Test("Access is half-open: it starts at its first millisecond and ends before its end")
    func halfOpen() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let renewal = TransactionDraft.renewal(of: gold)
        try await store.ingest([gold.jws, renewal.jws])
        let end = try #require(renewal.expiresAt)
        #expect(store.entitlement(for: gold.productID, at: .day(0)).isEntitled)
        #expect(!store.entitlement(for: gold.productID, at: .day(0).adding(milliseconds: -1)).isEntitled)
        #expect(store.entitlement(for: gold.productID, at: end.adding(milliseconds: -1)).isEntitled)
        #expect(!store.entitlement(for: gold.productID, at: end).isEntitled)
    }

    @Test("The state of an earlier day contains only evidence that was known then")
    func asKnownAt() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        bench.backend[\.pages] = [[gold.jws, coins.jws]]
        try await store.sync()
        bench.clock.set(.day(3))
        try await store.spend(100, of: "coins", key: "a")
        bench.clock.set(.day(5))
        // The purchase was refunded on day 2, and the refund becomes known on day 5.
        try await store.ingest([gold.revoked(at: .day(2)).jws])
        #expect(!store.entitlement(for: gold.productID, at: .day(3)).isEntitled)
        let (past, now) = (try await store.state(asKnownAt: .day(4)), try await store.state(asKnownAt: .day(5)))
        #expect(past.snapshot.entitlement(for: gold.productID, at: .day(3)).isEntitled)
        #expect(past.snapshot.feature("pro", at: .day(4)).isEntitled)
        #expect(!now.snapshot.feature("pro", at: .day(5)).isEntitled)
        #expect(past.snapshot.currentEntitlements(at: .day(4)).map(\.id) == ["1000"])
        #expect(past.snapshot.highestStatus(group: "membership", at: .day(4))?.state == .subscribed)
        #expect(now.snapshot.subscriptionStatuses(group: "membership", at: .day(5)).map(\.state) == [.revoked])
        #expect(past.latestTransaction(for: gold.productID)?.revokedAt == nil)
        #expect(past.explain(gold.productID, at: .day(3)).answer.isEntitled)
        let bought = try await store.state(asKnownAt: .day(2))
        #expect(bought.snapshot.balance(of: "coins").amount == 500)
        #expect(bought.snapshot.entitlement(for: ads.productID, at: .day(2)) == .never)
        #expect(try await store.state(asKnownAt: .day(3)).snapshot.balance(of: "coins").amount == 400)
        let before = try await store.state(asKnownAt: .day(0))
        #expect(before.allTransactions.isEmpty)
        #expect(before.snapshot.entitlement(for: gold.productID, at: .day(0)) == .unknown(.neverSynced))
    }

    @Test("A new catalog takes effect with events, and has no effect if it could not be written")
    func reload() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([ads.jws], isComplete: true)
        let catalog = Catalog(
            products: TestShop.catalog.products, groups: TestShop.catalog.groups,
            features: [Feature(id: "hints", productIDs: [ads.productID])])
        bench.vault.failWrites()
        await #expect(throws: VaultError.self) { try await store.reload(catalog) }
        #expect(store.feature("hints") == .unknown(.notInCatalog))
        #expect(try await store.allTransactions.count == 1)
        #expect(store.feature("hints") == .unknown(.notInCatalog))
        try await store.reload(catalog)
        #expect(store.hasFeature("hints"))
        #expect(try await bench.events().contains("feature hints never→entitled"))
        bench.vault.failWrites()
        await #expect(throws: VaultError.self) { try await store.ingest([coins.jws]) }
        #expect(try await store.allTransactions.count == 1)
        #expect(store.hasFeature("hints"))
    }

    struct Source: ProductSource {
        var answer: Result<[Product], StubBackend.ConnectionLost>
        func products(for ids: [Product.ID]) async throws -> [Product] { try answer.get() }
    }

    @Test("Descriptions that cannot be read, or are empty, leave the last good ones")
    func refreshProducts() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        configuration.requestedProductIDs = ["platinum"]
        let store = try await bench.open(configuration)
        try await store.ingest([gold.jws])
        #expect(try await !store.refreshProducts(from: Source(answer: .failure(StubBackend.ConnectionLost()))))
        #expect(try await !store.refreshProducts(from: Source(answer: .success([]))))
        #expect(bench.reports.count == 2)
        #expect(store.hasFeature("pro"))
        #expect(store.invalidProductIDs == ["platinum"])
        let platinum = Product(
            id: "platinum", type: .autoRenewable,
            subscription: Product.SubscriptionInfo(subscriptionGroupID: "membership", groupLevel: 1))
        let named = Product(id: gold.productID, displayName: "Gold")
        #expect(try await store.refreshProducts(from: Source(answer: .success([named, platinum]))))
        #expect(store.invalidProductIDs.isEmpty)
        let described = store.snapshot.resolution.catalog.product(gold.productID)
        #expect(described?.displayName == "Gold")
        #expect(described?.subscription?.groupLevel == 1)
        #expect(store.snapshot.resolution.group("Membership")?.group.productIDs.last == "platinum")
        #expect(store.hasFeature("pro"))
    }
}
