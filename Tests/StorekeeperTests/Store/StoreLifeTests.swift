import StorekeeperTesting
import Synchronization
import Testing

@testable import Storekeeper

@Suite(.timeLimit(.minutes(20))) struct StoreLifeTests {
    private let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "2000")
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "3000")

    @Test("Renewals while the app was closed are read from the history at the start")
    func readsHistory() async throws {
        let bench = StoreBench(.day(40))
        let renewal = TransactionDraft.renewal(of: gold, expires: .day(60))
        bench.backend[\.pages] = [[gold.jws], [renewal.jws]]
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("finished") { bench.backend[\.finished].count == 2 }
        }
        #expect(store.isEntitled(TestShop.gold.id))
        #expect(store.snapshot.freshness.syncedAt == .day(40))
        #expect(store.entitlement(for: ads.productID) == .never)
        #expect(bench.backend[\.log].first == "updates")
        // The answer changes only once, and not once for each period.
        #expect(try await bench.events(about: TestShop.gold.id).map(\.change.after.word) == ["entitled"])
    }

    @Test("A cancellation that only a status contains is seen")
    func readsStatuses() async throws {
        let bench = StoreBench(.day(40))
        var info = RenewalInfoDraft(for: gold, signedAt: .day(32))
        info.isInBillingRetry = true
        info.gracePeriodExpiresAt = .day(45)
        bench.backend[\.pages] = [[gold.jws]]
        bench.backend[\.statuses] = [SignedStatus(transaction: gold.jws, renewalInfo: info.jws)]
        let store = try await bench.open()
        try await store.sync()
        #expect(store.highestStatus(group: "membership")?.state == .inGracePeriod)
        info.signedAt = .day(41)
        info.isInBillingRetry = false
        info.gracePeriodExpiresAt = nil
        info.autoRenewStatus = .off
        bench.backend[\.statuses] = [SignedStatus(transaction: gold.jws, renewalInfo: info.jws)]
        bench.clock.set(.day(41))
        try await store.sync()
        #expect(store.highestStatus(group: "membership")?.state == .expired)
    }

    @Test("A first start without a connection gives unknown, not never, and the store reconnects by itself")
    func offlineStart() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.failures] = 3
        bench.backend[\.pages] = [[ads.jws], [coins.jws]]
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("failed") { store.snapshot.freshness.failingSince != nil }
            #expect(store.entitlement(for: TestShop.gold.id) == .unknown(.neverSynced))
            // Evidence from before the failure counts.
            #expect(store.isEntitled(ads.productID))
            for seconds: Int64 in [1, 2, 4] {
                // The next attempt is exactly at this instant.
                let next = bench.clock.now.adding(milliseconds: seconds * 1_000)
                try await eventually("waits") { bench.clock.earliestWake == next }
                bench.clock.set(next)
            }
            try await eventually("synced") { store.snapshot.freshness.syncedAt != nil }
        }
        #expect(store.entitlement(for: TestShop.gold.id) == .never)
        #expect(store.snapshot.freshness.failingSince == nil)
        #expect(store.balance(of: "coins").amount == 500)
    }

    @Test("An empty or failed history removes no access", arguments: [false, true])
    func emptyAnswer(isFailure: Bool) async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([gold.jws, ads.jws, coins.jws])
        let before = store.currentEntitlements.map(\.id)
        if isFailure { bench.backend[\.failures] = 1 }
        if isFailure {
            await #expect(throws: StubBackend.ConnectionLost.self) { try await store.sync() }
        } else {
            try await store.sync()
        }
        #expect(store.currentEntitlements.map(\.id) == before)
        #expect(store.balance(of: "coins").amount == 500)
        #expect(try await store.allTransactions.count == 3)
        #expect(store.snapshot.freshness.failingSince == (isFailure ? .day(1) : nil))
        #expect(store.entitlement(for: TestShop.silver.id) == (isFailure ? .unknown(.neverSynced) : .never))
    }

    @Test("Access ends at the staleness limit after the connection was lost")
    func staleness() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        bench.backend[\.pages] = [[ads.jws]]
        try await store.sync()
        bench.backend[\.failures] = 1
        await #expect(throws: StubBackend.ConnectionLost.self) { try await store.sync() }
        bench.clock.set(.day(30))
        #expect(store.isEntitled(ads.productID))
        bench.clock.set(.day(31))
        #expect(!store.isEntitled(ads.productID))
        #expect(store.entitlement(for: ads.productID).word == "unknown")
        try await store.sync()
        #expect(store.isEntitled(ads.productID))
    }

    @Test("A lapse is recorded at its exact instant, on time and when the store wakes late")
    func lapses() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.running(store) {
            try await store.ingest([gold.jws])
            let end = try #require(gold.expiresAt)
            try await eventually("sleeps") { bench.clock.earliestWake == end }
            bench.clock.set(end.adding(milliseconds: -1))
            #expect(store.isEntitled(gold.productID))
            bench.clock.set(end)
            #expect(!store.isEntitled(gold.productID))
            try await eventually("announced") { try await bench.events(about: gold.productID).count == 2 }
            #expect(try await bench.events(about: gold.productID).last?.change.at == end)
        }
        // Another subscription lapses while no store runs.
        let later = TransactionDraft.change(of: gold, at: .day(50), expires: .day(80), id: "1002")
        bench.clock.set(.day(50))
        try await store.ingest([later.jws])
        bench.clock.set(.day(200))
        let restarted = try await bench.open()
        try await bench.running(restarted) {
            try await eventually("announced") { try await bench.events(about: gold.productID).count == 4 }
        }
        let events = try await bench.events(about: gold.productID)
        #expect(events.last?.change.at == .day(80))
        #expect(events.map(\.change.after.word) == ["entitled", "lapsed", "entitled", "lapsed"])
        #expect(events.last?.change.after.reason == .expired)
    }

    @Test("A hanging backend delays neither lapses nor ingested evidence")
    func hangingBackend() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.hangs] = true
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("asked") { bench.backend[\.log].contains("history") }
            try await store.ingest([gold.jws])
            let end = try #require(gold.expiresAt)
            try await eventually("sleeps") { bench.clock.sleeperCount == 2 }
            bench.clock.set(end)
            try await eventually("announced") { try await bench.events(about: gold.productID).count == 2 }
            try await eventually("the call is abandoned") {
                bench.reports.contains {
                    if case .backendFailed(let error) = $0.problem {
                        (error as? StoreError)?.code == .deadlineExceeded
                    } else {
                        false
                    }
                }
            }
        }
    }

    @Test("A restarted store has the same state")
    func restart() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        bench.backend[\.pages] = [[gold.jws, ads.jws, coins.jws]]
        try await store.sync()
        try await store.spend(120, of: "coins", key: "a")
        let restarted = try await bench.open()
        #expect(restarted.snapshot.resolution == store.snapshot.resolution)
        #expect(restarted.snapshot.balances == store.snapshot.balances)
        #expect(restarted.snapshot.freshness == store.snapshot.freshness)
        #expect(restarted.highestStatus(group: "membership")?.groupLevel == 1)
    }

    @Test("A new vault is filled from the backend's history alone")
    func rebuilt() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.pages] = [[ads.jws, gold.jws]]
        let store = try await bench.open()
        try await store.sync()
        #expect(store.isEntitled(ads.productID) && store.isEntitled(gold.productID))
    }

    @Test("Changes by another process are read in the configured interval")
    func refreshes() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        configuration.refreshInterval = .seconds(5)
        let (store, other) = (try await bench.open(configuration), try await bench.open())
        try await bench.running(store) {
            try await eventually("synced") { store.snapshot.freshness.syncedAt != nil }
            try await other.ingest([ads.jws])
            #expect(!store.isEntitled(ads.productID))
            let next = bench.clock.now.adding(milliseconds: 5_000)
            try await eventually("sleeps") { bench.clock.earliestWake == next }
            bench.clock.set(next)
            try await eventually("the change is read") { store.isEntitled(ads.productID) }
        }
    }

    @Test("Failed deliveries are retried with growing delays while the store runs")
    func retriesDeliveries() async throws {
        let bench = StoreBench(.day(1))
        bench.refuseDeliveries(2)
        bench.backend[\.pages] = [[ads.jws]]
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("refused") { bench.deliveries.count == 1 }
            for seconds: Int64 in [1, 2] {
                let count = bench.deliveries.count
                let next = bench.clock.now.adding(milliseconds: seconds * 1_000)
                try await eventually("waits") { bench.clock.earliestWake == next }
                #expect(bench.deliveries.count == count)
                bench.clock.set(next)
                try await eventually("the handler is called again") { bench.deliveries.count == count + 1 }
            }
            try await eventually("finished") { bench.backend[\.finished] == ["2000"] }
        }
    }

    @Test("A hanging handler does not block other deliveries")
    func hangingHandler() async throws {
        let bench = StoreBench(.day(1))
        let delivered = Mutex<[Transaction.ID]>([])
        let store = try await Store.open(
            customer: "anna", configuration: StoreBench.configuration, vault: bench.vault, verifier: TestVerifier(),
            backend: bench.backend, clock: bench.clock,
            deliver: { delivery in
                if delivery.transaction.id == "2000" { for await _ in AsyncStream<Never>.makeStream().stream {} }
                try Task.checkCancellation()
                delivered.withLock { $0.append(delivery.transaction.id) }
            })
        bench.backend[\.pages] = [[ads.jws, coins.jws]]
        try await bench.running(store) {
            let end = bench.clock.now.adding(milliseconds: 60_000)
            try await eventually("hangs") { bench.clock.earliestWake == end }
            bench.clock.set(end)
            try await eventually("the other delivery is finished") { bench.backend[\.finished] == ["3000"] }
        }
        #expect(delivered.withLock { $0 } == ["3000"])
        #expect(try await store.unfinished.map(\.state) == [.owed])
    }

    @Test("A store runs once at a time, ends when it is cancelled, and can run again")
    func runsOnce() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("runs") { store.snapshot.freshness.syncedAt != nil }
            await #expect(throws: StoreError.self) { try await store.run() }
        }
        bench.backend[\.pages] = [[ads.jws]]
        try await bench.running(store) {
            try await eventually("runs again") { store.isEntitled(ads.productID) }
        }
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("Reading an endless history stops at the page limit")
    func endlessHistory() async throws {
        let bench = StoreBench(.day(1))
        var configuration = StoreBench.configuration
        configuration.maximumPages = 3
        bench.backend[\.pages] = [[ads.jws], [], [], [], [], []]
        let store = try await bench.open(configuration)
        await #expect(throws: StoreError.self) { try await store.sync() }
        #expect(store.isEntitled(ads.productID))
        #expect(store.snapshot.freshness.syncedAt == nil)
    }

    @Test("A store in memory notices that its customer was erased and has bought something since")
    func erasedElsewhere() async throws {
        let bench = StoreBench(.day(1))
        try await bench.open().ingest([ads.jws])
        let store = try await bench.open()
        _ = try await bench.vault.erase(bench.customer, reason: "asked for", at: .day(1))
        try await bench.open().ingest([gold.jws])
        #expect(try await store.refresh())
        #expect(!store.isEntitled(ads.productID) && store.isEntitled(gold.productID))
    }

    @Test("A lapse between two looks at the clock is not missed")
    func lapseBetweenLooks() async throws {
        let bench = StoreBench(.day(1))
        try await bench.open().ingest([gold.jws])
        let end = try #require(gold.expiresAt)
        let clock = SteppingClock([.day(1), .day(1), end.adding(milliseconds: -1), end])
        let store = try await Store.open(
            customer: bench.customer, configuration: StoreBench.configuration, vault: bench.vault,
            verifier: TestVerifier(), clock: clock)
        try await store.recordDueChanges()
        try await store.recordDueChanges()
        let next = try await SingleStore(store: store).nextWake()?.at
        let isRecorded = try await bench.events().contains("\(gold.productID) entitled→lapsed")
        #expect(isRecorded || next.map { $0 <= end } ?? false)
    }
}
