import StorekeeperTesting
import Testing

@testable import Storekeeper
@testable import StorekeeperEngine

@Suite("The present instant with a slow clock") struct PresentInstantTests {
    private static let noon = Instant.day(1)

    @Test(
        "The present is the newest signature if it is at most 60 seconds ahead, otherwise the clock's instant",
        arguments: [
            (nil, 0), (-86_400_000, 0), (-1, 0), (0, 0), (1, 1), (59_999, 59_999), (60_000, 60_000), (60_001, 0),
            (86_400_000, 0),
        ] as [(Int64?, Int64)])
    func rule(ahead: Int64?, expected: Int64) {
        let now = PresentInstant.now(
            clock: Self.noon, newestSignature: ahead.map { Self.noon.adding(milliseconds: $0) })
        #expect(now == Self.noon.adding(milliseconds: expected))
    }

    private static func ads(ahead seconds: Int64, id: Transaction.ID = "1") -> TransactionDraft {
        .purchase(of: TestShop.removeAds, at: noon.adding(milliseconds: seconds * 1000), id: id)
    }

    @Test("Verified evidence that counts, renewal infos included, sets the present in any order of arrival")
    func evidence() throws {
        func now(_ facts: [VerifiedFact]) -> Int64 {
            var history = PurchaseHistory()
            _ = history.merge(facts.map(\.evidence))
            return EntitlementResolver(catalog: TestShop.catalog).resolve(history).now(byClock: Self.noon)
                .milliseconds(since: Self.noon)
        }
        let (older, newer) = (try Self.ads(ahead: 10).verifiedFact(), try Self.ads(ahead: 20, id: "2").verifiedFact())
        #expect(now([older, newer]) == 20_000 && now([newer, older]) == 20_000)
        #expect(now([older, try Self.ads(ahead: 30, id: "3").made(in: .sandbox).verifiedFact()]) == 10_000)
        #expect(
            now([older, try Self.ads(ahead: 61, id: "3").verifiedFact()]) == 0, "too far ahead: the clock's instant")
        let info = RenewalInfoDraft(originalID: "7", signedAt: Self.noon.adding(milliseconds: 40_000))
        #expect(now([older, try info.verifiedFact()]) == 40_000)
        // Evidence without a valid signature proves nothing.
        var unsigned = PurchaseHistory()
        unsigned.merge(.unsigned(try Self.ads(ahead: 10).transaction()))
        #expect(EntitlementResolver().resolve(unsigned).now(byClock: Self.noon) == Self.noon)
    }

    @Test("A store and its snapshot answer about the present", arguments: [1, 60])
    func store(seconds: Int64) async throws {
        let bench = StoreBench(Self.noon)
        let store = try await bench.open(withoutBackend: true)
        try await store.ingest([Self.ads(ahead: seconds).jws], isComplete: true)
        let present = Self.noon.adding(milliseconds: seconds * 1000)
        #expect(store.snapshot.now(byClock: Self.noon) == present)
        #expect(store.isEntitled("remove.ads") && store.entitlement(for: "remove.ads").isEntitled)
        #expect(store.hasFeature("ad-free") && store.feature("ad-free").isEntitled && store.isPurchased("remove.ads"))
        #expect(store.currentEntitlements.map(\.id) == ["1"])
        #expect(try await store.explain("remove.ads").answer.isEntitled)
        // The changed answer is reported immediately, and only once.
        #expect(try await bench.events(about: "remove.ads").map(\.change.after.word) == ["entitled"])
        bench.clock.set(present.adding(milliseconds: 1))
        try await store.ingest([Self.ads(ahead: seconds).jws])
        #expect(try await bench.events(about: "remove.ads").count == 1)
        // A store that reads the vault has the same answer.
        bench.clock.set(present)
        #expect(try await bench.open().isEntitled("remove.ads"))
    }

    @Test("If a signature is too far ahead, the present is the clock's instant and a diagnostic names it")
    func farAhead() async throws {
        let store = try await StoreBench(Self.noon).open(withoutBackend: true)
        try await store.ingest([Self.ads(ahead: 61).jws], isComplete: true)
        #expect(store.entitlement(for: "remove.ads") == .never)
        let history = try TestShop.history([Self.ads(ahead: 61)])
        let found = EvidenceDiagnostics(history, resolver: EntitlementResolver(catalog: TestShop.catalog))
            .diagnostics(at: Self.noon, now: Self.noon)
        #expect(found.map(\.code) == [.futureSignedDate])
    }
}
