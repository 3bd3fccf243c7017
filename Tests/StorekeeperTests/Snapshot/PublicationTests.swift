import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of reading the newest snapshot, and of its quick checks.
struct PublicationTests {
    @Test("Quick checks of access agree with the whole answers at any instant")
    func agreement() {
        checkProperty(
            "quick questions agree with whole answers", cases: 45,
            generate: { random in
                (HistoryGenerator().generate(&random), UInt64.random(in: 0 ... .max, using: &random))
            }
        ) { history, seed in
            var random = SplitMix64(seed: seed)
            let snapshot = snapshot(try history.resolution(), &random)
            let ids = history.productIDs + ["not.for.sale", ""]
            let features = history.catalog.features.map(\.id) + ["none"]
            for instant in history.instantsOfInterest + [.distantPast, .distantFuture] {
                for id in ids
                where snapshot.isEntitled(id, at: instant) != snapshot.entitlement(for: id, at: instant).isEntitled {
                    return false
                }
                for id in features
                where snapshot.hasFeature(id, at: instant) != snapshot.feature(id, at: instant).isEntitled {
                    return false
                }
            }
            return true
        }
    }

    private func snapshot(_ resolution: Resolution, _ random: inout SplitMix64) -> StoreSnapshot {
        StoreSnapshot(
            customer: "ada", resolution: resolution,
            balances: [Balance(id: "coins", credited: Int64(random.number(in: 0...99)))],
            freshness: Freshness(
                syncedAt: random.chance(50) ? .day(0) : nil,
                failingSince: random.chance(50) ? .day(random.number(in: 0...100)) : nil,
                maximumStaleness: random.chance(50) ? .zero : nil))
    }

    @Test("A published snapshot is visible to the next read")
    func readYourWrites() throws {
        let publication = Publication(
            StoreSnapshot(customer: "ada", resolution: try TestShop.resolution([])))
        #expect(!publication.snapshot.isEntitled(TestShop.removeAds.id, at: .day(1)))
        let bought = try TestShop.resolution([.purchase(of: TestShop.removeAds, at: .day(0))])
        publication.publish(
            StoreSnapshot(customer: "ada", resolution: bought, balances: [Balance(id: "coins", credited: 7)]))
        #expect(publication.snapshot.isEntitled(TestShop.removeAds.id, at: .day(1)))
        #expect(publication.snapshot.hasFeature("ad-free", at: .day(1)))
        #expect(publication.snapshot.balance(of: "coins").amount == 7)
    }

    @Test("Readers on several threads see snapshots in order of publication")
    func concurrency() async throws {
        let resolution = try TestShop.resolution([.purchase(of: TestShop.removeAds, at: .day(0))])
        let publication = Publication(StoreSnapshot(customer: "ada", resolution: resolution))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var last: Int64 = 0
                    while last < 500, !Task.isCancelled {
                        let snapshot = publication.snapshot
                        guard snapshot.isEntitled(TestShop.removeAds.id, at: .day(1)) else { return false }
                        let credited = snapshot.balance(of: "coins").amount
                        guard credited >= last else { return false }
                        last = credited
                        // The task yields, because there may be fewer threads than tasks.
                        await Task.yield()
                    }
                    return true
                }
            }
            group.addTask {
                for count in 1...500 {
                    let balance = Balance(id: "coins", credited: Int64(count))
                    publication.publish(
                        StoreSnapshot(customer: "ada", resolution: resolution, balances: [balance]))
                    if count.isMultiple(of: 10) { await Task.yield() }
                }
                return true
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
