import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

@Suite("The seeded generator") struct SeededGeneratorTests {
    @Test("The generator gives the published sequence of SplitMix64")
    func sequence() {
        var random = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test("The generator makes the same version 4 UUIDs from the same seed")
    func identifiers() {
        var first = SeededGenerator(seed: 7)
        var second = first
        var seen: Set<UUID> = []
        for _ in 0..<500 {
            let uuid = first.uuid()
            #expect(uuid == second.uuid())
            #expect(uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 2)
            seen.insert(uuid)
        }
        #expect(seen.count == 500)
        var pinned = SeededGenerator(seed: 1_234_567)
        // The UUID consists of the first two numbers of the sequence, high byte first, with the bits of its version and
        // variant set.
        #expect(pinned.uuid().uuidString == "599ED017-FB08-4C85-AC73-F08458540FA5")
    }

    @Test("The generator draws all numbers below a limit, and no others")
    func bounded() {
        checkProperty(
            "a number is below its limit",
            generate: { (seed: $0.next(), limit: $0.next() >> UInt64($0.number(in: 0...62))) },
            holds: { input in
                var random = SeededGenerator(seed: input.seed)
                let number = random.number(below: input.limit)
                return input.limit == 0 ? number == 0 : number < input.limit
            })
        var random = SeededGenerator(seed: 3)
        var counts = [0, 0, 0, 0, 0]
        for _ in 0..<5000 { counts[Int(random.number(below: 5))] += 1 }
        #expect(counts.allSatisfy { (900...1100).contains($0) }, "\(counts)")
    }
}
