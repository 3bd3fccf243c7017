import StorekeeperTesting
import Testing

@Suite("Checking properties")
struct CheckPropertyTests {
    @Test("Equal seeds give equal sequences, neighbouring seeds different ones")
    func sequences() {
        func sequence(_ seed: UInt64) -> [UInt64] {
            var random = SplitMix64(seed: seed)
            return (0..<100).map { _ in random.next() }
        }
        #expect(sequence(7) == sequence(7))
        #expect(Set(sequence(7)).isDisjoint(with: sequence(8)))
    }

    @Test("The generator gives the published values of SplitMix64")
    func publishedValues() {
        var random = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        ]
        #expect((0..<3).map { _ in random.next() } == expected)
    }

    @Test("A counterexample is simplified as far as possible")
    func shrinking() throws {
        let found = try #require(
            findCounterexample(
                cases: 100, generate: { $0.number(in: 0...100_000) }, shrink: { [$0 / 2, $0 - 1].filter { $0 >= 0 } },
                holds: { $0 < 777 }))
        #expect(found.input == 777)
        #expect(found.shrinks > 0)
    }

    @Test("The seed of a counterexample generates the failing input first")
    func replay() throws {
        let draw: (inout SplitMix64) -> Int = { $0.number(in: 0...999) }
        let found = try #require(findCounterexample(cases: 10_000, seed: 3, generate: draw, holds: { $0 != 5 }))
        #expect(found.position > 0)
        let again = try #require(findCounterexample(cases: 1, seed: found.seed, generate: draw, holds: { $0 != 5 }))
        #expect(again.input == found.input)
        #expect(again.position == 0)
    }

    @Test("Simplifying ends even if the input always offers a simpler one")
    func boundedShrinking() throws {
        let found = try #require(
            findCounterexample(
                cases: 1, maximumShrinkTrials: 50, generate: { _ in 0 }, shrink: { [$0 + 1] }, holds: { _ in false }))
        #expect(found.shrinks == 50)
    }

    @Test("A property that holds is tried as often as requested, and records no issue")
    func holding() {
        var tried = 0
        checkProperty("is counted", cases: 50, settings: PropertySettings(), generate: { $0.next() }) { _ in
            tried += 1
            return true
        }
        #expect(tried == 50)
        checkProperty("is counted", cases: 50, settings: PropertySettings(cases: 7), generate: { $0.next() }) { _ in
            tried += 1
            return true
        }
        #expect(tried == 57)
    }

    @Test("A broken property records one issue with input, error and replay")
    func broken() {
        struct Odd: Error {}
        withKnownIssue {
            checkProperty(
                "is even", cases: 5, settings: PropertySettings(seed: 255), generate: { _ in 9 },
                shrink: { $0 > 1 ? [$0 - 2] : [] }, describe: { "number \($0)" }, holds: { _ in throw Odd() })
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return ["\"is even\"", "Odd()", "number 1\n", "STOREKEEPER_SEED=0xFF STOREKEEPER_CASES=1"]
                .allSatisfy(text.contains)
        }
    }

    @Test("An asynchronous property is tried, simplified and reported like any other")
    func asynchronous() async {
        var tried = 0
        await checkAsyncProperty("is counted", cases: 50, settings: PropertySettings(), generate: { $0.next() }) { _ in
            await Task.yield()
            tried += 1
            return true
        }
        #expect(tried == 50)
        await withKnownIssue {
            await checkAsyncProperty(
                "is small", cases: 100, settings: PropertySettings(), generate: { $0.number(in: 0...100_000) },
                shrink: { [$0 / 2, $0 - 1].filter { $0 >= 0 } }, describe: { "number \($0)" }
            ) { number in
                await Task.yield()
                return number < 777
            }
        } matching: { issue in
            issue.comments.map(\.rawValue).joined().contains("number 777\n")
        }
    }

    @Test(
        "Environment variables set the seed and the number of cases",
        arguments: [
            (["STOREKEEPER_SEED": "0xFF", "STOREKEEPER_CASES": "12"], PropertySettings(cases: 12, seed: 255)),
            (["STOREKEEPER_SEED": "255"], PropertySettings(seed: 255)),
            (["STOREKEEPER_SEED": "x", "STOREKEEPER_CASES": "0"], PropertySettings()),
            ([:], PropertySettings()),
        ])
    func environment(variables: [String: String], expected: PropertySettings) {
        #expect(PropertySettings(variables: variables) == expected)
    }
}
