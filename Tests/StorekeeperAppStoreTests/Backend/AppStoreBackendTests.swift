import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperAppStore

@Suite("The App Store as a backend", .system) struct AppStoreBackendTests {
    /// Anchors of customers that never change.
    struct KnownAnchors: CustomerAnchors {
        let known: [CustomerID: [CustomerAnchor]]
        func anchors(of customer: CustomerID) async throws -> [CustomerAnchor] { known[customer] ?? [] }
    }

    /// A simulated store in which Ada has purchases, the answers of its server, and its root.
    struct Shop: Sendable {
        let store: SimulatedAppStore
        let server: ScriptedAppStore
        let anchor: CustomerAnchor
        let verifier: JWSVerifier
    }

    func shop() throws -> Shop {
        let store = try SimulatedAppStore(
            apps: [SimulatedApp(bundleID: Fixture.bundleID, catalog: TestShop.catalog)], environment: .sandbox)
        try store.createAccount("ada")
        for product in [TestShop.gold, TestShop.coins, TestShop.removeAds, TestShop.coins] {
            try store.buy(product.id, by: "ada")
        }
        let verifier = JWSVerifier(
            .init(roots: [store.root], bundleID: Fixture.bundleID, environments: [.sandbox, .production]))
        var account = ScriptedAppStore.Account()
        var status: (Transaction, String)?
        var info: String?
        for text in try store.evidence(of: "ada") {
            switch verifier.verify(text) {
            case .transaction(.verified(let transaction)):
                account.transactions.append(text)
                if transaction.productType == .autoRenewable { status = (transaction, text) }
            case .renewalInfo(.verified): info = text
            default: break
            }
        }
        let (gold, goldText) = try #require(status)
        account.statuses = [(goldText, try #require(info), gold.originalID.rawValue)]
        let id = try #require(gold.appTransactionID)
        return Shop(
            store: store,
            server: ScriptedAppStore(bundleID: Fixture.bundleID, environment: .sandbox, accounts: [id: account]),
            anchor: CustomerAnchor(environment: .sandbox, id: id), verifier: verifier)
    }

    func withBackend<Value>(
        _ shop: Shop, _ work: (AppStoreBackend, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        try await Fixture.withClient(
            environment: .sandbox, attempts: 1, verifier: shop.verifier,
            serving: { request, _ in shop.server.reply(request) }
        ) { client, server in
            let anchors = KnownAnchors(known: ["ada": [shop.anchor, shop.anchor]])
            return try await work(AppStoreBackend(client, anchors: anchors), server)
        }
    }

    @Test("The backend conforms to the laws of a backend") func conformance() async throws {
        let shop = try shop()
        try await withBackend(shop) { backend, _ in
            let client = backend.client
            await BackendConformance(customer: "ada", updateCount: 3) {
                let feed = UpdateFeed()
                for text in try shop.store.evidence(of: "ada").prefix(3) { feed.publish(.evidence([text])) }
                return AppStoreBackend(
                    client, anchors: KnownAnchors(known: ["ada": [shop.anchor]]), feed: feed)
            }.run()
        }
        #expect(shop.server.finished.withLock { Set($0).count } == 1)
    }

    @Test("A store syncs a customer over HTTP, credits balances, and finishes delivered transactions") func engine()
        async throws
    {
        let shop = try shop()
        try await withBackend(shop) { backend, _ in
            let policy = EntitlementPolicy(environments: [.sandbox: .grant])
            let store = try await Store.open(
                customer: "ada", configuration: StoreConfiguration(catalog: TestShop.catalog, policy: policy),
                vault: InMemoryVault(), verifier: shop.verifier, backend: backend, clock: shop.store.clock,
                deliver: { _ in })
            let report = try await store.sync()
            #expect(report.failures.isEmpty)
            #expect(store.isEntitled(TestShop.gold.id) && store.isEntitled(TestShop.removeAds.id))
            #expect(store.balance(of: "coins").amount == 1_000)
            #expect(await store.deliverUnfinished())
            #expect(shop.server.finished.withLock { $0.count } == 4)
        }
    }

    @Test(
        "A finish that the App Store refuses for good is dropped, and one that may succeed later is retried",
        arguments: [(4_040_010, true), (4_000_006, true), (4_040_001, false), (5_000_000, false)])
    func refusedFinish(code: Int64, isForGood: Bool) async throws {
        let shop = try shop()
        shop.server.finishRefusal.withLock { $0 = code }
        try await withBackend(shop) { backend, server in
            let reports = Mutex<[StoreReport.Problem]>([])
            let policy = EntitlementPolicy(environments: [.sandbox: .grant])
            let store = try await Store.open(
                customer: "ada", configuration: StoreConfiguration(catalog: TestShop.catalog, policy: policy),
                vault: InMemoryVault(), verifier: shop.verifier, backend: backend, clock: shop.store.clock,
                deliver: { _ in }, report: { report in reports.withLock { $0.append(report.problem) } })
            _ = try await store.sync()
            #expect(await store.deliverUnfinished() == isForGood)
            #expect(try await store.unfinished.isEmpty == isForGood)
            let refusals = reports.withLock { problems in
                problems.compactMap { problem -> AppStoreErrorCode? in
                    guard case .finishRefused(_, let error) = problem else { return nil }
                    return (error as? AppStoreServerError)?.apiCode
                }
            }
            #expect(refusals == Array(repeating: AppStoreErrorCode(rawValue: code), count: isForGood ? 4 : 0))
            #expect(server.requests.filter { $0.target.hasSuffix("/finish") }.count == (isForGood ? 4 : 8))
        }
    }

    @Test("Pages of a history are read by revision") func store() async throws {
        let shop = try shop()
        try await withBackend(shop) { backend, server in
            var pages: [EvidencePage] = []
            var cursor: HistoryCursor?
            repeat {
                pages.append(try await backend.history(for: "ada", after: cursor))
                cursor = pages.last?.next
            } while cursor != nil
            #expect(pages.map(\.items.count) == [2, 2])
            #expect(Set(pages.flatMap(\.items)).count == 4)
            #expect(pages.flatMap(\.items).allSatisfy { shop.verifier.verify($0).error == nil })
            #expect(
                server.requests.map(\.target) == [
                    "/inApps/v2/history/\(shop.anchor.id)", "/inApps/v2/history/\(shop.anchor.id)?revision=at.2",
                ])
            let statuses = try await backend.subscriptionStatuses(for: "ada")
            #expect(statuses.count == 1)
            let stranger = try await backend.history(for: "nobody", after: nil)
            #expect(stranger.items.isEmpty && stranger.next == nil)
        }
    }

    @Test("A reader with a revision receives only newer transactions") func changes() async throws {
        let shop = try shop()
        try await withBackend(shop) { backend, server in
            var (items, cursor, hasMore) = try await backend.changes(of: shop.anchor, after: nil)
            while hasMore {
                let next = try await backend.changes(of: shop.anchor, after: cursor)
                (cursor, hasMore) = (next.cursor, next.hasMore)
                items += next.items
            }
            #expect(items.count == 4)
            let nothing = try await backend.changes(of: shop.anchor, after: cursor)
            #expect(nothing.items.isEmpty && !nothing.hasMore)
            shop.server.append("new.one.here", to: shop.anchor.id)
            let news = try await backend.changes(of: shop.anchor, after: nothing.cursor)
            #expect(news.items == ["new.one.here"])
            #expect(server.requests.count == 4)
            let other = CustomerAnchor(environment: .production, id: "1")
            let error = await Fixture.failure { try await backend.changes(of: other, after: cursor) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("Cursors are parsed as they are written, and malformed ones are refused") func cursors() async throws {
        for revision in [nil, "r", "a:b::c=="] as [String?] {
            let position = HistoryPosition(CustomerAnchor(environment: .sandbox, id: "12"), revision: revision)
            #expect(HistoryPosition(position.cursor) == position)
        }
        for text in ["", "1", "1:a:b", "2:Sandbox:1:r", ":::"] {
            #expect(HistoryPosition(HistoryCursor(rawValue: text)) == nil)
        }
    }

    @Test("A vault's anchors name each Apple Account once") func vaultAnchors() async throws {
        let vault = InMemoryVault()
        func draft(_ id: Transaction.ID, account: String?, _ environment: AppStore.Environment) -> TransactionDraft {
            var draft = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: id)
            draft.environment = environment
            draft.appTransactionID = account
            return draft
        }
        var foreign = draft("9", account: "900", .production)
        foreign.bundleID = "com.example.other"
        let drafts = [
            draft("1", account: "700", .production), draft("2", account: "700", .production),
            draft("3", account: "700", .sandbox), draft("4", account: nil, .production), foreign,
        ]
        let facts = drafts.compactMap { VerifiedFact(TestVerifier().verify($0.jws)) }
        #expect(facts.count == 5)
        _ = try await vault.commit(CommitBatch(customer: "ada", at: .day(1), facts: facts))
        let anchors = try await VaultAnchors(vault, bundleID: Fixture.bundleID).anchors(of: "ada")
        #expect(
            Set(anchors) == [
                CustomerAnchor(environment: .production, id: "700"), CustomerAnchor(environment: .sandbox, id: "700"),
                CustomerAnchor(environment: .production, id: "4"),
            ])
        #expect(anchors.count == 3)
        #expect(try await VaultAnchors(vault, bundleID: Fixture.bundleID).anchors(of: "nobody").isEmpty)
    }
}
