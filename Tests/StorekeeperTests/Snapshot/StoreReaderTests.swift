import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Reading the same few answers again and again.
struct StoreReaderTests {
    @Test("A reader says what the newest snapshot says, at any instant, in any order, over publications")
    func agreement() {
        checkProperty(
            "a reader agrees with the snapshot", cases: 15,
            generate: { random in
                (
                    HistoryGenerator().generate(&random), HistoryGenerator().generate(&random),
                    UInt64.random(in: 0 ... .max, using: &random)
                )
            }
        ) { first, second, seed in
            var random = SplitMix64(seed: seed)
            let publication = Publication(snapshot(try first.resolution(), &random))
            let reader = StoreReader(publication)
            let ids = Set(first.productIDs + second.productIDs).sorted() + ["nobody.knows", ""]
            let features = Set((first.catalog.features + second.catalog.features).map(\.id)).sorted() + ["none"]
            let instants = first.instantsOfInterest + second.instantsOfInterest + [.distantPast, .distantFuture]
            for round in 0..<3 {
                let known = publication.snapshot
                // Forwards as a clock goes, then to and fro so that all spans are listed.
                for instant in instants.sorted() + instants.shuffled(using: &random).prefix(60) {
                    for id in ids where reader.isEntitled(id, at: instant) != known.isEntitled(id, at: instant) {
                        return false
                    }
                    for id in features where reader.hasFeature(id, at: instant) != known.hasFeature(id, at: instant) {
                        return false
                    }
                }
                for id in ["coins", "gems"] as [Balance.ID] where reader.balance(of: id) != known.balance(of: id).amount
                {
                    return false
                }
                publication.publish(
                    snapshot(try (round.isMultiple(of: 2) ? second : first).resolution(), &random))
            }
            return reader.snapshot.version == 4
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

    @Test("A publication is seen by the next question")
    func readYourWrites() throws {
        let publication = Publication(
            StoreSnapshot(customer: "ada", resolution: try TestShop.resolution([])))
        let reader = StoreReader(publication)
        #expect(!reader.isEntitled(TestShop.removeAds.id, at: .day(1)))
        #expect(!reader.hasFeature("ad-free", at: .day(1)))
        #expect(reader.balance(of: "coins") == 0)
        let bought = try TestShop.resolution([.purchase(of: TestShop.removeAds, at: .day(0))])
        let published = publication.publish(
            StoreSnapshot(customer: "ada", resolution: bought, balances: [Balance(id: "coins", credited: 7)]))
        #expect(published.version == 2)
        #expect(reader.isEntitled(TestShop.removeAds.id, at: .day(1)))
        #expect(reader.hasFeature("ad-free", at: .day(1)))
        #expect(reader.balance(of: "coins") == 7)
        #expect(reader.snapshot.version == 2)
    }

    @Test("Readers on several threads see versions in order while snapshots are published")
    func concurrency() async throws {
        let resolution = try TestShop.resolution([.purchase(of: TestShop.removeAds, at: .day(0))])
        let publication = Publication(StoreSnapshot(customer: "ada", resolution: resolution))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let reader = StoreReader(publication)
                    var last: Int64 = 0
                    while last < 500, !Task.isCancelled {
                        guard reader.isEntitled(TestShop.removeAds.id, at: .day(1)) else { return false }
                        let credited = reader.balance(of: "coins")
                        guard credited >= last else { return false }
                        last = credited
                        // There may be fewer threads than tasks.
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

    @Test("Names are told apart by every byte, whatever their length")
    func names() {
        var table = NameTable()
        let letters = Array("abcdefghijklmnopqrstuvwxyzäöü")
        var names = (0..<40).map { String(letters.prefix($0)) } + (1..<40).map { "x" + String(letters.prefix($0)) }
        names += (0..<2000).map { "com.example.game.product.\($0)" } + ["a\0", "a\0\0", "\0"]
        names = Array(Set(names))
        for (index, name) in names.enumerated() {
            #expect(table.index(of: name) == nil)
            #expect(table.append(name) == index)
        }
        for (index, name) in names.enumerated() { #expect(table.index(of: name) == index) }
        #expect(table.index(of: "nobody") == nil)
    }
}
