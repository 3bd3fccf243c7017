import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import Storekeeper

@Suite(.timeLimit(.minutes(20))) struct StoreStreamTests {
    private let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: "2000")
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "3000")

    @Test("An update between subscribing and reading the history is not missed and is processed after it")
    func nothingBetween() async throws {
        let bench = StoreBench(.day(1))
        bench.backend[\.pages] = [[gold.jws]]
        bench.backend[\.backlog] = [TransactionUpdate(.evidence([ads.jws]), customer: "anna")]
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("both") { bench.backend[\.finished].count == 2 }
        }
        let facts = try await bench.vault.load("anna").facts
        #expect(facts.compactMap(\.fact.transaction?.id) == ["1000", "2000"])
    }

    @Test("A failing item is reported and the next is processed; a place is stored only once its item is written")
    func failingItems() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("listens") { store.snapshot.freshness.syncedAt != nil }
            bench.backend.send(["nonsense"], to: "anna", cursor: "1")
            bench.backend.send([ads.forged], to: "anna", cursor: "2")
            bench.backend.send([ads.jws], to: "anna", cursor: "3")
            try await eventually("owned") { store.isEntitled(ads.productID) }
            try await eventually("place") {
                let isFinished = try await store.unfinished.isEmpty
                let place = try await bench.vault.cursor(of: "played")
                return isFinished && place?.rawValue == "3"
            }
            bench.vault.failWrites()
            bench.backend.send([coins.jws], to: "anna", cursor: "4")
            try await eventually("failed") {
                bench.reports.contains { if case .vaultFailed = $0.problem { true } else { false } }
            }
            #expect(try await bench.vault.cursor(of: "played")?.rawValue == "3")
            #expect(store.balance(of: "coins").amount == 0)
            let next = bench.clock.now.adding(milliseconds: 1_000)
            try await eventually("waits") { bench.clock.earliestWake == next }
            bench.clock.set(next)
            try await eventually("written") {
                try await bench.vault.cursor(of: "played")?.rawValue == "4"
            }
        }
        #expect(store.balance(of: "coins").amount == 500)
        let restarted = try await bench.open()
        try await bench.running(restarted) {
            try await eventually("the stream resumes") { bench.backend[\.cursors].count == 2 }
        }
        #expect(bench.backend[\.cursors].map { $0?.rawValue } == [nil, "4"])
    }

    @Test("A stream that ended is reopened with growing delays, and without a place the history is read again")
    func endingStream() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("synced") { store.snapshot.freshness.syncedAt != nil }
            bench.backend[\.pages] = [[ads.jws]]
            bench.backend.endStreams()
            try await eventually("ended") {
                bench.reports.contains { if case .streamEnded = $0.problem { true } else { false } }
            }
            let next = bench.clock.now.adding(milliseconds: 1_000)
            try await eventually("waits") { bench.clock.earliestWake == next }
            #expect(bench.backend[\.cursors].count == 1)
            bench.clock.set(next)
            try await eventually("again") { bench.backend[\.cursors].count == 2 }
            try await eventually("history") { store.isEntitled(ads.productID) }
        }
    }

    @Test("After a failure in the stream the history is read again")
    func failureInStream() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("synced") { store.snapshot.freshness.syncedAt != nil }
            bench.backend[\.pages] = [[ads.jws]]
            bench.backend.send(TransactionUpdate(.failure(StubBackend.ConnectionLost())))
            try await eventually("read again") { store.isEntitled(ads.productID) }
            try await eventually("the failure is over") { store.snapshot.freshness.failingSince == nil }
        }
    }

    @Test("Thousands of items parked for a token are adopted page by page when it is claimed")
    func manyParked() async throws {
        let bench = StoreBench(.day(1))
        let token = try #require(UUID(uuidString: "7a0d5b1e-0000-4000-8000-00000000000a"))
        var drafts = (1...1_700).map {
            TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: .init(rawValue: "\($0)"))
        }
        for index in drafts.indices { drafts[index].appAccountToken = token.uuidString }
        try await bench.vault.parkForOwners(try drafts.map { try $0.verifiedFact() }, at: .day(1))
        var configuration = StoreBench.configuration
        configuration.batchSize = 300
        let store = try await bench.open(configuration)
        guard case .claimed(let report) = try await store.claim(token: token) else {
            Issue.record("the token was not claimed")
            return
        }
        #expect(report.new == 1_700)
        #expect(store.balance(of: "coins").amount == 1_700 * 500)
        #expect(try await bench.vault.allParked().isEmpty)
        #expect(bench.deliveries.count == 1_700)
    }

    @Test("A customer's token assigns an item without a customer; other items are parked until claimed")
    func unnamedItems() async throws {
        let id = "7a0d5b1e-0000-4000-8000-00000000000a"
        let bench = StoreBench(.day(1), customer: CustomerID(rawValue: id.uppercased()))
        let store = try await bench.open()
        try await bench.running(store) {
            try await eventually("synced") { store.snapshot.freshness.syncedAt != nil }
            let info = RenewalInfoDraft(for: gold)
            bench.backend.send([gold.owned(by: id).jws, info.jws, ads.jws], cursor: "1")
            bench.backend.send([coins.jws], to: "bert", cursor: "2")
            try await eventually("sorted") {
                try await bench.vault.cursor(of: "played")?.rawValue == "2"
            }
        }
        #expect(store.isEntitled(gold.productID))
        #expect(store.highestStatus(group: "membership")?.renewalInfo != nil)
        #expect(!store.isEntitled(ads.productID))
        #expect(try await bench.vault.allParked().count == 2)
        guard case .claimed(let report) = try await store.claim(ads.chain) else {
            Issue.record("refused")
            return
        }
        #expect(report.new == 1)
        #expect(store.isEntitled(ads.productID))
        #expect(bench.deliveries.contains("2000"))
        let bert = try await bench.open(customer: "bert")
        guard case .refused(let holder) = try await bert.claim(ads.chain) else {
            Issue.record("claimed")
            return
        }
        #expect(holder == bench.customer)
    }

    @Test("A subscription that several customers present stays with the first, and the attempts are counted")
    func wandering() async throws {
        let bench = StoreBench(.day(1))
        let (anna, bert) = (try await bench.open(), try await bench.open(customer: "bert"))
        bench.backend[\.pages] = [[gold.jws]]
        for _ in 0..<3 {
            try await anna.sync()
            try await bert.sync()
        }
        #expect(anna.isEntitled(gold.productID))
        #expect(!bert.isEntitled(gold.productID))
        let attempts = bench.reports.compactMap { report in
            if case .conflict(let conflict) = report.problem { conflict.attempts } else { nil }
        }
        #expect(attempts == [1, 2, 3])
    }

    @Test(
        "A renewal info that arrives before its transaction counts as soon as that arrives", arguments: [false, true])
    func infoFirst(isNamed: Bool) async throws {
        let id = "7a0d5b1e-0000-4000-8000-00000000000a"
        let bench = StoreBench(.day(1), customer: CustomerID(rawValue: id))
        var info = RenewalInfoDraft(for: gold)
        info.autoRenewStatus = .off
        let (customer, owned) = (isNamed ? bench.customer : nil, gold.owned(by: id))
        var store = try await bench.open()
        _ = try await store.receive(TransactionUpdate(.evidence([info.jws]), customer: customer))
        // The result is the same if the process restarts between the two updates.
        if isNamed { store = try await bench.open() }
        _ = try await store.receive(TransactionUpdate(.evidence([owned.jws]), customer: customer))
        #expect(store.highestStatus(group: "membership")?.renewalInfo != nil)
        let restarted = try await bench.open()
        #expect(restarted.snapshot.resolution == store.snapshot.resolution)
        #expect(try await bench.vault.allParked().isEmpty)
    }
}
