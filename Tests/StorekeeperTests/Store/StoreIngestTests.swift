import FoundationEssentials
import StorekeeperTesting
import Synchronization
import Testing

@testable import Storekeeper

struct StoreIngestTests {
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000")

    @Test("Ingested evidence is durable, published, delivered and finished when the call returns")
    func ingestsEvidence() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        #expect(store.entitlement(for: ads.productID) == .unknown(.neverSynced))
        let report = try await store.ingest([ads.jws, coins.jws])
        #expect((report.new, report.known, report.failures.count) == (2, 0, 0))
        #expect(store.isEntitled(ads.productID))
        #expect(store.balance(of: "coins").amount == 500)
        #expect(bench.deliveries == ["1000", "2000"])
        #expect(bench.backend[\.finished] == ["1000", "2000"])
        #expect(try await store.unfinished.isEmpty)
        #expect(try await bench.vault.load("anna").facts.count == 2)
        #expect(try await bench.events() == ["remove.ads unknown→entitled", "feature ad-free unknown→entitled"])
    }

    @Test("A purchase that arrives by several ways counts once and is delivered once")
    func countsOnce() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        bench.backend[\.pages] = [[coins.jws, coins.jws], [coins.jws]]
        try await store.ingest([coins.jws, TestEvidence.notification(transaction: coins.jws, at: .day(1))])
        try await store.sync()
        let again = try await store.ingest([coins.jws])
        #expect((again.new, again.known) == (0, 1))
        #expect(store.balance(of: "coins").amount == 500)
        #expect(bench.deliveries == ["2000"])
    }

    @Test("A replay grants nothing twice, and nothing to another customer")
    func replay() async throws {
        let bench = StoreBench(.day(1))
        let (anna, bert) = (try await bench.open(), try await bench.open(customer: "bert"))
        try await anna.ingest([coins.jws])
        let report = try await bert.ingest([coins.jws, ads.jws])
        #expect((report.new, report.parked) == (1, 1))
        #expect(report.conflicts.map(\.holder) == ["anna"])
        #expect(report.conflicts.first?.attempts == 1)
        #expect(bert.balance(of: "coins").amount == 0)
        #expect(bert.isEntitled(ads.productID))
        #expect(anna.balance(of: "coins").amount == 500)
        #expect(try await bert.ingest([coins.jws]).conflicts.first?.attempts == 2)
    }

    @Test("Evidence with another customer's token is a typed conflict and gives nothing")
    func otherToken() async throws {
        let (annaID, bertID) = (
            "7a0d5b1e-0000-4000-8000-00000000000a", "7a0d5b1e-0000-4000-8000-00000000000b"
        )
        let bench = StoreBench(.day(1))
        let anna = try await bench.open(customer: CustomerID(rawValue: annaID))
        let bert = try await bench.open(customer: CustomerID(rawValue: bertID))
        try await anna.ingest([coins.owned(by: annaID).jws])
        let report = try await bert.ingest([ads.owned(by: annaID).jws])
        #expect(report.conflicts.map(\.holder.rawValue) == [annaID])
        #expect(!bert.isEntitled(ads.productID))
        #expect(try await bench.vault.allParked().count == 1)
    }

    @Test("Evidence that fails verification is reported, makes its product doubtful, and does not stop the rest")
    func forged() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let report = try await store.ingest([ads.forged, "nonsense", coins.jws], isComplete: true)
        #expect(report.failures.map(\.code) == [.invalidSignature, .malformed])
        #expect(report.new == 1)
        #expect(store.entitlement(for: ads.productID) == .unknown(.unverified))
        #expect(bench.reports.count == 2)
        #expect(bench.backend[\.finished] == ["2000"])
        // One item was unreadable, so a product without evidence is unknown.
        #expect(store.entitlement(for: TestShop.gold.id) == .unknown(.neverSynced))
        try await store.ingest([ads.jws], isComplete: true)
        #expect(store.isEntitled(ads.productID))
        #expect(store.entitlement(for: TestShop.gold.id) == .never)
    }

    @Test("Only verified parts of a notification count, and its envelope must be verified, too")
    func notifications() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let forgedOutside = TestEvidence.notification(transaction: ads.jws, at: .day(1), signature: "forged")
        #expect(try await store.ingest([forgedOutside]).new == 0)
        let forgedInside = TestEvidence.notification(transaction: ads.forged, at: .day(1))
        #expect(try await store.ingest([forgedInside]).failures.count == 1)
        #expect(!store.isEntitled(ads.productID))
        let genuine = TestEvidence.notification(transaction: ads.jws, at: .day(1))
        #expect(try await store.ingest([genuine]).new == 1)
        #expect(try await store.ingest([TestEvidence.notification("TEST", at: .day(1))]).ignored == 1)
        #expect(store.isEntitled(ads.productID))
    }

    @Test("A failed commit leaves the state unchanged, and nothing is finished", arguments: [false, true])
    func failedCommit(isWritten: Bool) async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let snapshot = store.snapshot
        if isWritten { bench.vault.failAcknowledgements() } else { bench.vault.failWrites() }
        await #expect(throws: VaultError.self) { try await store.ingest([ads.jws]) }
        #expect(store.snapshot.isIdentical(to: snapshot))
        #expect(!store.isEntitled(ads.productID))
        #expect(bench.deliveries.isEmpty)
        #expect(bench.backend[\.finished].isEmpty)
        let report = try await store.ingest([ads.jws])
        #expect(report.new == (isWritten ? 0 : 1))
        #expect(store.isEntitled(ads.productID))
        await store.deliverUnfinished()
        #expect(bench.deliveries == ["1000"])
        #expect(try await bench.events().count == 2)
    }

    @Test("Purchases written before a later step of the same call failed are queued for delivery")
    func queuesWrittenPurchases() async throws {
        let token = try #require(UUID(uuidString: "7a0d5b1e-0000-4000-8000-00000000000a"))
        let owned = coins.owned(by: token.uuidString)
        let parked = try (1...600).map {
            try TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: .init(rawValue: "\($0)"))
                .owned(by: token.uuidString).verifiedFact()
        }
        let calls: [(String, @Sendable (StoreBench, Store) async throws -> Void)] = [
            (
                "the second part of a list",
                { bench, store in
                    bench.vault.failWrites(after: 1)
                    try await store.ingest([coins.jws, ads.jws])
                }
            ),
            (
                "adopting parked evidence",
                { bench, store in
                    try await bench.vault.parkForOwners([parked[0]], at: .day(1))
                    bench.vault.failWrites(after: 1)
                    try await store.ingest([owned.jws])
                }
            ),
            (
                "the second page of parked evidence",
                { bench, store in
                    try await bench.vault.parkForOwners(parked, at: .day(1))
                    bench.vault.failWrites(after: 2)
                    _ = try await store.claim(token: token)
                }
            ),
            (
                "the last page of a history",
                { bench, store in
                    bench.backend[\.pages] = [[coins.jws], []]
                    bench.backend[\.failures] = 1
                    try await store.sync()
                }
            ),
        ]
        for (name, call) in calls {
            let bench = StoreBench(.day(1))
            var configuration = StoreBench.configuration
            configuration.batchSize = 1
            let store = try await bench.open(configuration)
            await #expect(throws: (any Error).self, "\(name)") { try await call(bench, store) }
            #expect(store.parts.work.owed.removeAll() == ["anna"], "\(name)")
        }
    }

    @Test("Parked evidence that could not be adopted is adopted by the next call")
    func adoptsAgain() async throws {
        let token = "7a0d5b1e-0000-4000-8000-00000000000a"
        let parked = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "3000").owned(by: token)
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.vault.parkForOwners([try parked.verifiedFact()], at: .day(1))
        bench.vault.failWrites(after: 1)
        await #expect(throws: VaultError.self) { try await store.ingest([coins.owned(by: token).jws]) }
        #expect(store.balance(of: "coins").amount == 500)
        try await store.ingest([ads.jws])
        #expect(store.balance(of: "coins").amount == 1_000)
        #expect(try await bench.vault.allParked().isEmpty)
    }

    @Test("The last answers stay if the vault cannot be read after another writer changed it")
    func failedReload() async throws {
        let bench = StoreBench(.day(1))
        let (store, other) = (try await bench.open(), try await bench.open())
        try await store.ingest([ads.jws])
        try await other.refresh()
        try await other.ingest([coins.jws])
        bench.vault.failReads()
        await #expect(throws: VaultError.self) { try await store.ingest([ads.signed(at: .day(4)).jws]) }
        bench.vault.failReads()
        await #expect(throws: VaultError.self) { try await store.allTransactions }
        #expect(store.isEntitled(ads.productID))
        #expect(try await Set(store.allTransactions.map(\.id)) == ["1000", "2000"])
    }

    @Test("Two stores on one vault write one after the other and lose nothing")
    func twoProcesses() async throws {
        let bench = StoreBench(.day(1))
        let (first, second) = (try await bench.open(), try await bench.open())
        try await first.ingest([ads.jws])
        // The second store has not seen the write of the first store, and so reads the vault again.
        try await second.ingest([coins.jws])
        #expect(second.isEntitled(ads.productID))
        #expect(!first.snapshot.balances.contains { $0.amount > 0 })
        #expect(try await first.refresh())
        #expect(first.balance(of: "coins").amount == 500)
        #expect(try await !first.refresh())
        try await second.spend(100, of: "coins", key: "a")
        #expect(try await first.refresh())
        #expect(first.balance(of: "coins").amount == 400)
    }

    @Test("With many concurrent callers, every fact counts once and answers never regress")
    func concurrentIntake() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let drafts = (0..<40).map { number in
            TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: Transaction.ID(rawValue: "\(3000 + number)"))
        }
        try await withThrowingTaskGroup { group in
            for draft in drafts + drafts.reversed() {
                group.addTask { _ = try await store.ingest([draft.jws]) }
            }
            try await group.waitForAll()
        }
        #expect(store.balance(of: "coins").amount == 40 * 500)
        #expect(Set(bench.deliveries).count == 40)
        #expect(bench.deliveries.count == 40)
    }

    @Test("A cancelled caller reads full answers and gets an error from a write")
    func cancelled() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([ads.jws])
        let answers = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (
                store.isEntitled("remove.ads"), try await store.allTransactions.count, store.currentEntitlements.count
            )
        }
        let (isEntitled, count, entitlements) = try await answers.valueInTime()
        #expect(isEntitled && count == 1 && entitlements == 1)
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.ingest([coins.jws])
        }
        await #expect(throws: CancellationError.self) { try await writing.valueInTime() }
        #expect(store.balance(of: "coins").amount == 0)
    }

    @Test("A delivery that the handler refused stays owed, is not finished, and is retried at the next start")
    func refusedDelivery() async throws {
        let bench = StoreBench(.day(1))
        bench.refuseDeliveries(1)
        let store = try await bench.open()
        try await store.ingest([ads.jws])
        #expect(bench.backend[\.finished].isEmpty)
        #expect(try await store.unfinished.map(\.state) == [.owed])
        let restarted = try await bench.open()
        await restarted.deliverUnfinished()
        #expect(bench.deliveries == ["1000", "1000"])
        #expect(bench.backend[\.finished] == ["1000"])
        #expect(try await restarted.unfinished.isEmpty)
    }

    @Test("A transaction that the App Store refuses to finish is reported once and counts as finished")
    func refusedFinish() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.refusesToFinish] = true
        let store = try await bench.open()
        try await store.ingest([ads.jws])
        #expect(bench.deliveries == ["1000"])
        #expect(try await store.unfinished.isEmpty)
        #expect(await store.deliverUnfinished())
        #expect(bench.backend[\.log].filter { $0.hasPrefix("finish") } == ["finish 1000"])
        let refused = bench.reports.compactMap { report -> TransactionKey? in
            if case .finishRefused(let key, _) = report.problem { key } else { nil }
        }
        #expect(refused.map(\.transactionID) == ["1000"])
        #expect(bench.reports.last?.description.contains("counts as finished") == true)
    }

    @Test("A crash between delivery and finish causes no second delivery")
    func failedFinish() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.finishFailures] = 1
        let store = try await bench.open()
        try await store.ingest([ads.jws])
        #expect(try await store.unfinished.map(\.state) == [.delivered])
        let restarted = try await bench.open()
        await restarted.deliverUnfinished()
        #expect(bench.deliveries == ["1000"])
        #expect(bench.backend[\.finished] == ["1000"])
    }

    @Test("A handler may call the store, also about its own delivery")
    func handlerCallsStore() async throws {
        let bench = StoreBench(.day(1))
        let box = Mutex<Store?>(nil)
        let store = try await Store.open(
            customer: "anna", configuration: StoreBench.configuration, vault: bench.vault, verifier: TestVerifier(),
            backend: bench.backend, clock: bench.clock,
            deliver: { delivery in
                let store = box.withLock { $0 }
                try await store?.spend(10, of: "coins", key: "sword-\(delivery.transaction.id)")
                await store?.deliverUnfinished()
            })
        box.withLock { $0 = store }
        try await store.ingest([coins.jws])
        #expect(store.balance(of: "coins").amount == 490)
        #expect(bench.backend[\.finished] == ["2000"])
    }

    @Test("Transactions without access or fully refunded are not delivered")
    func noGoods() async throws {
        let bench = StoreBench(.day(2))
        let store = try await bench.open()
        let refunded = coins.revoked(at: .day(1))
        try await store.ingest([ads.made(in: .sandbox).jws, refunded.jws])
        #expect(bench.deliveries.isEmpty)
        // The refunded transaction is finished. The other transaction waits for a policy that accepts its environment.
        #expect(bench.backend[\.finished] == ["2000"])
        #expect(try await store.unfinished.map(\.key.environment) == [.sandbox])
    }

    @Test("A purchase that would overflow a balance is kept, reported once, and not finished without its credit")
    func overflow() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        let hoard = Product(id: "hoard", type: .consumable, grants: ["coins": Int64.max / 3])
        configuration.catalog = Catalog(products: [hoard, TestShop.removeAds], groups: [], features: [])
        let store = try await bench.open(configuration)
        var greedy = TransactionDraft.purchase(of: hoard, at: .day(0), id: "4000")
        greedy.quantity = 10
        let report = try await store.ingest([greedy.jws, ads.jws])
        #expect(report.uncredited.map(\.transactionID) == ["4000"])
        #expect(report.new == 2)
        #expect(store.isEntitled(ads.productID))
        #expect(store.balance(of: "coins").amount == 0)
        await store.deliverUnfinished()
        #expect(bench.deliveries == [ads.id])
        #expect(bench.backend[\.finished] == [ads.id])
        let reported = bench.reports.filter {
            if case .uncredited(let key) = $0.problem { key.transactionID == "4000" } else { false }
        }
        #expect(reported.count == 1)
        // In the next process the result is the same, until a catalog has a credit that does not overflow the balance.
        let restarted = try await bench.open(configuration)
        await restarted.deliverUnfinished()
        #expect(bench.backend[\.finished] == [ads.id])
        let modest = Product(id: "hoard", type: .consumable, grants: ["coins": 7])
        configuration.catalog = Catalog(products: [modest, TestShop.removeAds], groups: [], features: [])
        let later = try await bench.open(configuration)
        await later.deliverUnfinished()
        #expect(later.balance(of: "coins").amount == 70)
        #expect(bench.backend[\.finished] == [ads.id, "4000"])
    }

    @Test(
        "A purchase that a new policy accepts is credited before it is delivered and finished",
        arguments: [false, true])
    func grantedLater(isHandedOver: Bool) async throws {
        let bench = StoreBench(.day(1))
        try await bench.open().ingest([coins.made(in: .sandbox).jws])
        #expect(bench.backend[\.finished].isEmpty)
        var configuration = StoreBench.configuration
        configuration.policy.environments[.sandbox] = .grant
        let store = try await bench.open(configuration)
        if isHandedOver { try await store.ingest([coins.made(in: .sandbox).jws]) }
        await store.deliverUnfinished()
        #expect(bench.backend[\.finished] == ["2000"])
        #expect(store.balance(of: "coins").amount == 500)
        try await store.ingest([coins.made(in: .sandbox).jws])
        #expect(store.balance(of: "coins").amount == 500)
    }

    @Test("A conflict about a chain does not affect a chain with the same number in another environment")
    func sameNumberElsewhere() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        configuration.policy.environments[.sandbox] = .grant
        let (anna, bert) = (try await bench.open(configuration), try await bench.open(configuration, customer: "bert"))
        try await anna.ingest([ads.jws])
        let pass = TransactionDraft.purchase(of: TestShop.badge, at: .day(0), id: ads.id).made(in: .sandbox)
        let report = try await bert.ingest([ads.jws, pass.jws])
        #expect(report.conflicts.count == 1)
        #expect(report.parked == 1)
        #expect(!bert.isEntitled(ads.productID))
        #expect(bert.isEntitled(TestShop.badge.id))
    }

    @Test("Parked evidence that would overflow a balance does not prevent reading a history")
    func overflowInThePark() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        let hoard = Product(id: "hoard", type: .consumable, grants: ["coins": Int64.max / 3])
        configuration.catalog = Catalog(products: [hoard, TestShop.removeAds], groups: [], features: [])
        let store = try await bench.open(configuration)
        let greedy = TransactionDraft.purchase(of: hoard, at: .day(0), id: "4000")
        _ = try await store.receive(TransactionUpdate(.evidence([greedy.jws])))
        _ = try? await store.claim(greedy.chain)
        bench.backend[\.pages] = [[ads.jws]]
        try await store.sync()
        #expect(store.isEntitled(ads.productID))
    }

    @Test("A doubtful product is still unknown after a restart, not never")
    func doubtAfterRestart() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.pages] = [[ads.forged]]
        let store = try await bench.open()
        try await store.sync()
        #expect(store.entitlement(for: ads.productID) == .unknown(.unverified))
        let restarted = try await bench.open()
        #expect(restarted.entitlement(for: ads.productID).word == "unknown")
    }

    @Test("A doubt gives no event, because it ends with the process without an event")
    func doubtsAreNoEvents() async throws {
        let bench = StoreBench(.day(1))
        try await bench.open().ingest([ads.forged])
        try await bench.open().ingest([ads.forged])
        try await bench.open().ingest([ads.jws])
        let events = try await bench.events(about: ads.productID)
        #expect(events.map(\.change.before.word) + events.map(\.change.after.word) == ["unknown", "entitled"])
    }
}
