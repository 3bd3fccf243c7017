import StorekeeperTesting
import Testing

@Suite("The mutator of bytes") struct ByteMutatorTests {
    private static let samples = ["{\"a\":[1,2,3]}", "header.payload.signature", "x"].map { Array($0.utf8) }

    @Test("The mutator damages most samples, and the same ones for the same seed") func mutants() {
        let mutator = ByteMutator(samples: Self.samples, tokens: [Array("null".utf8)])
        func mutants(seed: UInt64) -> [[UInt8]] {
            var random = SplitMix64(seed: seed)
            return (0..<500).map { _ in mutator.mutant(&random) }
        }
        let first = mutants(seed: 1)
        #expect(first == mutants(seed: 1))
        #expect(first != mutants(seed: 2))
        #expect(first.count { !Self.samples.contains($0) } > 400)
        #expect(first.contains { String(decoding: $0, as: UTF8.self).contains("null") })
    }

    @Test("The mutator does not change bytes before the given position") func beginning() {
        let mutator = ByteMutator(samples: Self.samples)
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            var bytes = Array("header.payload.signature".utf8)
            mutator.damage(&bytes, from: 7, &random)
            #expect(bytes.starts(with: "header.".utf8))
        }
    }

    @Test("Shrinking finds the smallest input that breaks a property") func shrinking() throws {
        let mutator = ByteMutator(samples: [[UInt8](repeating: 7, count: 300)])
        let found = try #require(
            findCounterexample(cases: 200, generate: { mutator.mutant(&$0) }, shrink: ByteMutator.simpler) { bytes in
                bytes.allSatisfy { $0 == 7 }
            })
        #expect(found.input.count == 1 && found.input != [7])
    }

    @Test("The mutator accepts empty input and no samples") func nothing() {
        var random = SplitMix64(seed: 5)
        #expect(ByteMutator(samples: []).mutant(&random).isEmpty)
        #expect(ByteMutator(samples: [[]]).mutant(&random).isEmpty)
        #expect(ByteMutator.simpler([]).isEmpty)
    }
}
