import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.timeLimit(.minutes(20))) struct StoreListeningTests {
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000")

    @Test("Each listener receives events from before it started, from its own place on")
    func fromTheBeginning() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        try await store.ingest([ads.jws])
        var events = store.events().makeAsyncIterator()
        let first = try #require(try await events.next())
        #expect(first.change.subject == .product(ads.productID))
        var later = store.events(after: first.place).makeAsyncIterator()
        #expect(try await later.next()?.change.subject == .feature("ad-free"))
        var updates = store.updates().makeAsyncIterator()
        #expect(try await updates.next()?.transaction?.id == "1000")
        async let next = updates.next()
        try await store.ingest([coins.jws])
        #expect(try await next?.transaction?.id == "2000")
    }

    @Test("Events form a chain: each begins with the answer that the previous one left, whatever the clock does")
    func chain() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open()
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "5000")
        try await store.ingest([gold.jws])
        bench.clock.set(.day(40))
        try await store.ingest([ads.jws])
        bench.clock.set(.day(10))
        let renewal = TransactionDraft.renewal(of: gold, expires: .day(70))
        try await store.ingest([renewal.jws])
        bench.clock.set(.day(90))
        try await store.ingest([coins.jws])
        let events = try await bench.events(about: gold.productID)
        #expect(events.map(\.change.after.word) == ["entitled", "lapsed", "entitled", "lapsed"])
        for (before, after) in zip(events, events.dropFirst()) {
            #expect(before.change.after.word == after.change.before.word)
        }
        #expect(events.map(\.change.at) == [.day(1), gold.expiresAt, .day(40), .day(70)])
    }
}
