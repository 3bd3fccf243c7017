import FoundationEssentials
import StorekeeperTesting
import Synchronization
import Testing

@testable import Storekeeper

@Suite(.timeLimit(.minutes(20))) struct StorePoolTests {
    private let bench = StoreBench(.day(1))

    private func pool(capacity: Int = 100, deliver: Store.DeliveryHandler? = nil) -> StorePool {
        var configuration = StorePool.Configuration(store: StoreBench.configuration, capacity: capacity)
        configuration.concurrency = 8
        return StorePool(
            configuration: configuration, vault: bench.vault, verifier: TestVerifier(), backend: bench.backend,
            clock: bench.clock, deliver: deliver)
    }

    private func coins(_ number: Int, at instant: Instant = .day(0)) -> TransactionDraft {
        .purchase(of: TestShop.coins, at: instant, id: Transaction.ID(rawValue: "\(3000 + number)"))
    }

    @Test("A pool keeps a limited number of stores, and an evicted customer is loaded unchanged")
    func leastRecentlyUsedLeave() async throws {
        let pool = pool(capacity: 3)
        for number in 0..<20 {
            let text = coins(number).jws
            _ = try await pool.withStore(CustomerID(rawValue: "customer-\(number)")) { try await $0.ingest([text]).new }
            #expect(pool.count <= 3)
        }
        for number in 0..<20 {
            let snapshot = try await pool.snapshot(of: CustomerID(rawValue: "customer-\(number)"))
            #expect(snapshot.balance(of: "coins").amount == 500)
        }
        #expect(pool.count <= 3)
    }

    @Test("A store in use is not evicted, however many other customers are read")
    func usedStoresStay() async throws {
        let pool = pool(capacity: 1)
        let text = coins(1).jws
        try await pool.withStore("anna") { anna in
            for name in ["bert", "carl", "dora"] { _ = try await pool.snapshot(of: CustomerID(rawValue: name)) }
            try await anna.ingest([text])
            #expect(try await pool.snapshot(of: "anna").balance(of: "coins").amount == 500)
        }
        #expect(pool.count == 1)
    }

    @Test("A pool that has heard no writes of other processes for too long reads the vault before each answer")
    func withoutReports() async throws {
        func answers(reportLifetime: Duration) async throws -> String {
            let vault = FaultyVault(LeasingVault(reportLifetime: reportLifetime))
            let (own, other) = (
                StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock),
                StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock)
            )
            var amounts = [try await own.snapshot(of: "anna").balance(of: "coins").amount]
            _ = try await other.withStore("anna") {
                try await $0.grant(7, of: "coins", because: "a lost day", key: "1")
            }
            amounts.append(try await own.snapshot(of: "anna").balance(of: "coins").amount)
            amounts.append(try await own.withStore("anna") { $0.balance(of: "coins").amount })
            vault.failReads()
            let last = try? await own.snapshot(of: "anna")
            return
                "\(own.excessiveAge == nil ? "trusted" : "too old") \(amounts) \(last == nil ? "refused" : "answered")"
        }
        // No answer is better than a wrong one.
        #expect(try await answers(reportLifetime: .zero) == "too old [0, 7, 7] refused")
        #expect(try await answers(reportLifetime: .seconds(3_600)) == "trusted [0, 0, 0] answered")
    }

    @Test("A customer who cannot be read after a report of a write is refused, and the others are answered")
    func unreadableAfterReport() async throws {
        let vault = LeasingVault(reportLifetime: .seconds(3_600))
        let (own, other) = (
            StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock),
            StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock)
        )
        let customers: [CustomerID] = ["anna", "ben"]
        try await bench.running(own) {
            for customer in customers {
                #expect(try await own.snapshot(of: customer).balance(of: "coins").amount == 0)
                _ = try await other.withStore(customer) {
                    try await $0.grant(7, of: "coins", because: "a lost day", key: "1")
                }
            }
            vault.refuse("anna")
            vault.report(.missed)
            try await eventually("the node has heard of the write") {
                try await own.snapshot(of: "ben").balance(of: "coins").amount == 7
            }
            await #expect(throws: VaultError.self) { try await own.snapshot(of: "anna") }
            let isIncomplete = own.parts.work.reports.withLock { $0.isIncomplete }
            #expect(!isIncomplete)
            vault.refuse(nil)
            #expect(try await own.snapshot(of: "anna").balance(of: "coins").amount == 7)
        }
    }

    @Test("A store that is opened while another process writes contains the write as soon as it was reported")
    func reportWhileOpening() async throws {
        let vault = LeasingVault(reportLifetime: .seconds(3_600))
        let (own, other) = (
            StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock),
            StorePool(vault: vault, verifier: TestVerifier(), clock: bench.clock)
        )
        vault.afterNextLoad {
            _ = try? await other.withStore("anna") {
                try await $0.grant(7, of: "coins", because: "a lost day", key: "1")
            }
            vault.report(.missed)
            while own.parts.work.reports.withLock({ $0.count }) == 0, !Task.isCancelled { await Task.yield() }
        }
        try await bench.running(own) { () async throws -> Void in
            #expect(try await own.snapshot(of: "anna").balance(of: "coins").amount == 7)
        }
    }

    @Test("A leased store stays until the last lease ends: by release, with its scope or with an object")
    func leases() async throws {
        final class Connection: Sendable {
            private let lease: StorePool.Lease
            init(_ lease: consuming StorePool.Lease) { self.lease = lease }
            var store: Store { lease.store }
        }
        let pool = pool(capacity: 1)
        func readOthers() async throws {
            for name in ["bert", "carl", "dora"] { _ = try await pool.snapshot(of: CustomerID(rawValue: name)) }
        }
        _ = try await pool.snapshot(of: "anna")
        let first = try await pool.lease("anna")
        var connection: Connection? = Connection(try await pool.lease("anna"))
        let store = try #require(connection?.store)
        #expect(first.store === store)
        first.release()
        try await readOthers()
        #expect(pool.count == 2)
        do {
            let again = try await pool.lease("anna")
            #expect(again.store === store)
            connection = nil
            try await readOthers()
            #expect(try await pool.lease("anna").store === store)
            #expect(pool.count == 2)
        }
        try await readOthers()
        #expect(pool.count == 1)
        let later = try await pool.lease("anna")
        #expect(later.store !== store, "the store has left memory")
    }

    @Test("Leases that end concurrently leave as many stores as there is room for")
    func concurrentLeases() async throws {
        let pool = pool(capacity: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let customer = CustomerID(rawValue: "customer-\(number * 7 % 20)")
                    let lease = try await pool.lease(customer)
                    #expect(lease.store.customer == customer)
                    if number.isMultiple(of: 2) { _ = try await pool.withStore(customer) { $0.snapshot.balances } }
                    // All leases of a customer share one store.
                    let again = try await pool.lease(customer)
                    #expect(again.store === lease.store)
                }
            }
            try await group.waitForAll()
        }
        #expect(pool.count == 3)
        let used = try await pool.lease("customer-1")
        for number in 0..<20 { _ = try await pool.snapshot(of: CustomerID(rawValue: "customer-\(number)")) }
        #expect(try await pool.lease("customer-1").store === used.store)
        #expect(pool.count <= 4)
    }

    @Test("An item goes to its named customer, else to the owner of its chain or token, else it is parked")
    func routes() async throws {
        let token = "7a0d5b1e-0000-4000-8000-00000000000a"
        let pool = pool()
        try await bench.running(pool) {
            try await eventually("the pool listens") { !bench.backend[\.streams].isEmpty }
            bench.backend.send([coins(1).jws], to: "anna", cursor: "1")
            bench.backend.send([coins(2).owned(by: token).jws], cursor: "2")
            bench.backend.send([coins(3).jws], cursor: "3")
            try await eventually("all items are processed") {
                try await bench.vault.cursor(of: "played")?.rawValue == "3"
            }
        }
        #expect(try await bench.vault.balances(of: "anna").map(\.amount) == [500])
        #expect(try await bench.vault.balances(of: CustomerID(rawValue: token)).map(\.amount) == [500])
        #expect(try await bench.vault.allParked().map(\.fact.transaction?.id) == ["3003"])
        // The refund of anna's purchase does not name a customer either. The owner of the chain, anna, receives it.
        try await pool.receive(TransactionUpdate(.evidence([coins(1).revoked(at: .day(1)).jws])))
        #expect(try await bench.vault.balances(of: "anna").map(\.amount) == [0])
    }

    @Test("With opaque tokens, a purchase with an unknown token is parked until the token is claimed")
    func tokensOfTheirOwn() async throws {
        let token = "7a0d5b1e-0000-4000-8000-00000000000a"
        let vault = InMemoryVault(accountTokens: .opaque)
        let pool = StorePool(
            configuration: StorePool.Configuration(store: StoreBench.configuration), vault: vault,
            verifier: TestVerifier(), clock: bench.clock)
        try await pool.receive(TransactionUpdate(.evidence([coins(1).owned(by: token).jws])))
        #expect(try await vault.balances(of: CustomerID(rawValue: token)).isEmpty)
        #expect(try await vault.allParked().count == 1)
        let uuid = try #require(UUID(uuidString: token))
        _ = try await pool.withStore("anna") { try await $0.claim(token: uuid) }
        #expect(try await vault.balances(of: "anna").map(\.amount) == [500])
    }

    @Test("With opaque tokens, a new customer whose id is an unbound token does not receive what was parked with it")
    func tokenThatIsAnID() async throws {
        let customer: CustomerID = "7a0d5b1e-0000-4000-8000-00000000000a"
        let vault = InMemoryVault(accountTokens: .opaque)
        let pool = StorePool(
            configuration: StorePool.Configuration(store: StoreBench.configuration), vault: vault,
            verifier: TestVerifier(), clock: bench.clock)
        try await pool.receive(TransactionUpdate(.evidence([coins(1).owned(by: customer.rawValue).jws])))
        let other = coins(2).jws
        try await pool.withStore(customer) { _ = try await $0.ingest([other]) }
        #expect(try await vault.balances(of: customer).map(\.amount) == [500])
        #expect(try await vault.allParked().count == 1)
    }

    @Test(
        "The newest token of a chain names its owner, in any order of arrival", arguments: [false, true])
    func newestTokenRoutes(isReversed: Bool) async throws {
        let (old, new) = ("7a0d5b1e-0000-4000-8000-00000000000a", "7a0d5b1e-0000-4000-8000-00000000000b")
        let facts = [coins(1).owned(by: old), coins(1).signed(at: .day(9)).owned(by: new)].map(\.jws)
        try await pool().receive(TransactionUpdate(.evidence(isReversed ? facts.reversed() : facts)))
        #expect(try await bench.vault.balances(of: CustomerID(rawValue: new)).map(\.amount) == [500])
        #expect(try await bench.vault.balances(of: CustomerID(rawValue: old)).isEmpty)
    }

    @Test("A lapse is announced at its exact instant, even for a customer who was evicted")
    func announcesLapses() async throws {
        let pool = pool(capacity: 1)
        let gold = TransactionDraft.purchase(
            of: TestShop.gold.id, type: .autoRenewable, at: .day(0), expires: .day(30), group: "membership")
        try await pool.withStore("anna") { _ = try await $0.ingest([gold.jws]) }
        _ = try await pool.snapshot(of: "bert")
        try await bench.running(pool) {
            try await eventually("the pool waits") { bench.clock.sleeperCount > 0 }
            bench.clock.set(.day(45))
            try await eventually("the lapse is recorded") {
                try await bench.events(of: "anna").contains("\(TestShop.gold.id) entitled→lapsed")
            }
        }
        let lapse = try await bench.vault.events(after: .start, of: "anna", limit: 100).last {
            $0.change.subject == .product(TestShop.gold.id)
        }
        #expect(lapse?.change.at == .day(30))
    }

    @Test("A delivery that was owed when a process ended is made and finished by the next")
    func resumesOwedDeliveries() async throws {
        let failing = pool { _ in throw StubBackend.ConnectionLost() }
        try await failing.withStore("anna") { _ = try await $0.ingest([coins(1).jws]) }
        #expect(bench.backend[\.finished].isEmpty)
        let handedOut = Mutex<[Transaction.ID]>([])
        let next = pool { delivery in handedOut.withLock { $0.append(delivery.transaction.id) } }
        try await bench.running(next) {
            try await eventually("it is finished") { bench.backend[\.finished] == ["3001"] }
        }
        #expect(handedOut.withLock { $0 } == ["3001"])
        #expect(try await bench.vault.allUnfinished().isEmpty)
    }

    @Test("A handler that hangs for one customer does not delay others")
    func oneCustomerHangs() async throws {
        let pool = pool { delivery in
            if delivery.customer == "anna" { for await _ in AsyncStream<Never>.makeStream().stream {} }
        }
        try await bench.running(pool) {
            try await eventually("the pool listens") { !bench.backend[\.streams].isEmpty }
            bench.backend.send([coins(1).jws], to: "anna", cursor: "1")
            bench.backend.send([coins(2).jws], to: "bert", cursor: "2")
            try await eventually("bert's is finished") { bench.backend[\.finished] == ["3002"] }
        }
    }

    @Test("An item that the vault refuses is retried until it is written, and the stream's place waits for it")
    func vaultFails() async throws {
        let pool = pool()
        try await bench.running(pool) {
            try await eventually("the pool listens") { !bench.backend[\.streams].isEmpty }
            bench.vault.failWrites(2)
            bench.backend.send([coins(1).jws], to: "anna", cursor: "1")
            try await eventually("the item waits for its retry") { bench.clock.sleeperCount > 0 }
            #expect(try await bench.vault.cursor(of: "played") == nil)
            try await eventually("it is written") {
                bench.clock.advance(byMilliseconds: 1_000)
                return try await bench.vault.cursor(of: "played")?.rawValue == "1"
            }
        }
        #expect(try await bench.vault.balances(of: "anna").map(\.amount) == [500])
    }

    @Test("One feed delivers the events of all customers, each once, from any cursor")
    func feedsOfAll() async throws {
        let pool = pool()
        let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
        try await pool.withStore("anna") { _ = try await $0.ingest([ads.jws]) }
        var seen: [StoreEvent] = []
        for try await event in pool.events() {
            seen.append(event)
            if seen.count == 2 { break }
        }
        #expect(seen.map(\.customer) == ["anna", "anna"])
        var rest = pool.events(after: seen[0].place).makeAsyncIterator()
        #expect(try await rest.next() == seen[1])
    }

    @Test("A new catalog reaches the stores in memory and those opened later")
    func reloads() async throws {
        let pool = pool()
        _ = try await pool.snapshot(of: "anna")
        try await pool.reload(.empty)
        #expect(try await pool.snapshot(of: "anna").resolution.catalog.products.isEmpty)
        #expect(try await pool.snapshot(of: "bert").resolution.catalog.products.isEmpty)
    }

    @Test("Neither a new catalog nor a wake brings an erased customer back")
    func reloadsErased() async throws {
        let pool = pool()
        let text = TransactionDraft.purchase(of: TestShop.gold, at: .day(0)).jws
        let store = try await pool.withStore("anna") { store in
            try await store.ingest([text])
            return store
        }
        // The next call stands for another process, so the pool is not notified of the erasure.
        _ = try await bench.vault.erase("anna", reason: "asked for", at: .day(1))
        try await store.recordDueChanges()
        try await pool.reload(.empty)
        try await pool.postpone("anna", until: .day(2))
        #expect(try await bench.vault.customers(after: nil, limit: 1).isEmpty)
        #expect(try await bench.vault.events(after: .start, of: nil, limit: 1).isEmpty)
        #expect(try await pool.snapshot(of: "anna").resolution.products.isEmpty)
    }

    @Test("A pool runs once at a time and ends when it is cancelled")
    func runsOnce() async throws {
        let pool = pool()
        try await bench.running(pool) {
            try await eventually("the pool listens") { !bench.backend[\.streams].isEmpty }
            await #expect(throws: StoreError.self) { try await pool.run() }
        }
        try await bench.running(pool) {}
    }

    @Test("After a failure in the stream about a customer, their history is read again")
    func failureOfOneCustomer() async throws {
        let pool = pool()
        try await bench.running(pool) {
            _ = try await pool.snapshot(of: "anna")
            try await eventually("anna's history is read") {
                try await pool.snapshot(of: "anna").freshness.syncedAt != nil
            }
            try await pool.receive(TransactionUpdate(.failure(StubBackend.ConnectionLost()), customer: "anna"))
            try await eventually("the failure is over") {
                try await pool.snapshot(of: "anna").freshness.failingSince == nil
            }
        }
    }

    @Test("A customer who cannot be read does not delay the lapses of others")
    func unreadableCustomer() async throws {
        let vault = GatedVault(bench.vault.inner)
        let pool = StorePool(
            configuration: StorePool.Configuration(store: StoreBench.configuration, capacity: 1), vault: vault,
            verifier: TestVerifier(), clock: bench.clock)
        let gold = TransactionDraft.purchase(
            of: TestShop.gold.id, type: .autoRenewable, at: .day(0), expires: .day(30), group: "membership")
        let other = TransactionDraft.purchase(
            of: TestShop.gold.id, type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership", id: "2")
        try await pool.withStore("anna") { _ = try await $0.ingest([gold.jws]) }
        try await pool.withStore("bert") { _ = try await $0.ingest([other.jws]) }
        vault.refuse("anna")
        bench.clock.set(.day(45))
        try await bench.running(pool) {
            try await eventually("the lapse is recorded") {
                try await bench.events(of: "bert").contains("\(TestShop.gold.id) entitled→lapsed")
            }
            vault.refuse(nil)
            try await eventually("the other one waits") { bench.clock.earliestWake != nil }
            bench.clock.set(.day(46))
            try await eventually("the other lapse is recorded") {
                try await bench.events(of: "anna").contains("\(TestShop.gold.id) entitled→lapsed")
            }
        }
    }

    @Test("Reading a customer is retried with growing delays of up to five minutes")
    func unreadableCustomerWaits() async throws {
        let vault = GatedVault(bench.vault.inner)
        var configuration = StorePool.Configuration(store: StoreBench.configuration, capacity: 1)
        configuration.store.backoff = Backoff(jitter: 0, seed: 1)
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: TestVerifier(), clock: bench.clock)
        let gold = TransactionDraft.purchase(
            of: TestShop.gold.id, type: .autoRenewable, at: .day(0), expires: .day(30), group: "membership")
        try await pool.withStore("anna") { _ = try await $0.ingest([gold.jws]) }
        _ = try await pool.snapshot(of: "bert")
        vault.refuse("anna")
        bench.clock.set(.day(45))
        try await bench.running(pool) {
            var next = bench.clock.now
            for seconds: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
                bench.clock.set(next)
                next = next.adding(milliseconds: seconds * 1_000)
                try await eventually("the next try is \(seconds) seconds away") {
                    try await vault.nextWake()?.at == next && bench.clock.earliestWake == next
                }
            }
            vault.refuse(nil)
            bench.clock.set(next)
            try await eventually("the lapse is recorded") {
                try await bench.events(of: "anna").contains("\(TestShop.gold.id) entitled→lapsed")
            }
        }
    }

    @Test("A lapse leased to a dead node is announced by one of two others when the lease ends")
    func leasedWake() async throws {
        let gold = TransactionDraft.purchase(
            of: TestShop.gold.id, type: .autoRenewable, at: .day(0), expires: .day(30), group: "membership")
        func pool(_ node: String) -> StorePool {
            StorePool(
                configuration: StorePool.Configuration(
                    store: StoreBench.configuration, wakeLease: WakeLease(node: node)),
                vault: bench.vault, verifier: TestVerifier(), clock: bench.clock)
        }
        let (first, second) = (pool("a"), pool("b"))
        try await first.withStore("anna") { _ = try await $0.ingest([gold.jws]) }
        bench.clock.set(.day(45))
        // A node takes the lease and then does nothing more, as if it had been killed.
        let dead = try await bench.vault.leaseWake(WakeLease(node: "c"), at: .day(45))
        #expect(dead == .announce("anna", since: .day(30)))
        let lapse = "\(TestShop.gold.id) entitled→lapsed"
        let end = Instant.day(45).adding(milliseconds: 60_000)
        try await bench.running(first) {
            try await bench.running(second) {
                try await eventually("both wait for the lease to end") {
                    bench.clock.sleeperCount == 2 && bench.clock.earliestWake == end
                }
                #expect(try await !bench.events(of: "anna").contains(lapse))
                bench.clock.set(end)
                try await eventually("the lapse is recorded") {
                    try await bench.events(of: "anna").contains(lapse)
                }
            }
        }
        #expect(try await bench.events(of: "anna").count { $0 == lapse } == 1)
    }

    @Test("A lease of deliveries ends, also if the vault could not be read after it began")
    func endsLease() async throws {
        let vault = FaultyVault(LeasingVault())
        let pool = StorePool(
            configuration: StorePool.Configuration(
                store: StoreBench.configuration, wakeLease: WakeLease(node: "a")),
            vault: vault, verifier: TestVerifier(), clock: bench.clock, deliver: { _ in })
        let lease = try await pool.lease("anna")
        vault.failReads()
        try await lease.store.ingest([coins(1).jws])
        #expect(try await lease.store.unfinished.count == 1, "the delivery failed")
        #expect(vault.inner.holders.isEmpty)
        #expect(await lease.store.deliverUnfinished())
        #expect(try await lease.store.unfinished.isEmpty)
        #expect(vault.inner.holders.isEmpty)
    }

    @Test("Evicting stores does not take longer if many others are leased")
    func manyLeases() async throws {
        func evictions(withLeased count: Int) async throws -> Duration {
            let stores = ResidentStores(capacity: 1)
            var leases: [Connection] = []
            for number in 0..<count { leases.append(Connection(stores.add(try await open("leased-\(number)")))) }
            var others: [Store] = []
            for number in 0..<1_000 { others.append(try await open("other-\(number)")) }
            let time = processorTime { for store in others { stores.add(store).release() } }
            #expect(stores.count == count + 1)
            return time
        }
        final class Connection: Sendable {
            private let lease: StorePool.Lease
            init(_ lease: consuming StorePool.Lease) { self.lease = lease }
        }
        func open(_ name: String) async throws -> Store {
            try await bench.open(StoreConfiguration(), customer: CustomerID(rawValue: name), withoutBackend: true)
        }
        let (few, many) = (try await evictions(withLeased: 1), try await evictions(withLeased: 2_000))
        #expect(many < few * 20, "\(many) instead of \(few)")
    }

    @Test("Histories that were to be read when a pool was cancelled are read when it runs again")
    func rereadsAfterCancellation() async throws {
        let pool = pool()
        bench.backend[\.pages] = [[coins(1).jws]]
        bench.backend[\.hangs] = true
        try await pool.withStore("anna") { _ in }
        try await bench.running(pool) {
            try await eventually("the history is requested") { bench.backend[\.log].contains("history") }
        }
        bench.backend[\.hangs] = false
        try await bench.running(pool) {
            try await eventually("the history is read") {
                try await pool.snapshot(of: "anna").balance(of: "coins").amount == 500
            }
        }
    }

    @Test("A cancelled queue still contains the customers whom it has not served", arguments: [nil, 1_000])
    func cancelledQueue(pause: Int64?) async throws {
        let (queue, clock) = (CustomerQueue(), VirtualClock(.day(0)))
        let backoff = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0, seed: 1)
        let begun = Mutex<[CustomerID]>([])
        let customers: [CustomerID] = ["anna", "ben", "carl", "dora"]
        for customer in customers { queue.add(customer) }
        let task = Task {
            await queue.serve(concurrency: 1, clock: clock, backoff: backoff, pause: pause) { customer in
                begun.withLock { $0.append(customer) }
                if customer == "anna" { return true }
                for await _ in AsyncStream<Never>.makeStream().stream {}
                return false
            }
        }
        try await eventually("it serves the second customer") { begun.withLock { $0 } == ["anna", "ben"] }
        task.cancel()
        try await task.valueInTime()
        #expect(Set(queue.removeAll()) == ["ben", "carl", "dora"])
    }

    @Test("A failing customer is retried with growing delays")
    func backsOff() async throws {
        let (queue, clock) = (CustomerQueue(), VirtualClock(.day(0)))
        let backoff = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0, seed: 1)
        queue.add("anna")
        let task = Task { await queue.serve(concurrency: 2, clock: clock, backoff: backoff) { _ in false } }
        for wait: Int64 in [1_000, 2_000, 4_000] {
            let next = clock.now.adding(milliseconds: wait)
            try await eventually("it waits longer each time") { clock.earliestWake == next }
            clock.set(next)
        }
        task.cancel()
        try await task.valueInTime()
    }

    @Test(
        "Changes by another process are read for each of many customers, with and without batch reads of versions",
        arguments: [true, false])
    func takesOver(fromTables: Bool) async throws {
        var configuration = StorePool.Configuration(store: StoreBench.configuration, capacity: 2_000)
        configuration.store.refreshInterval = .seconds(5)
        let vault: any TransactionalVault = fromTables ? bench.vault.inner : bench.vault
        let pool = StorePool(
            configuration: configuration, vault: vault, verifier: TestVerifier(), clock: bench.clock)
        let customers = (0..<1_100).map { CustomerID(rawValue: "customer-\($0)") }
        for customer in customers { _ = try await pool.snapshot(of: customer) }
        let written = [customers[0], customers[999], customers[1_000], customers[1_099]]
        for (number, customer) in written.enumerated() {
            let other = try await bench.open(customer: customer, withoutBackend: true)
            try await other.ingest([coins(number).jws])
            try await other.spend(Int64(number + 1), of: "coins", key: "a")
        }
        try await bench.running(pool) {
            let next = bench.clock.now.adding(milliseconds: 5_000)
            try await eventually("it sleeps") { bench.clock.earliestWake == next }
            bench.clock.set(next)
            let last = next.adding(milliseconds: 5_000)
            try await eventually("it has looked, and sleeps again") { bench.clock.earliestWake == last }
            for (number, customer) in written.enumerated() {
                let snapshot = try await pool.snapshot(of: customer)
                #expect(snapshot.balance(of: "coins").amount == 499 - Int64(number))
            }
            #expect(try await pool.snapshot(of: customers[1]).balance(of: "coins").amount == 0)
        }
    }

    @Test("While a vault cannot tell whether another process has committed, it is read for each answer")
    func unknownCommits() async throws {
        let pool = pool()
        bench.vault.faults.counts.foreignCommits = -1
        func amount() async throws -> Int64 { try await pool.snapshot(of: "anna").balance(of: "coins").amount }
        #expect(try await amount() == 0)
        // The pool is not notified of the changes of this store, which stands for another process.
        let other = try await bench.open(withoutBackend: true)
        try await other.ingest([coins(1).jws])
        for left in [499, 498, 497] as [Int64] {
            try await other.spend(1, of: "coins", key: LedgerRequest.Key("\(left)"))
            #expect(try await amount() == left)
        }
    }

    @Test("A catalog that changes while a store is opened reaches it, even if only its features are new")
    func reloadsWhileOpening() async throws {
        let vault = GatedVault(bench.vault.inner)
        let pool = StorePool(
            configuration: StorePool.Configuration(store: StoreBench.configuration), vault: vault,
            verifier: TestVerifier(), clock: bench.clock)
        vault.close()
        async let opened = pool.snapshot(of: "anna")
        try await eventually("the vault is read") { vault.waiting == 1 }
        let old = TestShop.catalog
        let catalog = Catalog(
            products: old.products, groups: old.groups, features: [Feature(id: "vip", productIDs: [TestShop.gold.id])])
        try await pool.reload(catalog)
        vault.open()
        #expect(try await opened.resolution.catalog.features.map(\.id) == ["vip"])
    }
}

struct StreamPlaceTests {
    @Test("The place moves up to the first item that is still open, never past it")
    func movesInOrder() {
        let place = StreamPlace(nil)
        let numbers = ["a", nil, "c", "d"].map { place.begin($0.map(UpdateCursor.init(rawValue:))) }
        place.end(numbers[2])
        #expect(place.beginWriting() == nil)
        place.end(numbers[0])
        #expect(place.beginWriting()?.rawValue == "a")
        place.end(numbers[1])
        #expect(place.beginWriting() == nil, "a write is in progress")
        place.endWriting()
        #expect(place.beginWriting()?.rawValue == "c")
        place.endWriting()
        #expect(place.beginWriting() == nil)
        place.end(numbers[3])
        place.end(numbers[3])
        #expect(place.beginWriting()?.rawValue == "d")
        #expect(place.cursor?.rawValue == "d")
    }
}
